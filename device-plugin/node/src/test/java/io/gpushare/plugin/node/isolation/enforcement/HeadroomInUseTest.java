package io.gpushare.plugin.node.isolation.enforcement;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.kubernetes.EventSubject;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardIsolation;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Isolation;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.plugin.node.holdings.TestNode;
import io.gpushare.plugin.node.pod.TestPods;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class HeadroomInUseTest {
    private static final Card T4 = Card.of("GPU-a", 0, Memory.ofGib(15));

    @Test
    void aCardWhosePodsHoldWhatIsKeptNowIsReportedOnceForAsLongAsTheyDo() {
        List<String> events = new ArrayList<>();
        HeadroomInUse headroom = new HeadroomInUse(
                new EventSubject.Node("n1"), (_, event) -> events.add(event.reason() + ": " + event.message()));
        TestNode before = TestNode.of(new Inventory(MemoryUnit.GIB, null, List.of(T4)))
                .withHolder(TestPods.onCard("eight", 0, T4.id(), 8))
                .withHolder(TestPods.onCard("seven", 0, T4.id(), 7));
        headroom.report(before.holdings());
        assertThat(events).isEmpty();

        TestNode now = before.withInventory(before.inventory()
                .withIsolation(Map.of(T4.id(), CardIsolation.of(Isolation.MPS).withHeadroom(Memory.ofMib(617)))));
        headroom.report(now.holdings());
        headroom.report(now.holdings());
        assertThat(events)
                .containsExactly(
                        "GpuHeadroomInUse: Pods hold 15 GiB of card GPU-a, and it offers 14 GiB since 617 MiB are kept"
                            + " for the driver and the isolation (--reserved-memory). They keep what they have, their"
                            + " programs may run out of memory before their limits, and the card offers nothing until"
                            + " some of them have ended.");

        headroom.report(now.withoutPod(TestPods.ref("seven").uid()).holdings());
        headroom.report(now.holdings());
        assertThat(events).hasSize(2);
    }
}
