package io.gpushare.extender.policy;

import io.gpushare.extender.capacity.ClusterCapacity;
import io.gpushare.extender.capacity.FreeNode;
import io.gpushare.extender.capacity.PodRequest;
import io.gpushare.extender.policy.scoring.DemandHistory;
import io.gpushare.extender.policy.scoring.Fragmentation;
import io.gpushare.extender.policy.scoring.Scoring;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The policies of a running cluster, each of which learns from the same pods. Thread-safe. Scorings are made under the
 * lock: whoever records a pod, or asks for a policy for the first time, waits while others are made. Requests for
 * policies that were asked for do not.
 */
public final class Policies {
    private ClusterCapacity capacity = new ClusterCapacity(Map.of(), 1, 1);
    private final PolicyKind defaultKind;
    private final Map<PolicyKind, Policy> policies = new EnumMap<>(PolicyKind.class);
    private final AdaptivePolicy adaptive;
    private final DemandHistory history = new DemandHistory();
    // The scorings that were asked for: requests take these, and do not wait while new ones are made.
    private final Map<PolicyKind, Scoring> made = new ConcurrentHashMap<>();

    /** @param defaultKind for pods that name no policy; of those that are not offered, only this one is known */
    public Policies(PolicyKind defaultKind) {
        this.defaultKind = defaultKind;
        PolicyKind.offered().forEach(kind -> policies.put(kind, kind.fromNothing(capacity)));
        adaptive = new AdaptivePolicy(capacity);
        policies.put(PolicyKind.ADAPTIVE, adaptive);
        policies.computeIfAbsent(defaultKind, kind -> kind.fromNothing(capacity));
    }

    /** The present scoring of that policy; of the default policy for null. */
    public Scoring scoring(@Nullable PolicyKind kind) {
        PolicyKind named = kind == null ? defaultKind : kind;
        @Nullable Scoring present = made.get(named);
        return present == null ? first(named) : present;
    }

    private synchronized Scoring first(PolicyKind kind) {
        @Nullable Policy policy = policies.get(kind);
        if (policy == null) {
            throw new IllegalArgumentException(kind + " is not a policy for a running cluster");
        }
        Scoring scoring = policy.scoring();
        made.put(kind, scoring);
        return scoring;
    }

    private void makeAgain() {
        made.replaceAll(
                (kind, before) -> Objects.requireNonNull(policies.get(kind)).scoring());
    }

    /**
     * Lets the adaptive policy review what it decides by, if that is due and the policy is in use. Takes up to some
     * tenths of a second, during which scorings are available.
     *
     * @return the policy that decides from now on, if it is another one than before
     */
    public Optional<PolicyKind> review(Supplier<List<FreeNode>> nodes) {
        Optional<Review> due;
        synchronized (this) {
            due = made.containsKey(PolicyKind.ADAPTIVE) ? adaptive.due() : Optional.empty();
        }
        if (due.isEmpty()) {
            return Optional.empty();
        }
        PolicyKind best = due.get().best(nodes.get());
        synchronized (this) {
            boolean changed = best != adaptive.present();
            adaptive.use(best);
            makeAgain();
            return changed ? Optional.of(best) : Optional.empty();
        }
    }

    /** What decides for pods that name that policy, or none for null, in words for users. */
    public synchronized String describe(@Nullable PolicyKind kind) {
        PolicyKind named = kind == null ? defaultKind : kind;
        return named == PolicyKind.ADAPTIVE ? named + ", now " + adaptive.present() : named.toString();
    }

    /** How usable the free memory is for the pods seen so far. */
    public Fragmentation fragmentation() {
        Map<PodRequest, Double> kinds;
        // Filter needs this lock too: the sorting is done outside.
        synchronized (this) {
            kinds = Map.copyOf(history.kinds());
        }
        return Fragmentation.of(kinds);
    }

    /** Records a new pod; to be called once per pod. */
    public synchronized void arrived(PodRequest requested) {
        PodRequest pod = capacity.expected(requested);
        history.add(pod);
        policies.values().forEach(policy -> policy.arrived(pod));
        makeAgain();
    }

    /** Updates the cluster's cards. Takes long where these are of many kinds and pods request many sizes. */
    public synchronized void cluster(ClusterCapacity now) {
        capacity = now;
        policies.values().forEach(policy -> policy.cluster(now));
        makeAgain();
    }
}
