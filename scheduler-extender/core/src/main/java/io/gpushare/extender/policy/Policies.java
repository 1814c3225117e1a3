package io.gpushare.extender.policy;

import io.gpushare.extender.pod.PodRequest;
import io.gpushare.extender.pod.PolicyKind;
import io.gpushare.extender.policy.scoring.ClusterCapacity;
import io.gpushare.extender.policy.scoring.DemandHistory;
import io.gpushare.extender.policy.scoring.Fragmentation;
import io.gpushare.extender.policy.scoring.Scoring;
import io.gpushare.extender.policy.scoring.Scorings;
import java.util.Collection;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The policies of a cluster, which learn from one history of its pods. {@link PolicyKind#ADAPTIVE} decides by one of
 * several others, which a {@link Review} chooses again and again; it begins with one that is never far from the best.
 *
 * <p>Thread-safe. Scorings are made under the lock: whoever records a pod, or asks for a policy for the first time,
 * waits while others are made. Requests for policies that were asked for do not.
 */
public final class Policies {
    /** The policies that the adaptive one chooses from, in the order in which equal ones are preferred. */
    static final List<PolicyKind> CHOICE = List.of(
            PolicyKind.WSP_KEEP,
            PolicyKind.FGD,
            PolicyKind.BINPACK,
            PolicyKind.BESTFIT,
            PolicyKind.WSP,
            PolicyKind.WSP_FGD);

    private final PolicyKind defaultKind;
    private final boolean learns;
    private final Set<PolicyKind> requested = ConcurrentHashMap.newKeySet();
    // Requests take these, and do not wait while new ones are made.
    private final Map<PolicyKind, Scoring> scorings = new ConcurrentHashMap<>();
    private final DemandHistory history = new DemandHistory();
    private final RecentPods recent = new RecentPods();
    private final PodSchedule learning = new PodSchedule(Long.MAX_VALUE);
    private final PodSchedule reviews = new PodSchedule(RecentPods.MAX_PODS);
    private ClusterCapacity capacity;
    private volatile PolicyKind chosen = CHOICE.getFirst();

    /** @param defaultKind for pods that name no policy */
    public Policies(PolicyKind defaultKind) {
        this(defaultKind, new ClusterCapacity(Map.of(), 1, 1));
    }

    /** The policies of a cluster with these cards before the first pod. */
    public Policies(PolicyKind defaultKind, ClusterCapacity capacity) {
        this(defaultKind, capacity, true);
    }

    private Policies(PolicyKind defaultKind, ClusterCapacity capacity, boolean learns) {
        this.defaultKind = defaultKind;
        this.capacity = capacity;
        this.learns = learns;
        requested.add(defaultKind);
    }

    /** A policy that knows in advance which pods will arrive, in whatever order; only the adaptive one learns more. */
    public static Policies knowing(PolicyKind kind, ClusterCapacity capacity, Collection<PodRequest> pods) {
        boolean adaptive = kind == PolicyKind.ADAPTIVE;
        Policies policies = new Policies(kind, capacity, adaptive);
        if (adaptive) {
            // As if these pods had come before: what is learned of them is of the last time that was due.
            CHOICE.forEach(policies::make);
        }
        pods.forEach(policies::learn);
        return policies;
    }

    /** The present scoring of the default policy. */
    public Scoring scoring() {
        return scoring(null);
    }

    /** The present scoring of that policy, the same object until it has learned something; of the default for null. */
    public Scoring scoring(@Nullable PolicyKind kind) {
        PolicyKind named = kind == null ? defaultKind : kind;
        requested.add(named);
        PolicyKind deciding = deciding(named);
        @Nullable Scoring present = scorings.get(deciding);
        return present == null ? make(deciding) : present;
    }

    private PolicyKind deciding(PolicyKind kind) {
        return kind == PolicyKind.ADAPTIVE ? chosen : kind;
    }

    private synchronized Scoring make(PolicyKind kind) {
        return scorings.computeIfAbsent(kind, any -> Scorings.of(kind, history, capacity));
    }

    /**
     * Lets the adaptive policy review what it decides by, if that is due and the policy is in use. Takes up to some
     * tenths of a second, during which scorings are available.
     *
     * @return the policy that decides from now on, if it is another one than before
     */
    public Optional<PolicyKind> review(Supplier<List<KnownNode>> nodes) {
        Optional<PolicyKind> better =
                due().map(review -> review.best(nodes.get())).filter(best -> best != chosen);
        better.ifPresent(best -> {
            make(best);
            chosen = best;
        });
        return better;
    }

    /** The review to be made now, if the adaptive policy is in use and enough pods have arrived since the last one. */
    synchronized Optional<Review> due() {
        if (!requested.contains(PolicyKind.ADAPTIVE) || !reviews.due(recent.arrived())) {
            return Optional.empty();
        }
        Map<PolicyKind, Scoring> choice = new LinkedHashMap<>();
        CHOICE.forEach(kind -> choice.put(kind, make(kind)));
        return Optional.of(new Review(recent.copy(), chosen, choice, capacity.cardUnits(), recent.arrived()));
    }

    /** What decides for pods that name that policy, or none for null, in words for users. */
    public String describe(@Nullable PolicyKind kind) {
        PolicyKind named = kind == null ? defaultKind : kind;
        return named == PolicyKind.ADAPTIVE ? named + ", now " + chosen : named.toString();
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

    /** Records a new pod; to be called once per pod, before its first placement. */
    public synchronized void arrived(PodRequest pod) {
        if (learns) {
            learn(capacity.expected(pod));
        }
    }

    private synchronized void learn(PodRequest pod) {
        history.add(pod);
        recent.add(pod);
        if (learning.due(recent.arrived())) {
            scorings.replaceAll((kind, before) -> kind.learns() ? Scorings.of(kind, history, capacity) : before);
        }
    }

    /**
     * Updates the cluster's cards. Takes long where these are of many kinds and pods request many sizes. What only a
     * review asked for is made again at the next one.
     */
    public synchronized void cluster(ClusterCapacity now) {
        if (!now.equals(capacity)) {
            // If one can't be made, nothing has changed, and the next call tries again.
            Map<PolicyKind, Scoring> made = new EnumMap<>(PolicyKind.class);
            requested.stream()
                    .map(this::deciding)
                    .filter(scorings::containsKey)
                    .forEach(kind -> made.put(kind, Scorings.of(kind, history, now)));
            capacity = now;
            scorings.keySet().retainAll(made.keySet());
            scorings.putAll(made);
        }
    }
}
