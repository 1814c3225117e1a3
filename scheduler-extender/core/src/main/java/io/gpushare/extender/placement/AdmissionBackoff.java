package io.gpushare.extender.placement;

import io.gpushare.model.PodRef;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Backs off from nodes whose kubelet rejects pods soon after this extender bound them. After a rejection the node gets
 * no pod for some seconds, then one at a time, each after twice the delay, until one is admitted. It holds for pods of
 * the same namespace: a user whose pods no kubelet admits takes no node from others. Thread-safe.
 */
public final class AdmissionBackoff {
    static final Duration FIRST = Duration.ofSeconds(5);
    static final Duration LONGEST = Duration.ofMinutes(5);
    /** A later rejection is not of the bind: after a reboot, kubelets reject pods that ran before. */
    static final Duration SOON = Duration.ofSeconds(60);

    static final int MOST_PODS = 10_000;
    static final int MOST_BACKOFFS = 4096;

    private record BoundPod(String namespace, String node, long at) {}

    private record Key(String namespace, String node) {}

    /**
     * The state after at least one rejection.
     *
     * @param since the time of the last rejection that counted
     * @param until the time from which the node may get one pod
     */
    private record Backoff(long since, long until, Duration delay) {}

    private final LongSupplier nanos;
    private final AtomicLong rejections = new AtomicLong();
    // Both in the order of their last change.
    private final Map<String, BoundPod> bound = new LinkedHashMap<>();
    private final Map<Key, Backoff> backoffs = new LinkedHashMap<>();

    /** @param nanos a monotonic clock */
    public AdmissionBackoff(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** The nodes that get no pod of that namespace now. */
    public synchronized Set<String> closedFor(String namespace) {
        if (backoffs.isEmpty()) {
            return Set.of();
        }
        long now = nanos.getAsLong();
        return backoffs.entrySet().stream()
                .filter(each -> each.getKey().namespace().equals(namespace)
                        && each.getValue().until() - now > 0)
                .map(each -> each.getKey().node())
                .collect(Collectors.toUnmodifiableSet());
    }

    /** Whether the pod may be bound to the node now. After rejections only one pod may be bound in each delay. */
    public synchronized boolean admits(PodRef pod, String node) {
        Key key = new Key(pod.namespace(), node);
        @Nullable Backoff backoff = backoffs.get(key);
        if (backoff == null) {
            return true;
        }
        long now = nanos.getAsLong();
        if (backoff.until() - now > 0) {
            return false;
        }
        put(key, new Backoff(backoff.since(), now + backoff.delay().toNanos(), backoff.delay()));
        return true;
    }

    /** The pod was bound to the node. */
    public synchronized void bound(PodRef pod, String node) {
        long now = nanos.getAsLong();
        bound.remove(pod.uid());
        bound.put(pod.uid(), new BoundPod(pod.namespace(), node, now));
        for (Iterator<BoundPod> eldest = bound.values().iterator();
                eldest.hasNext() && (now - eldest.next().at() > SOON.toNanos() || bound.size() > MOST_PODS); ) {
            eldest.remove();
        }
    }

    /** Whether the pod was bound just now, and its kubelet has neither admitted nor rejected it. */
    public synchronized boolean awaits(String podUid) {
        return bound.containsKey(podUid);
    }

    /** The kubelet has admitted the pod: if it was bound just now, its node admits pods again. */
    public synchronized void admitted(String podUid) {
        @Nullable BoundPod pod = bound.remove(podUid);
        if (pod != null && !backoffs.isEmpty()) {
            backoffs.keySet().removeIf(key -> key.node().equals(pod.node()));
        }
    }

    /** The kubelet has rejected the pod: if it was bound just now, the extender backs off. */
    public synchronized void rejected(String podUid) {
        @Nullable BoundPod pod = bound.remove(podUid);
        long now = nanos.getAsLong();
        if (pod == null || now - pod.at() > SOON.toNanos()) {
            return;
        }
        rejections.incrementAndGet();
        Key key = new Key(pod.namespace(), pod.node());
        @Nullable Backoff before = backoffs.get(key);
        // Pods that were bound before the last rejection was known are one failure with it.
        if (before == null || pod.at() - before.since() >= 0) {
            Duration delay = before == null ? FIRST : longer(before.delay());
            put(key, new Backoff(now, now + delay.toNanos(), delay));
        }
    }

    private static Duration longer(Duration delay) {
        Duration twice = delay.multipliedBy(2);
        return twice.compareTo(LONGEST) < 0 ? twice : LONGEST;
    }

    /** Puts it last, and drops what is beyond the limit or has had no rejection for long. */
    private void put(Key key, Backoff now) {
        backoffs.remove(key);
        backoffs.put(key, now);
        long old = now.until() - LONGEST.multipliedBy(3).toNanos();
        backoffs.values().removeIf(each -> each.until() - old < 0);
        if (backoffs.size() > MOST_BACKOFFS) {
            backoffs.remove(backoffs.keySet().iterator().next());
        }
    }

    /** The pod is gone. */
    public synchronized void forget(String podUid) {
        bound.remove(podUid);
    }

    /** The number of pods that a kubelet rejected soon after their bind. */
    public long rejections() {
        return rejections.get();
    }

    /** The number of nodes that get no pod of some namespace now. */
    public synchronized int closed() {
        long now = nanos.getAsLong();
        return (int) backoffs.entrySet().stream()
                .filter(each -> each.getValue().until() - now > 0)
                .map(each -> each.getKey().node())
                .distinct()
                .count();
    }
}
