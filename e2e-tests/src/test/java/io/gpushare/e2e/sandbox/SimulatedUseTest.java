package io.gpushare.e2e.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.e2e.sandbox.ClusterSnapshot.Card;
import io.gpushare.e2e.sandbox.ClusterSnapshot.Node;
import io.gpushare.e2e.sandbox.ClusterSnapshot.Placed;
import io.gpushare.e2e.sandbox.ClusterSnapshot.Share;
import io.gpushare.simulated.apiserver.SimulatedApiServer;
import io.gpushare.simulated.client.ApiClient;
import io.gpushare.simulated.client.PodDocument;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SimulatedUseTest {
    private static final String NODE = SandboxNode.RECORDED.name();
    private static final Card CARD = new Card("GPU-1", 0, "NVIDIA A100", "", 80);

    @TempDir
    private Path folder;

    @Test
    void theProcessOfAPodThatEndedIsNoticedAndEnded() throws Exception {
        SimulatedUse use = new SimulatedUse(folder::resolve, folder.resolve("proc"));
        ClusterSnapshot runs = snapshot("Running");
        use.next(runs);
        assertThat(Files.readString(folder.resolve(NODE))).contains("process pid=");
        assertThat(use.outlives(runs)).isFalse();
        ClusterSnapshot ended = snapshot("Succeeded");
        assertThat(use.outlives(ended)).isTrue();
        use.next(ended);
        assertThat(Files.readString(folder.resolve(NODE))).doesNotContain("process");
        assertThat(use.outlives(ended)).isFalse();
    }

    /** Otherwise {@code kubectl gpushare top} shows an idle card on which pods compute. */
    @Test
    void aCardComputesWhenItsProcessesDo() throws Exception {
        new SimulatedUse(folder::resolve, folder.resolve("proc")).next(snapshot("Running"));
        String file = Files.readString(folder.resolve(NODE));
        Matcher process = Pattern.compile("process .* utilisation=([1-9]\\d)\n").matcher(file);
        assertThat(process.find()).as(file).isTrue();
        assertThat(file.lines().filter(line -> line.startsWith("card ")))
                .hasSize(4)
                .filteredOn(line -> line.contains("utilisation="))
                .singleElement()
                .asString()
                .contains(" utilisation=" + process.group(1) + "/");
    }

    /** Otherwise the sandbox shows pods with claims that compute nothing. */
    @Test
    void thePodsWithClaimsComputeOnTheirCardsToo() throws Exception {
        try (SimulatedApiServer server = SimulatedApiServer.start();
                ApiClient client = new ApiClient(server.uri())) {
            server.add(ApiClient.document("""
                {"apiVersion":"v1","kind":"Node","metadata":{"name":"%s","labels":{"gpushare.io/serve":"dra"},"annotations":
                 {"gpushare.io/inventory":"{\\"unitMiB\\":1024,\\"cards\\":[{\\"uuid\\":\\"GPU-A\\",\\"memoryMiB\\":49152}]}"}}}\
                """.formatted(SandboxNode.CLAIMS.name())));
            server.add(ApiClient.document("""
                {"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"c","namespace":"default"},
                 "status":{"allocation":{"devices":{"results":[
                  {"device":"gpu-a","consumedCapacity":{"memory":"6Gi"}}]}}}}\
                """));
            server.add(ApiClient.document("""
                {"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"default"},
                 "spec":{"nodeName":"%s","containers":[{"name":"main","resources":{"claims":[{"name":"gpu"}]}}]},
                 "status":{"phase":"Running","containerStatuses":[{"name":"main","containerID":"containerd://c1"}],
                  "resourceClaimStatuses":[{"name":"gpu","resourceClaimName":"c"}]}}\
                """.formatted(SandboxNode.CLAIMS.name())));
            new SimulatedUse(folder::resolve, folder.resolve("proc")).next(ClaimedCards.take(client));
        }
        assertThat(Files.readString(folder.resolve(SandboxNode.CLAIMS.name())))
                .containsPattern("process pid=\\d+ card=GPU-A memory=[2-5]\\d{3}MiB");
    }

    private static ClusterSnapshot snapshot(String phase) {
        ObjectNode pod = ApiClient.document("""
            {"metadata":{"name":"p","namespace":"default","uid":"uid-p"},
             "spec":{"nodeName":"%s","containers":[{"name":"main"}]},
             "status":{"phase":"%s","containerStatuses":[{"name":"main","containerID":"containerd://c1"}]}}\
            """.formatted(NODE, phase));
        return new ClusterSnapshot(
                List.of(new Node(NODE, List.of(CARD), 80, 80, 1)),
                List.of(new Placed(new PodDocument(pod), List.of(new Share("main", "GPU-1", 8, false)))));
    }
}
