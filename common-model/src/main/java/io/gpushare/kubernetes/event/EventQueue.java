package io.gpushare.kubernetes.event;

import io.gpushare.kubernetes.EventSubject;
import io.gpushare.kubernetes.Events;
import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.kubernetes.PodEvent;
import io.gpushare.time.Clocks;
import io.gpushare.time.PeriodicTask;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records Events on pods and nodes, one after the other on a thread of its own. Repeated Events are combined into a
 * series ({@link EventBackoff}). Recording is best-effort: an Event that can't be recorded is counted and not retried.
 */
public final class EventQueue implements EventRecorder, AutoCloseable {
    /** Records an Event at the API server. */
    @FunctionalInterface
    public interface Sink {
        void record(EventSubject about, PodEvent event, Events.Series times) throws KubernetesException;
    }

    private static final Logger LOG = LoggerFactory.getLogger(EventQueue.class);
    private static final int WAITING = 256;
    private static final Duration POLL = Duration.ofSeconds(1);
    /** A new term begins within this time. Older Events were recorded by the leader of their time. */
    private static final Duration RECENT = Duration.ofSeconds(60);

    /** An Event to record, since then by the steady clock. */
    private record Waiting(EventBackoff.Due due, Instant since) {}

    private final Sink api;
    private final Duration gap;
    private final BooleanSupplier leading;
    private final Clocks clocks;
    private final BlockingQueue<Waiting> waiting = new ArrayBlockingQueue<>(WAITING);
    private final EventBackoff backoff = new EventBackoff();
    private final PeriodicTask task;
    private long lost;

    /**
     * Makes a queue; nothing is recorded before {@link #start}.
     *
     * @param gap between two Events
     * @param leading whether this program is the one that records; as long as it is not, recent Events wait
     */
    public EventQueue(Sink api, Duration gap, BooleanSupplier leading, Clocks clocks) {
        this.api = api;
        this.gap = gap;
        this.leading = leading;
        this.clocks = clocks;
        this.task = new PeriodicTask("pod-events", Duration.ZERO, gap, this::send);
    }

    public EventQueue start() {
        task.start();
        return this;
    }

    @Override
    public synchronized void record(EventSubject about, PodEvent event) {
        Instant now = clocks.steady().instant();
        backoff.report(new EventBackoff.Report(about, event), now, clocks.wall().instant())
                .ifPresent(due -> enqueue(due, now));
    }

    private synchronized void enqueueDue(Instant now) {
        backoff.due(now).forEach(due -> enqueue(due, now));
    }

    private void enqueue(EventBackoff.Due due, Instant now) {
        if (!waiting.offer(new Waiting(due, now))) {
            lose("too many at once");
        }
        task.runSoon();
    }

    /** Sends one Event. */
    private Duration send() {
        Instant now = clocks.steady().instant();
        @Nullable Waiting next = waiting.peek();
        if (next != null && leading.getAsBoolean()) {
            waiting.remove();
            send(next.due());
        } else if (next != null && now.isAfter(next.since().plus(RECENT))) {
            waiting.remove();
        }
        enqueueDue(now);
        return waiting.isEmpty() ? POLL : gap;
    }

    private void send(EventBackoff.Due due) {
        try {
            api.record(due.report().about(), due.report().event(), due.times());
        } catch (KubernetesException e) {
            lose(String.valueOf(e.getMessage()));
        } catch (RuntimeException e) { // as where a token can't be read: it costs this Event and not all later ones
            lose(e.toString());
        }
    }

    private synchronized void lose(String reason) {
        lost++;
        // Logged at 1, 10, 100, …: an API server that refuses all Events would fill the log.
        if (Long.toString(lost).matches("10*")) {
            LOG.warn("{} Events could not be recorded so far: {}", lost, reason);
        }
    }

    /** The number of Events that are not recorded yet. */
    int waiting() {
        return waiting.size();
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
