package io.gpushare.simulation.lifetimes;

import io.gpushare.simulation.cluster.SimulatedPod;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * kube-scheduler's queue: pods of equal priority, first those that were queued first. A pod that fits no node waits until
 * another one ends, and at least its backoff of 1 s to 10 s; it is then queued as of its last attempt. kube-scheduler also
 * retries after five minutes without an event, which finds nothing new here.
 */
final class PodQueue {
    private static final long LONGEST_BACKOFF = 10;

    /** A pod that has no node. */
    static final class Waiting {
        private final SimulatedPod pod;
        private final long created;
        private final long duration;
        private final int number;
        private long queued;
        private long notBefore;
        private int attempts;

        Waiting(SimulatedPod pod, long created, long duration, int number) {
            this.pod = pod;
            this.created = created;
            this.duration = duration;
            this.number = number;
            this.queued = created;
        }

        SimulatedPod pod() {
            return pod;
        }

        long created() {
            return created;
        }

        long duration() {
            return duration;
        }

        /** Whether it has been tried before. */
        boolean tried() {
            return attempts > 0;
        }
    }

    private final PriorityQueue<Waiting> active = new PriorityQueue<>(
            Comparator.<Waiting>comparingLong(pod -> pod.queued).thenComparingInt(pod -> pod.number));
    private final PriorityQueue<Waiting> backingOff = new PriorityQueue<>(
            Comparator.<Waiting>comparingLong(pod -> pod.notBefore).thenComparingInt(pod -> pod.number));
    private final List<Waiting> unschedulable = new ArrayList<>();

    void add(Waiting pod) {
        active.add(pod);
    }

    /** The next pod to try; null if there is none at that time. */
    @Nullable
    Waiting poll(long now) {
        while (!backingOff.isEmpty() && backingOff.element().notBefore <= now) {
            active.add(backingOff.remove());
        }
        return active.poll();
    }

    /** When the next backoff ends; the largest number if none does. */
    long nextBackoff() {
        return backingOff.isEmpty() ? Long.MAX_VALUE : backingOff.element().notBefore;
    }

    /** No node fits the pod. */
    void rejected(Waiting pod, long now) {
        pod.queued = now;
        pod.notBefore = now + Math.min(LONGEST_BACKOFF, 1L << Math.min(pod.attempts, 8));
        pod.attempts++;
        unschedulable.add(pod);
    }

    /** A pod has ended: all others may fit. */
    void freed() {
        backingOff.addAll(unschedulable);
        unschedulable.clear();
    }

    /** The number of pods that fitted no node at their last attempt. */
    int waiting() {
        return unschedulable.size() + backingOff.size();
    }
}
