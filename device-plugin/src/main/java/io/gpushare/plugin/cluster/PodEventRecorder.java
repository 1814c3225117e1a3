package io.gpushare.plugin.cluster;

import io.gpushare.kubernetes.EventSeries;
import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.kubernetes.PodEvent;
import io.gpushare.model.PodRef;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Objects;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells pods' people of things in Events, one after the other; what is told again and again of a pod comes in ever fewer
 * Events that say how often it was ({@link EventBackoff}). An Event is a courtesy: one that can't be recorded is counted and not
 * tried again.
 */
public final class PodEventRecorder implements AutoCloseable {
    /** Records an Event of a pod. */
    @FunctionalInterface
    public interface Recording {
        void record(PodRef about, PodEvent event, EventSeries times) throws KubernetesException;
    }

    /** The program's name in its Events. */
    public static final String COMPONENT = "gpushare-device-plugin";

    private static final Logger LOG = LoggerFactory.getLogger(PodEventRecorder.class);
    private static final int WAITING = 256;
    private static final Duration LOOK = Duration.ofSeconds(1);
    private static final Duration GAP = Duration.ofMillis(100);

    private final Recording api;
    private final InstantSource clock;
    private final BlockingQueue<EventBackoff.Due> waiting = new ArrayBlockingQueue<>(WAITING);
    private final EventBackoff repeats = new EventBackoff();
    private final Thread thread = new Thread(this::run, "pod-events");
    private long lost;

    private PodEventRecorder(Recording api, InstantSource clock) {
        this.api = Objects.requireNonNull(api);
        this.clock = Objects.requireNonNull(clock);
    }

    public static PodEventRecorder start(Recording api, InstantSource clock) {
        PodEventRecorder events = new PodEventRecorder(api, clock);
        events.thread.setDaemon(true);
        events.thread.start();
        return events;
    }

    /** Tells it soon; returns at once. */
    public synchronized void tell(PodRef about, PodEvent event) {
        repeats.told(new EventBackoff.Telling(about, event), clock.instant()).ifPresent(this::enqueue);
    }

    private synchronized void tellRepeats() {
        repeats.due(clock.instant()).forEach(this::enqueue);
    }

    private void enqueue(EventBackoff.Due due) {
        if (!waiting.offer(due)) {
            lose("too many at once");
        }
    }

    private void run() {
        try {
            while (true) {
                EventBackoff.@Nullable Due next = waiting.poll(LOOK.toMillis(), TimeUnit.MILLISECONDS);
                if (next != null) {
                    record(next);
                    TimeUnit.MILLISECONDS.sleep(GAP.toMillis());
                }
                tellRepeats();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void record(EventBackoff.Due due) {
        try {
            api.record(due.telling().about(), due.telling().event(), due.times());
        } catch (KubernetesException e) {
            lose(String.valueOf(e.getMessage()));
        }
    }

    private synchronized void lose(String reason) {
        lost++;
        // The first, then at 10, 100, …: an API server that refuses them all would fill the log.
        if (Long.toString(lost).matches("10*")) {
            LOG.warn("{} Events of pods could not be recorded so far: {}", lost, reason);
        }
    }

    /** How many Events were not recorded. */
    public synchronized long lost() {
        return lost;
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
