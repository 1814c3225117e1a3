package io.gpushare.insight.report;

import io.gpushare.kubernetes.event.EventRecorder;
import io.gpushare.time.Machine;
import io.gpushare.time.PeriodicTask;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.function.BooleanSupplier;

/** Records an Event on pods that have waited for a while, with what helps. A few per second. */
public final class WaitReporter {
    private static final Duration PERIOD = Duration.ofSeconds(2);
    private static final Duration PACE = Duration.ofMillis(250);
    // With thousands of nodes and waiting demands a round takes long; it uses a fifth of the thread's time at most.
    private static final int REST = 4;

    private final EventRecorder events;
    private final WaitAdvice waiting;
    private final BooleanSupplier ready;
    private final InstantSource clock;

    private WaitReporter(EventRecorder events, WaitAdvice waiting, BooleanSupplier ready, InstantSource clock) {
        this.events = events;
        this.waiting = waiting;
        this.ready = ready;
        this.clock = clock;
    }

    /**
     * Starts a task.
     *
     * @param ready whether this extender leads and its ledger is current
     */
    public static PeriodicTask start(
            EventRecorder events, WaitAdvice waiting, BooleanSupplier ready, InstantSource clock) {
        WaitReporter reporter = new WaitReporter(events, waiting, ready, clock);
        return PeriodicTask.rounds("wait-events", PERIOD, reporter::recordDue).start();
    }

    private void recordDue() throws InterruptedException {
        if (!ready.getAsBoolean()) {
            return;
        }
        long began = Machine.here().nanos();
        List<WaitAdvice.Note> notes = waiting.due(clock.instant());
        Duration rest = Duration.ofNanos(Machine.here().nanos() - began).multipliedBy(REST);
        for (WaitAdvice.Note note : notes) {
            if (ready.getAsBoolean()) {
                events.warn(note.pod(), "GpuPodWaits", note.text());
                Machine.here().pause(PACE);
            }
        }
        Machine.here().pause(rest);
    }
}
