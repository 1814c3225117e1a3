package io.gpushare.extender.preemption;

import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.placement.Placer;
import io.gpushare.extender.pod.PodDemand;
import io.gpushare.extender.pod.SchedulingPod;
import io.gpushare.extender.search.ClusterSearch;
import io.gpushare.extender.search.Departure;
import io.gpushare.extender.search.Harm;
import io.gpushare.extender.search.Plan;
import io.gpushare.extender.search.Question;
import io.gpushare.model.PodRef;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The verb preempt: kube-scheduler names candidate nodes and, on each, the victims by the sums that it knows. This adds
 * victims until the preemptor finds its cards.
 *
 * <p>kube-scheduler's own victims stay: they may be chosen for CPU, a port or an affinity. {@link ClusterSearch} finds
 * the others among pods of lower priority that the API shows bound to the node; kube-scheduler knows no others, and
 * would reject the whole response. Where this extender would evict fewer pods or less important ones, it returns no
 * node.
 *
 * <p>kube-scheduler 1.20 to 1.20.10 and 1.21 to 1.21.4 never call extenders for preemption (kubernetes issue 102971).
 * Nodes without victims reach extenders only since PR 135486.
 */
public final class Preemption {
    private final Placer placer;
    private final Ledger ledger;
    private final PreemptionMode mode;
    private final Predicate<PodRef> evicts;

    /** kube-scheduler only evicts. */
    public Preemption(Placer placer) {
        this(placer, PreemptionMode.SCHEDULER, _ -> false);
    }

    /** @param evicts whether this extender will evict pods for that pod if kube-scheduler does not */
    public Preemption(Placer placer, PreemptionMode mode, Predicate<PodRef> evicts) {
        this.placer = placer;
        this.ledger = placer.ledger();
        this.mode = mode;
        this.evicts = evicts;
    }

    /**
     * The victims by node, in the order of the candidates, without the nodes on which no eviction helps. It is empty if
     * the pod fits a candidate without eviction: kube-scheduler accepts no node without victims, so it retries the pod
     * instead of evicting elsewhere.
     */
    public Map<String, Victims> preempt(SchedulingPod pod, Map<String, Victims> candidates) {
        return switch (ledger.demand(pod)) {
            case PodDemand.NoGpu _ -> new LinkedHashMap<>(candidates);
            case PodDemand.Invalid _ -> Map.of();
            case PodDemand.Valid valid ->
                switch (mode) {
                    case OFF -> Map.of();
                    case SCHEDULER -> preempt(pod, valid, candidates);
                    case AUTO -> {
                        Map<String, Victims> victims = preempt(pod, valid, candidates);
                        yield betterEvicted(pod, valid, victims) ? Map.of() : victims;
                    }
                };
        };
    }

    /**
     * Whether this extender can do with evictions of lower priority, or fewer of them: kube-scheduler's victims stem
     * from sums per node. It can't be given other victims, since it would not heed their disruption budgets.
     */
    private boolean betterEvicted(SchedulingPod pod, PodDemand.Valid demand, Map<String, Victims> victims) {
        if (victims.isEmpty() || pod.traits().relations() || !evicts.test(pod.ref())) {
            return false;
        }
        // kube-scheduler may ask about a new pod before this extender's watch shows it.
        Question question = Question.eviction(pod.ref(), pod.priority(), demand, victims::containsKey, Set.of());
        return new ClusterSearch(placer, question).plan() instanceof Plan.Leave(List<Departure> departures)
                && victims.values().stream()
                        .map(this::harm)
                        .allMatch(theirs -> less(departures.getFirst().harm(), theirs));
    }

    private static boolean less(Harm ours, Harm theirs) {
        return ours.highest() < theirs.highest() || (ours.highest() == theirs.highest() && ours.pods() < theirs.pods());
    }

    /** The harm to the pods with cards. */
    private Harm harm(Victims victims) {
        return Harm.sum(victims.uids().stream()
                .flatMap(uid -> ledger.podEntry(uid).stream())
                .map(entry -> Harm.ofEviction(entry.priority(), 0))
                .toList());
    }

    private Map<String, Victims> preempt(SchedulingPod pod, PodDemand.Valid demand, Map<String, Victims> candidates) {
        ClusterSearch search = new ClusterSearch(placer, Question.preemption(pod.ref(), pod.priority(), demand));
        Map<String, Victims> victimsByNode = new LinkedHashMap<>();
        for (Map.Entry<String, Victims> candidate : candidates.entrySet()) {
            Victims chosen = candidate.getValue();
            Optional<Victims> victims = search.onNode(candidate.getKey(), chosen.uids())
                    .map(more -> new Victims(inOrder(chosen.uids(), more), chosen.pdbViolations()));
            if (victims.isPresent() && victims.get().uids().isEmpty()) {
                return Map.of();
            }
            victims.ifPresent(found -> victimsByNode.put(candidate.getKey(), found));
        }
        return victimsByNode;
    }

    /** Inserts each before the first with a known lower priority: the priority of pods without GPU is unknown. */
    private List<String> inOrder(List<String> chosen, List<String> more) {
        List<String> all = new ArrayList<>(chosen);
        for (String uid : more) {
            int at = 0;
            while (at < all.size() && priority(all.get(at)) >= priority(uid)) {
                at++;
            }
            all.add(at, uid);
        }
        return all;
    }

    private int priority(String uid) {
        return ledger.podEntry(uid).map(entry -> entry.priority().value()).orElse(Integer.MAX_VALUE);
    }
}
