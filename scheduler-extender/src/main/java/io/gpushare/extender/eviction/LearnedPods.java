package io.gpushare.extender.eviction;

import io.gpushare.extender.defrag.Move;
import io.gpushare.extender.defrag.PodKnowledge;
import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.ledger.PodEntry;
import io.gpushare.extender.pod.PodDemand;
import io.gpushare.extender.pod.SchedulingPod;
import io.gpushare.kubernetes.Evictions;
import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.kubernetes.eviction.PodDetails;
import io.gpushare.model.PodRef;
import io.gpushare.model.node.NodeFacts;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What the API server has said about pods during one search. Pods that were not read yet may be moved to every node. */
final class LearnedPods implements PodKnowledge {
    private final Ledger ledger;
    private final Evictions api;
    private final VictimCheck check;
    private final PodConditions conditions;
    private final Function<String, @Nullable NodeFacts> nodes;
    private final boolean budgets;
    private final Map<String, PodDetails> read = new HashMap<>();
    private final Map<String, PodDemand.Valid> demands = new HashMap<>();
    private final Set<String> spared = new HashSet<>();

    /** @param budgets whether PodDisruptionBudgets may be read, and evictions tested */
    LearnedPods(
            Ledger ledger,
            Evictions api,
            PodConditions conditions,
            Function<String, @Nullable NodeFacts> nodes,
            boolean budgets) {
        this.ledger = ledger;
        this.api = api;
        this.check = new VictimCheck(api);
        this.conditions = conditions;
        this.nodes = nodes;
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
        @Nullable NodeFacts facts = nodes.apply(node);
        return pod == null || (facts != null && pod.requirements().rules().admit(facts));
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
        Optional<PodDetails> details = api.pod(pod.namespace(), pod.name())
                .filter(found -> found.ref().uid().equals(pod.uid()) && found.node() == null && !found.deleting());
        if (details.isEmpty()) {
            return "it does not wait any more";
        }
        read.put(pod.uid(), details.get());
        return conditions.obstacle(details.get());
    }

    /** Reads the pod of that move: it stays if it may not be evicted, or if its controller's new pod can't be foreseen. */
    void learn(Move move) throws KubernetesException {
        PodRef pod = move.pod();
        Optional<PodDetails> details = api.pod(pod.namespace(), pod.name())
                .filter(found -> found.ref().uid().equals(pod.uid())
                        && move.from().equals(found.node())
                        && !found.preemption().mirror()
                        && !found.deleting()
                        && !found.ended()
                        && conditions.obstacle(found) == null);
        Optional<PodDemand.Valid> demand = details.flatMap(this::successor);
        Optional<PodEntry> entry = ledger.podEntry(pod.uid());
        if (demand.isEmpty() || entry.isEmpty() || protectedNow(entry.get(), move.from())) {
            spared.add(pod.uid());
        } else {
            read.put(pod.uid(), details.get());
            demands.put(pod.uid(), demand.get());
        }
    }

    private Optional<PodDemand.Valid> successor(PodDetails pod) {
        SchedulingPod successor = new SchedulingPod(pod.ref(), pod.priority(), pod.annotations(), pod.containers());
        return ledger.demand(successor) instanceof PodDemand.Valid valid ? Optional.of(valid) : Optional.empty();
    }

    /** Pods are moved one by one, so each is checked alone. */
    private boolean protectedNow(PodEntry pod, String node) throws KubernetesException {
        return budgets && !(check.check(node, List.of(pod)) instanceof VictimCheck.Result.Clear);
    }
}
