package io.gpushare.plugin.node.isolation.mps;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.kubernetes.PodEvent;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.mps.link.CardReport;
import io.gpushare.mps.link.Phase;
import io.gpushare.plugin.node.holdings.TestNode;
import io.gpushare.plugin.node.pod.TestPods;
import io.gpushare.plugin.node.usage.Cgroup;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class MpsReporterTest {
    private static final CardId A = new CardId("GPU-a");
    private static final CardId B = new CardId("GPU-b");
    private static final TestNode NODE = TestNode.of(
                    new Inventory(MemoryUnit.GIB, null, List.of(Card.of("GPU-a", 0, Memory.ofGib(15)))))
            .withHolder(TestPods.started(TestPods.onCard("p", 0, A, 2)));

    private final List<PodEvent> events = new ArrayList<>();
    private final MpsReporter reporter = new MpsReporter(
            (_, event) -> events.add(event),
            _ -> Optional.of(new Cgroup(Optional.of("uid-p"), Optional.of("containerid"))));

    @Test
    void aProcessThatWaitsIsReportedOnceUntilItWaitsNoMore() {
        reporter.report(A, waiting(7), NODE.holdings());
        reporter.report(A, waiting(7, 8), NODE.holdings());
        reporter.report(B, waiting(), NODE.holdings());
        reporter.report(A, waiting(7), NODE.holdings());
        assertThat(events).hasSize(2);

        reporter.report(A, waiting(), NODE.holdings());
        // Its number belongs to another process now.
        reporter.report(A, waiting(7), NODE.holdings());
        assertThat(events).hasSize(3);
    }

    private static CardReport waiting(long... pids) {
        return new CardReport(
                0, Phase.READY, 2048, "", 1, 1, 0, Arrays.stream(pids).boxed().toList(), true, List.of());
    }
}
