package io.gpushare.e2e.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GetPathTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        get nodes                           | /api/v1/nodes
        get node n1                         | /api/v1/nodes/n1
        -n kube-system get pods -l a=b,c    | /api/v1/namespaces/kube-system/pods?labelSelector=a%3Db%2Cc
        get pod p                           | /api/v1/namespaces/default/pods/p
        get lease l -n kube-system          | /apis/coordination.k8s.io/v1/namespaces/kube-system/leases/l
        get resourceslices                  | /apis/resource.k8s.io/v9/resourceslices
        get resourceclaims -A               | /apis/resource.k8s.io/v9/resourceclaims
        get events --field-selector a.b=c   | /api/v1/namespaces/default/events?fieldSelector=a.b%3Dc
        """)
    void readsWhatKubectlReads(String arguments, String path) {
        assertThat(of(arguments)).contains(path);
    }

    @ParameterizedTest
    @CsvSource({
        "config view --raw",
        "get deviceclasses",
        "get secret/s",
        "get --raw /version",
        "version",
        "get pods a b"
    })
    void leavesTheRestToKubectl(String arguments) {
        assertThat(of(arguments)).isEmpty();
    }

    @Test
    void asksForAVersionOnlyWhereItDependsOnTheKubernetes() {
        assertThat(GetPath.of(
                        _ -> {
                            throw new AssertionError("asked");
                        },
                        "get",
                        "jobs"))
                .contains("/apis/batch/v1/namespaces/default/jobs");
    }

    private static Optional<String> of(String arguments) {
        return GetPath.of(_ -> "v9", arguments.split(" +", -1));
    }
}
