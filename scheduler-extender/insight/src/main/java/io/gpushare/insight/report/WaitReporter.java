package io.gpushare.insight.report;

import io.gpushare.kubernetes.EventSeries;
import io.gpushare.kubernetes.KubernetesApi;
import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.kubernetes.PodEvent;
import io.gpushare.time.Clocks;
import io.gpushare.time.Rounds;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Records an Event on pods that have waited for a while, with what helps. Best-effort, a few per second. */
public final class WaitReporter {
    private static final Logger LOG = LoggerFactory.getLogger(WaitReporter.class);
    private static final Duration PERIOD = Duration.ofSeconds(2);
    private static final Duration PACE = Duration.ofMillis(250);
    // With thousands of nodes and waiting demands a round takes long; it uses a fifth of the thread's time at most.
    private static final int REST = 4;

    private final KubernetesApi api;
    private final WaitAdvice waiting;
    private final BooleanSupplier ready;
    private final Clocks clocks;

    private WaitReporter(KubernetesApi api, WaitAdvice waiting, BooleanSupplier ready, Clocks clocks) {
        this.api = api;
        this.waiting = waiting;
        this.ready = ready;
        this.clocks = clocks;
    }

    /**
     * Starts a thread that ends with the process, or when it is interrupted.
     *
     * @param ready whether this extender leads and its ledger is current
     */
    public static Thread start(KubernetesApi api, WaitAdvice waiting, BooleanSupplier ready, Clocks clocks) {
        return Rounds.start("wait-events", PERIOD, new WaitReporter(api, waiting, ready, clocks)::recordDue);
    }

    private void recordDue() throws InterruptedException {
        if (!ready.getAsBoolean()) {
            return;
        }
        long began = System.nanoTime();
        List<WaitAdvice.Note> notes = waiting.due(clocks.steady().instant());
        Duration rest = Duration.ofNanos(System.nanoTime() - began).multipliedBy(REST);
        for (WaitAdvice.Note note : notes) {
            if (ready.getAsBoolean()) {
                record(note);
                Thread.sleep(PACE);
            }
        }
        Thread.sleep(rest);
    }

    private void record(WaitAdvice.Note note) {
        PodEvent event = new PodEvent(true, "gpushare-schd-extender", "GpuPodWaits", note.text());
        try {
            api.events()
                    .record(note.pod(), event, EventSeries.once(clocks.wall().instant()));
        } catch (KubernetesException e) {
            // A namespace that is being deleted, for example, accepts none.
            LOG.debug("an Event of a waiting pod is not recorded: {}", e.getMessage());
        }
    }
}
