package io.gpushare.e2e.cluster.rights;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.e2e.cluster.Cluster;
import io.gpushare.e2e.cluster.Installation;
import io.gpushare.e2e.cluster.SharedCluster;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The permissions of the service accounts on a real API server. */
@Tag("cluster")
@ExtendWith(SharedCluster.Extension.class)
class RbacIT {
    private static Cluster cluster;

    @BeforeAll
    static void install(SharedCluster shared) {
        cluster = shared.cluster();
        shared.withoutPrograms();
    }

    @ParameterizedTest
    @ValueSource(strings = {"gpu-share-device-plugin", "gpu-share-scheduler-extender"})
    void theListOfTheApiServerIsTheDocumentedOne(String account) throws Exception {
        Set<String> everywhere = list("default", account, "");
        Set<String> all = new TreeSet<>(everywhere);
        for (String namespace : List.of(Installation.NAMESPACE, Installation.LEASES)) {
            Set<String> inOurs = list(namespace, account, "");
            inOurs.removeAll(everywhere);
            inOurs.forEach(line -> all.add(line + " in " + namespace));
        }
        Set<String> documented = Permissions.documented(SharedCluster.ROOT);
        documented.removeIf(line -> !line.startsWith(account + ":"));
        assertThat(all).isNotEmpty().isEqualTo(documented);
    }

    @Test
    void theAccountsCannotReadSecretsOrMakePods() {
        for (String account : new String[] {"gpu-share-device-plugin", "gpu-share-scheduler-extender"}) {
            assertThat(list(Installation.NAMESPACE, account, ""))
                    .noneMatch(line -> line.contains("secrets") || line.contains("create pods."))
                    .noneMatch(line -> line.endsWith(": create pods"));
        }
    }

    /** The permissions of the account beyond those of any account. */
    private static Set<String> list(String namespace, String account, String where) {
        Set<String> own = canI(namespace, "system:serviceaccount:kube-system:" + account, account, where);
        own.removeAll(canI(namespace, "system:serviceaccount:kube-system:unknown", account, where));
        return own;
    }

    private static Set<String> canI(String namespace, String user, String account, String where) {
        String printed = cluster.kubectl()
                .run(
                        "auth",
                        "can-i",
                        "--list",
                        "-n",
                        namespace,
                        "--as=" + user,
                        "--as-group=system:serviceaccounts",
                        "--as-group=system:authenticated");
        return Permissions.parse(account, where, printed);
    }
}
