package io.gpushare.extender.policy;

import io.gpushare.extender.capacity.ClusterCapacity;
import io.gpushare.extender.capacity.FreeNode;
import io.gpushare.extender.capacity.PodRequest;
import io.gpushare.extender.policy.scoring.Scoring;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The policy that suits the cluster best so far: it decides by one of several others, and a {@link Review} chooses that
 * one again after 1, 2, 4 and 8 pods, and from then on after a quarter more, at least after every 500. It begins with
 * {@link PolicyKind#WSP_KEEP}, which is never far from the best.
 */
final class AdaptivePolicy implements Policy {
    /** The policies to choose from, in the order in which equal ones are preferred. */
    static final List<PolicyKind> KINDS = List.of(
            PolicyKind.WSP_KEEP,
            PolicyKind.FGD,
            PolicyKind.BINPACK,
            PolicyKind.BESTFIT,
            PolicyKind.WSP,
            PolicyKind.WSP_FGD);

    private final Map<PolicyKind, Policy> policies = new EnumMap<>(PolicyKind.class);
    private final RecentPods recent = new RecentPods();
    private ClusterCapacity capacity;
    private PolicyKind present = KINDS.getFirst();
    private long pods;
    private long next = 1;

    AdaptivePolicy(ClusterCapacity capacity) {
        this.capacity = capacity;
        KINDS.forEach(kind -> policies.put(kind, kind.fromNothing(capacity)));
    }

    /** The policy that decides now. */
    PolicyKind present() {
        return present;
    }

    @Override
    public Scoring scoring() {
        return scoring(present);
    }

    private Scoring scoring(PolicyKind kind) {
        return policies.getOrDefault(kind, Policy.fixed(candidate -> 0)).scoring();
    }

    @Override
    public void arrived(PodRequest pod) {
        policies.values().forEach(policy -> policy.arrived(pod));
        recent.add(pod);
        pods++;
    }

    @Override
    public void cluster(ClusterCapacity now) {
        capacity = now;
        policies.values().forEach(policy -> policy.cluster(now));
    }

    /** The review to be made now, if enough pods have arrived since the last one. */
    Optional<Review> due() {
        if (pods < next) {
            return Optional.empty();
        }
        next = pods < 8 ? pods * 2 : pods + Math.min(RecentPods.MAX_PODS, (pods + 3) / 4);
        Map<PolicyKind, Scoring> scorings = new LinkedHashMap<>();
        KINDS.forEach(kind -> scorings.put(kind, scoring(kind)));
        return Optional.of(new Review(recent.copy(), present, scorings, capacity.cardUnits(), pods));
    }

    /** Decides by that policy from now on. */
    void use(PolicyKind kind) {
        present = kind;
    }

    @Override
    public void review(Supplier<List<FreeNode>> nodes) {
        due().ifPresent(review -> use(review.best(nodes.get())));
    }
}
