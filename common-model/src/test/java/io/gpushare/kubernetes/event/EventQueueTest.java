package io.gpushare.kubernetes.event;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.model.PodRef;
import io.gpushare.time.Clocks;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

class EventQueueTest {
    private static final Duration GAP = Duration.ofMillis(1);
    private static final PodRef POD = new PodRef("u1", "ns", "p");

    private final List<String> recorded = new CopyOnWriteArrayList<>();
    private volatile Instant now = Instant.parse("2026-11-20T12:00:00Z");
    private final Clocks clocks = new Clocks(() -> now, () -> now);
    private volatile boolean leading;

    private EventQueue queue() {
        return new EventQueue(
                (about, event, times) -> {
                    if (event.reason().equals("Refused")) {
                        throw new KubernetesException(404, "no such namespace", null);
                    }
                    recorded.add(event.reason() + " " + times.count());
                },
                GAP,
                () -> leading,
                clocks);
    }

    @Test
    void recentEventsWaitUntilThisProgramLeadsAndOlderOnesAreDropped() {
        try (EventQueue queue = queue().start()) {
            queue.warn(POD, "Old", "x");
            now = now.plusSeconds(50);
            queue.note(POD, "Recent", "x");
            now = now.plusSeconds(11);
            queue.note(POD, "New", "x");
            await().until(() -> queue.waiting() == 2);
            assertThat(recorded).isEmpty();

            leading = true;
            await().until(() -> recorded.size() == 2);
            assertThat(recorded).containsExactly("Recent 1", "New 1");
            assertThat(queue.lost()).isZero();
        }
    }

    @Test
    void whatIsRefusedIsCountedAndRepetitionsAreOneEvent() {
        leading = true;
        try (EventQueue queue = queue().start()) {
            queue.warn(POD, "Refused", "x");
            for (int i = 0; i < 4; i++) {
                queue.warn(POD, "Repeated", "x");
            }
            await().until(() -> recorded.size() == 1);
            assertThat(queue.lost()).isEqualTo(1);
            now = now.plusSeconds(61);
            queue.note(POD, "Other", "x"); // wakes the thread
            await().until(() -> recorded.size() == 3);
            assertThat(recorded).contains("Repeated 1", "Repeated 3", "Other 1");
        }
    }

    @Test
    void whatDoesNotFitIsCounted() {
        try (EventQueue queue = queue()) {
            for (int i = 0; i < 300; i++) {
                queue.warn(POD, "Event" + i, "x");
            }
            assertThat(queue.waiting()).isEqualTo(256);
            assertThat(queue.lost()).isEqualTo(44);
        }
    }
}
