package io.gpushare.e2e.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.e2e.sandbox.ClusterSnapshot.Card;
import io.gpushare.e2e.sandbox.ClusterSnapshot.Node;
import io.gpushare.e2e.sandbox.ClusterSnapshot.Placed;
import io.gpushare.e2e.sandbox.ClusterSnapshot.Share;
import io.gpushare.simulated.client.ApiClient;
import io.gpushare.simulated.client.PodDocument;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The sandbox invites its users to write annotations of their own: its checks count what the programs believe. */
class ForgedAllocationTest {
    private static final Node NODE = new Node("n1", List.of(new Card("GPU-1", 0, "T4", "", 15)), 15, 15, 1);

    @Test
    void anAllocationThatIsNotWhatItsPodRequestsCountsOnNoCard() {
        Placed honest = pod("honest", "n1", "\"aliyun.com/gpu-mem\":\"8\"", "\"memory\":{\"GPU-1\":8}");
        assertThat(honest.shares()).containsExactly(new Share("main", "GPU-1", 8, false));
        Placed larger = pod("larger", "n1", "\"aliyun.com/gpu-mem\":\"1\"", "\"memory\":{\"GPU-1\":1000}");
        Placed nothing = pod("nothing", "n1", "\"cpu\":\"1\"", "\"cards\":[\"GPU-1\"]");
        Placed elsewhere = pod("elsewhere", "n2", "\"cpu\":\"1\"", "\"memory\":{\"GPU-1\":1000}");
        for (Placed each : List.of(larger, nothing, elsewhere)) {
            assertThat(each.shares()).as(each.pod().name()).isEmpty();
        }
        Checks checks = new Checks();
        checks.checkCards(new ClusterSnapshot(List.of(NODE), List.of(honest, larger, nothing, elsewhere)));
        assertThat(checks.failures()).isEmpty();
    }

    @Test
    void cardsThatAreOverCommittedByRequestsAreStillFound() {
        Checks checks = new Checks();
        checks.checkCards(new ClusterSnapshot(
                List.of(NODE),
                List.of(
                        pod("a", "n1", "\"aliyun.com/gpu-mem\":\"8\"", "\"memory\":{\"GPU-1\":8}"),
                        pod("b", "n1", "\"aliyun.com/gpu-count\":\"1\"", "\"cards\":[\"GPU-1\"]"))));
        assertThat(checks.failures()).containsExactly("n1 card 0 (T4) is shared and whole at once");
    }

    private static Placed pod(String name, String node, String limits, String cards) {
        String allocation = "{\"version\":1,\"unitMiB\":1024,\"containers\":[{\"name\":\"main\"," + cards + "}]}";
        return ClusterSnapshot.placed(new PodDocument(
                ApiClient.document("""
                    {"metadata":{"name":"%s","namespace":"default","uid":"uid-%1$s",
                      "annotations":{"gpushare.io/allocation":"%s"}},
                     "spec":{"nodeName":"%s","containers":[{"name":"main","resources":{"limits":{%s}}}]},
                     "status":{"phase":"Running"}}\
                    """.formatted(name, allocation.replace("\"", "\\\""), node, limits))));
    }
}
