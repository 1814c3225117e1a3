package io.gpushare.extender.cluster;

import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.model.PodRef;
import io.gpushare.model.pod.PodState;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Whether the ledger has every pod that was bound when a term began. The informers' own lists and watches may come from
 * a cache of the API server that lags, so one fresh list of all bound pods shows which are missing. Usually the
 * informer shows those within milliseconds. A pod that ended or was deleted meanwhile is never shown: pods that stay
 * missing are read one by one, less and less often.
 */
final class CatchUp {
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);
    private static final int READS = 50;

    /** The bound pods in the API. */
    interface BoundPods {
        /** Passes each pod that is bound and has not ended, from a fresh list. */
        void each(Consumer<PodState> consumer) throws KubernetesException;

        /** The pod as it is now; empty if there is none. */
        Optional<PodState> read(PodRef pod) throws KubernetesException;
    }

    private final BoundPods pods;
    private final Predicate<PodState> known;
    // Null until they have been listed.
    private @Nullable Deque<PodState> missing;
    private Duration pause = FIRST_PAUSE;
    private boolean called;
    private long due;

    /** @param known whether the ledger is as new as that pod */
    CatchUp(BoundPods pods, Predicate<PodState> known) {
        this.pods = pods;
        this.known = known;
    }

    /**
     * Whether no pod is missing any more. Blocks on calls to the API server, but makes few of them, however often this
     * is called.
     *
     * @param nanos the time now, as of {@link io.gpushare.time.Machine#nanos}
     */
    boolean complete(long nanos) throws KubernetesException {
        @Nullable Deque<PodState> left = missing;
        if (left != null) {
            left.removeIf(known);
        }
        if (due(nanos, left)) {
            left = left == null ? list() : read(left);
            missing = left;
        }
        return left != null && left.isEmpty();
    }

    private boolean due(long nanos, @Nullable Deque<PodState> left) {
        if ((left != null && left.isEmpty()) || (called && nanos - due < 0)) {
            return false;
        }
        called = true;
        due = nanos + pause.toNanos();
        Duration next = pause.multipliedBy(2);
        pause = next.compareTo(LONGEST_PAUSE) < 0 ? next : LONGEST_PAUSE;
        return true;
    }

    private Deque<PodState> list() throws KubernetesException {
        Deque<PodState> found = new ArrayDeque<>();
        pods.each(pod -> {
            if (!known.test(pod)) {
                found.add(pod);
            }
        });
        return found;
    }

    /** Drops the pods that are bound no more, and moves the others to the end. */
    private Deque<PodState> read(Deque<PodState> left) throws KubernetesException {
        for (int count = Math.min(READS, left.size()); count > 0; count--) {
            PodRef ref = left.getFirst().ref();
            Optional<PodState> now = pods.read(ref);
            left.removeFirst();
            now.filter(pod -> pod.ref().uid().equals(ref.uid()) && !known.test(pod))
                    .ifPresent(left::addLast);
        }
        return left;
    }
}
