package io.gpushare.plugin.cluster;

import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.kubernetes.PodEvent;
import io.gpushare.model.PodRef;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells pods' people of things in Events, one after the other and not too often: the same about the same pod once a
 * minute. An Event is a courtesy: one that can't be recorded is counted and not tried again.
 */
public final class PodEvents implements AutoCloseable {
    /** Records an Event of a pod. */
    @FunctionalInterface
    public interface Recording {
        void record(PodRef about, PodEvent event, Instant now) throws KubernetesException;
    }

    /** The program's name in its Events. */
    public static final String COMPONENT = "gpushare-device-plugin";

    private record Telling(PodRef about, PodEvent event) {}

    private static final Logger LOG = LoggerFactory.getLogger(PodEvents.class);
    private static final int WAITING = 256;
    private static final Duration ONCE_IN = Duration.ofMinutes(1);
    private static final Duration GAP = Duration.ofMillis(100);

    private final Recording api;
    private final InstantSource clock;
    private final BlockingQueue<Telling> waiting = new ArrayBlockingQueue<>(WAITING);
    private final Map<Telling, Instant> told = new HashMap<>();
    private final Thread thread = new Thread(this::run, "pod-events");
    private long lost;

    private PodEvents(Recording api, InstantSource clock) {
        this.api = Objects.requireNonNull(api);
        this.clock = Objects.requireNonNull(clock);
    }

    public static PodEvents start(Recording api, InstantSource clock) {
        PodEvents events = new PodEvents(api, clock);
        events.thread.setDaemon(true);
        events.thread.start();
        return events;
    }

    /** Tells it soon; returns at once. */
    public synchronized void tell(PodRef about, PodEvent event) {
        Instant now = clock.instant();
        Telling telling = new Telling(about, event);
        told.values().removeIf(at -> !now.isBefore(at.plus(ONCE_IN)));
        @Nullable Instant before = told.putIfAbsent(telling, now);
        if (before == null && !waiting.offer(telling)) {
            lose("too many at once");
        }
    }

    private void run() {
        try {
            while (true) {
                Telling next = waiting.take();
                try {
                    api.record(next.about(), next.event(), clock.instant());
                } catch (KubernetesException e) {
                    lose(String.valueOf(e.getMessage()));
                }
                TimeUnit.MILLISECONDS.sleep(GAP.toMillis());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
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
