package io.gpushare.insight.defrag;

import io.gpushare.extender.eviction.PodConditions;
import io.gpushare.extender.eviction.VictimCheck;
import io.gpushare.extender.ledger.ClusterState;
import io.gpushare.extender.ledger.PodEntry;
import io.gpushare.extender.pod.PodDemand;
import io.gpushare.extender.pod.SchedulingPod;
import io.gpushare.extender.search.Move;
import io.gpushare.extender.search.PodKnowledge;
import io.gpushare.kubernetes.Evictions;
import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.kubernetes.eviction.PodDetails;
import io.gpushare.model.PodRef;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the API server has said about pods during one search. Pods that were not read yet may be moved to every node.
 */
final class LearnedPods implements PodKnowledge {
    private final ClusterState state;
    private final Evictions api;
    private final PodConditions conditions;
    private final boolean budgets;
    private final Map<String, PodDetails> read = new HashMap<>();
    private final Map<String, PodDemand.Valid> demands = new HashMap<>();
    private final Set<String> spared = new HashSet<>();

    /** @param budgets whether PodDisruptionBudgets may be read, and evictions tested */
    LearnedPods(ClusterState state, Evictions api, PodConditions conditions, boolean budgets) {
        this.state = state;
        this.api = api;
        this.conditions = conditions;
        this.budgets = budgets;
    }

    @Override
    public boolean spared(String uid) {
        return spared.contains(uid);
    }

    @Override
    public PodDemand.Valid demand(PodEntry pod) {
        return demands.getOrDefault(pod.ref().uid(), pod.podDemand());
    }

    @Override
    public boolean accepts(String uid, String node) {
        @Nullable PodDetails pod = read.get(uid);
        return pod == null || conditions.admit(pod, node);
    }

    /** Whether the budgets are heeded. */
    boolean budgets() {
        return budgets;
    }

    boolean knows(Move move) {
        return read.containsKey(move.pod().uid()) || spared(move.pod().uid());
    }

    /** Reads a waiting pod, and returns why nothing can be said about it; null if something can. */
    @Nullable
    String learnWaiting(PodRef pod) throws KubernetesException {
        Optional<PodDetails> details = read(pod).filter(found -> found.node() == null);
        details.ifPresent(found -> read.put(pod.uid(), found));
        return details.isEmpty() ? "it does not wait any more" : conditions.obstacle(details.get());
    }

    /**
     * Reads the pod of that move: it stays if it may not be evicted, or if its controller's new pod can't be foreseen.
     */
    void learn(Move move) throws KubernetesException {
        String uid = move.pod().uid();
        Optional<PodDetails> details = read(move.pod())
                .filter(found -> move.from().equals(found.node())
                        && !found.preemption().mirror()
                        && !found.ended()
                        && conditions.obstacle(found) == null);
        Optional<PodDemand.Valid> demand = details.flatMap(this::successor);
        if (demand.isPresent() && evictable(move)) {
            read.put(uid, details.orElseThrow());
            demands.put(uid, demand.get());
        } else {
            spared.add(uid);
        }
    }

    private Optional<PodDetails> read(PodRef pod) throws KubernetesException {
        return api.pod(pod.namespace(), pod.name())
                .filter(found -> found.ref().uid().equals(pod.uid()) && !found.deleting());
    }

    private Optional<PodDemand.Valid> successor(PodDetails pod) {
        SchedulingPod successor = new SchedulingPod(pod.ref(), pod.priority(), pod.annotations(), pod.containers());
        return state.demand(successor) instanceof PodDemand.Valid valid ? Optional.of(valid) : Optional.empty();
    }

    /** Pods are moved one by one, so each is checked alone. */
    private boolean evictable(Move move) throws KubernetesException {
        Optional<PodEntry> pod = state.pod(move.pod().uid());
        return pod.isPresent()
                && (!budgets
                        || new VictimCheck(api).check(move.from(), List.of(pod.get()))
                                instanceof VictimCheck.Result.Clear);
    }
}
