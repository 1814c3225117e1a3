package io.gpushare.plugin.cluster;

import io.gpushare.kubernetes.EventSeries;
import io.gpushare.kubernetes.EventSubject;
import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.kubernetes.PodEvent;
import io.gpushare.plugin.part.Events;
import io.gpushare.plugin.part.PeriodicTask;
import io.gpushare.time.Clocks;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records Events on pods and on the node, one after the other. Repeated Events are combined into a series ({@link EventBackoff}). Recording
 * is best-effort: an Event that can't be recorded is counted and not retried.
 */
public final class PodEventRecorder implements Events, AutoCloseable {
    /** Records an Event at the API server. */
    @FunctionalInterface
    public interface Sink {
        void record(EventSubject about, PodEvent event, EventSeries times) throws KubernetesException;
    }

    private static final Logger LOG = LoggerFactory.getLogger(PodEventRecorder.class);
    private static final int WAITING = 256;
    private static final Duration POLL = Duration.ofSeconds(1);
    private static final Duration GAP = Duration.ofMillis(100);

    private final Sink api;
    private final Clocks clocks;
    private final BlockingQueue<EventBackoff.Due> waiting = new ArrayBlockingQueue<>(WAITING);
    private final EventBackoff backoff = new EventBackoff();
    private final PeriodicTask task = new PeriodicTask("pod-events", Duration.ZERO, GAP, this::send);
    private long lost;

    public PodEventRecorder(Sink api, Clocks clocks) {
        this.api = api;
        this.clocks = clocks;
    }

    /** Starts. */
    public PodEventRecorder start() {
        task.start();
        return this;
    }

    @Override
    public synchronized void record(EventSubject about, PodEvent event) {
        backoff.report(
                        new EventBackoff.Report(about, event),
                        clocks.steady().instant(),
                        clocks.wall().instant())
                .ifPresent(this::enqueue);
    }

    private synchronized void enqueueDue() {
        backoff.due(clocks.steady().instant()).forEach(this::enqueue);
    }

    private void enqueue(EventBackoff.Due due) {
        if (!waiting.offer(due)) {
            lose("too many at once");
        }
        task.runSoon();
    }

    /** Sends one Event. */
    private Duration send() {
        EventBackoff.@Nullable Due due = waiting.poll();
        if (due != null) {
            try {
                api.record(due.report().about(), due.report().event(), due.times());
            } catch (KubernetesException e) {
                lose(String.valueOf(e.getMessage()));
            }
        }
        enqueueDue();
        return waiting.isEmpty() ? POLL : GAP;
    }

    private synchronized void lose(String reason) {
        lost++;
        // Logged at 1, 10, 100, …: an API server that refuses all Events would fill the log.
        if (Long.toString(lost).matches("10*")) {
            LOG.warn("{} Events could not be recorded so far: {}", lost, reason);
        }
    }

    /** The number of Events that were not recorded. */
    public synchronized long lost() {
        return lost;
    }

    @Override
    public void close() {
        task.close();
    }
}
