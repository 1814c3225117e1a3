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
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The policies of a running cluster, each of which learns from the same pods. Thread-safe. */
public final class Policies {
    private ClusterCapacity capacity = new ClusterCapacity(Map.of(), 1, 1);
    private final PolicyKind defaultKind;
    private final Map<PolicyKind, Policy> policies = new EnumMap<>(PolicyKind.class);
    private final AdaptivePolicy adaptive;
    private final DemandHistory history = new DemandHistory();
    private boolean adaptiveAsked;

    /** @param defaultKind for pods that name no policy; of those that are not offered, only this one is known */
    public Policies(PolicyKind defaultKind) {
        this.defaultKind = defaultKind;
        PolicyKind.offered().forEach(kind -> policies.put(kind, kind.fromNothing(capacity)));
        adaptive = new AdaptivePolicy(capacity);
        policies.put(PolicyKind.ADAPTIVE, adaptive);
        policies.computeIfAbsent(defaultKind, kind -> kind.fromNothing(capacity));
    }

    /** The present scoring of that policy; of the default policy for null. */
    public synchronized Scoring scoring(@Nullable PolicyKind kind) {
        @Nullable Policy policy = policies.get(kind == null ? defaultKind : kind);
        adaptiveAsked |= policy == adaptive;
        if (policy == null) {
            throw new IllegalArgumentException(kind + " is not a policy for a running cluster");
        }
        return policy.scoring();
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
            due = adaptiveAsked ? adaptive.due() : Optional.empty();
        }
        if (due.isEmpty()) {
            return Optional.empty();
        }
        PolicyKind best = due.get().best(nodes.get());
        synchronized (this) {
            boolean changed = best != adaptive.present();
            adaptive.use(best);
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
    }

    /** Updates the cluster's cards. */
    public synchronized void cluster(ClusterCapacity now) {
        capacity = now;
        policies.values().forEach(policy -> policy.cluster(now));
    }
}
