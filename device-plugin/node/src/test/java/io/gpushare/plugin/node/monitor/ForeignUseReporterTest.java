package io.gpushare.plugin.node.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.kubernetes.EventSubject;
import io.gpushare.model.card.CardId;
import io.gpushare.plugin.node.usage.NodeUsage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ForeignUseReporterTest {
    private static final EventSubject.Node NODE = new EventSubject.Node("n1");
    private static final NodeUsage NONE = NodeUsage.NONE;
    private static final NodeUsage FOREIGN = new NodeUsage(
            NONE.reported(),
            Optional.of(Map.of()),
            Map.of(new NodeUsage.Foreign(new CardId("GPU-a"), Optional.empty()), 1L << 30));

    private final List<EventSubject> events = new ArrayList<>();
    private boolean podsKnown = true;
    private final ForeignUseReporter reporter =
            new ForeignUseReporter(NODE, () -> podsKnown, (about, _) -> events.add(about));

    @Test
    void aForeignProcessIsReportedAfterHalfAMinuteOfReportsInARow() {
        for (NodeUsage next : List.of(FOREIGN, FOREIGN, FOREIGN, FOREIGN, FOREIGN, NONE)) {
            reporter.handle(next);
        }
        for (int i = 0; i < 5; i++) {
            reporter.handle(FOREIGN);
        }
        assertThat(events).isEmpty();
        reporter.handle(FOREIGN);
        assertThat(events).containsExactly(NODE);
        reporter.handle(FOREIGN);
        assertThat(events).hasSize(2);
        reporter.handle(NONE);
        assertThat(events).hasSize(2);
    }

    @Test
    void beforeThePodsAreKnownNoProcessIsForeign() {
        podsKnown = false;
        for (int i = 0; i < 10; i++) {
            reporter.handle(FOREIGN);
        }
        assertThat(events).isEmpty();
    }
}
