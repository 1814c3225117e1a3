package io.gpushare.simulated.scheduler;

import io.gpushare.simulated.client.PodDocument;
import io.gpushare.time.Machine;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * The queue of pods without a node, as in kube-scheduler. New pods are tried at once, failed ones after a backoff of 1
 * s to 10 s, and unschedulable ones after their backoff once the cluster has changed, or after half a minute
 * (kube-scheduler: five minutes).
 */
final class SchedulingQueue {
    private static final Duration FIRST_BACKOFF = Duration.ofSeconds(1);
    private static final Duration LONGEST_BACKOFF = Duration.ofSeconds(10);
    private static final Duration LOOK = Duration.ofMillis(100);
    private static final Duration FLUSH = Duration.ofSeconds(30);

    /** One attempt to schedule a pod, which the caller returns with its outcome. */
    record Attempt(PodDocument pod, long eventsBefore) {}

    private static final class Entry {
        PodDocument pod;
        int attempts;
        Instant notBefore = Instant.MIN;
        Instant tried = Instant.MIN;
        boolean needsEvent;
        boolean atWork;

        Entry(PodDocument pod) {
            this.pod = pod;
        }
    }

    private final Map<String, Entry> entries = new LinkedHashMap<>();
    private final InstantSource clock;
    private final Semaphore changes = new Semaphore(0);
    private long events;

    SchedulingQueue(InstantSource clock) {
        this.clock = clock;
    }

    synchronized void add(PodDocument pod) {
        entries.computeIfAbsent(pod.uid(), _ -> new Entry(pod)).pod = pod;
        changes.release();
    }

    synchronized void remove(String uid) {
        entries.remove(uid);
    }

    /** Requeues unschedulable pods after a change that may free capacity. */
    synchronized void event() {
        events++;
        entries.values().forEach(entry -> entry.needsEvent = false);
        changes.release();
    }

    /** Waits for the next pod to try. */
    Attempt take() throws InterruptedException {
        while (true) {
            @Nullable Attempt next = poll();
            if (next != null) {
                return next;
            }
            Machine.here().acquire(changes, LOOK);
            changes.drainPermits();
        }
    }

    private synchronized @Nullable Attempt poll() {
        @Nullable Entry next = next(clock.instant());
        if (next == null) {
            return null;
        }
        next.atWork = true;
        next.attempts++;
        next.tried = clock.instant();
        return new Attempt(next.pod, events);
    }

    private @Nullable Entry next(Instant now) {
        for (Entry entry : entries.values()) {
            boolean flushed = entry.tried.isBefore(now.minus(FLUSH));
            if (!entry.atWork && (!entry.needsEvent || flushed) && !entry.notBefore.isAfter(now)) {
                return entry;
            }
        }
        return null;
    }

    /** No node fits: the pod waits for an event, unless one arrived during the attempt. */
    synchronized void rejected(Attempt attempt) {
        giveBack(attempt, events == attempt.eventsBefore());
    }

    /** The attempt failed: it is repeated after its backoff. */
    synchronized void failed(Attempt attempt) {
        giveBack(attempt, false);
    }

    private void giveBack(Attempt attempt, boolean needsEvent) {
        Entry entry = entries.get(attempt.pod().uid());
        if (entry != null) {
            Duration backoff = FIRST_BACKOFF.multipliedBy(1L << Math.min(entry.attempts - 1, 5));
            entry.notBefore = clock.instant().plus(backoff.compareTo(LONGEST_BACKOFF) > 0 ? LONGEST_BACKOFF : backoff);
            entry.needsEvent = needsEvent;
            entry.atWork = false;
            entries.remove(attempt.pod().uid());
            entries.put(attempt.pod().uid(), entry);
        }
    }
}
