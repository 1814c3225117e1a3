package io.gpushare.plugin.allocate.admission;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.plugin.allocate.snapshot.AnsweredCall;
import io.gpushare.plugin.allocate.snapshot.NodeSnapshot;
import io.gpushare.plugin.allocate.snapshot.TestLists;
import io.gpushare.plugin.node.isolation.StartingContainer;
import io.gpushare.plugin.node.pod.NodePod;
import io.gpushare.plugin.node.pod.TestPods;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ContainerStartsTest {
    private static final CardId A = new CardId("GPU-a");
    private static final Set<String> DEVICES = Set.of("GPU-a::0", "GPU-a::1");
    private static final NodeSnapshot EMPTY =
            NodeSnapshot.of(new Inventory(MemoryUnit.GIB, null, List.of(Card.of("GPU-a", 0, Memory.ofGib(15)))));

    /** The API has not reported yet that the earlier pod ended, and the kubelet knows it already. */
    @Test
    void devicesThatTheKubeletGaveAgainBelongToTheLastContainer() {
        NodePod earlier = TestPods.onCard("earlier", 0, A, 2);
        NodePod later = TestPods.onCard("later", 1, A, 2);
        NodeSnapshot snapshot = EMPTY.withPod(earlier)
                .withPod(later)
                .withAnsweredCall(call(earlier))
                .withAnsweredCall(call(later));
        assertThat(ContainerStarts.of(DEVICES, snapshot)).get().returns(later.ref(), StartingContainer::pod);
    }

    @Test
    void afterARestartThePodOfEachResourceIsFoundByItsDevices() {
        NodePod pod = TestPods.onCard("p", 0, A, 2);
        NodeSnapshot snapshot = EMPTY.withPod(pod)
                .withListed(
                        TestLists.withDevices("p", "main", "GPU-a::0", "GPU-a::1", "GPU-a::c0", "GPU-a::c1"),
                        TestPods.START);
        for (Set<String> devices : List.of(DEVICES, Set.of("GPU-a::c0", "GPU-a::c1"))) {
            assertThat(ContainerStarts.of(devices, snapshot)).get().returns(pod.ref(), StartingContainer::pod);
        }
        assertThat(ContainerStarts.of(Set.of("GPU-a::c0", "GPU-a::c7"), snapshot))
                .isEmpty();
    }

    private static AnsweredCall call(NodePod pod) {
        return new AnsweredCall(pod.ref(), TestPods.share("main", A, 2), DEVICES, TestPods.START);
    }
}
