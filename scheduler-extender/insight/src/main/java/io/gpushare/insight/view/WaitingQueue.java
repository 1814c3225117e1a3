package io.gpushare.insight.view;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.gpushare.extender.feasibility.Reason;
import io.gpushare.extender.ledger.ClusterState;
import io.gpushare.extender.ledger.NodeEntry;
import io.gpushare.extender.ledger.PodEntry;
import io.gpushare.extender.pod.NodeDemand;
import io.gpushare.extender.pod.PodDemand;
import io.gpushare.extender.pod.WaitingPod;
import io.gpushare.insight.report.Explainer;
import io.gpushare.insight.report.Phrases;
import io.gpushare.model.Demand;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.ledger.NodeCards;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The waiting pods.
 *
 * @param count the number of all waiting pods
 * @param demands a limited number of their demands, each with the reasons that keep it from being placed
 * @param pods those with the highest priority, then the oldest; a limited number
 */
public record WaitingQueue(int count, List<Requested> demands, List<Pod> pods) {
    static final WaitingQueue EMPTY = new WaitingQueue(0, List.of(), List.of());
    private static final int MOST_PODS = 500;
    private static final int MOST_DEMANDS = 100;

    /**
     * What a pod requests, and which nodes can take it.
     *
     * @param wholeCards cards or MIG instances
     * @param profile of the instances; null for cards
     * @param inPart whether kube-scheduler alone can tell whether the claims may have the cards of these nodes
     */
    public record Requested(
            String text,
            int units,
            int sharedCards,
            int wholeCards,
            @Nullable String profile,
            int feasibleNodes,
            boolean inPart,
            List<ReasonCount> reasons) {
        static Requested of(NodeDemand requested, Explainer.Tally tally, @Nullable MemoryUnit unit) {
            Demand demand = requested.cards();
            return new Requested(
                    Phrases.of(demand, unit) + Phrases.of(requested.nodes()),
                    demand.share().units(),
                    demand.sharedCards(),
                    demand.wholeCards(),
                    demand.containers().stream()
                            .flatMap(container -> Stream.ofNullable(container.profile()))
                            .findFirst()
                            .orElse(null),
                    tally.feasible(),
                    demand.inPart(),
                    ReasonCount.of(tally.reasons()));
        }
    }

    /**
     * A waiting pod.
     *
     * @param fault why it is invalid; null if it is valid
     * @param demand the index of what it requests; null if that is not in the list
     * @param group its PodGroup; null for none
     */
    public record Pod(
            @JsonUnwrapped PodRef pod,
            int priority,
            Instant created,
            @Nullable String fault,
            @Nullable Integer demand,
            @Nullable String group) {}

    static WaitingQueue of(ClusterState state) {
        List<WaitingPod> all = state.waitingPods();
        @Nullable
        MemoryUnit unit = NodeCards.commonUnit(state.entries().values().stream().map(NodeEntry::cards));
        Map<NodeDemand, Integer> numbers = new HashMap<>();
        List<Requested> demands = new ArrayList<>();
        List<Pod> pods = new ArrayList<>();
        for (WaitingPod pod : all.subList(0, Math.min(all.size(), MOST_PODS))) {
            @Nullable NodeDemand demand = pod.demand() instanceof PodDemand.Valid valid ? valid.onNode() : null;
            if (demand != null && demands.size() < MOST_DEMANDS && !numbers.containsKey(demand)) {
                numbers.put(demand, demands.size());
                demands.add(Requested.of(demand, Explainer.tally(state, demand), unit));
            }
            pods.add(new Pod(
                    pod.ref(),
                    pod.priority().value(),
                    pod.priority().created(),
                    pod.demand() instanceof PodDemand.Invalid(String sentence) ? sentence : null,
                    demand == null ? null : numbers.get(demand),
                    state.pod(pod.ref().uid()).map(PodEntry::group).orElse(null)));
        }
        return new WaitingQueue(all.size(), demands, pods);
    }

    /** A reason that keeps that many nodes from taking a pod. */
    public record ReasonCount(@JsonUnwrapped Reason reason, int nodes) {
        /** The reasons, the most common first. */
        static List<ReasonCount> of(Map<Reason, Integer> reasons) {
            return reasons.entrySet().stream()
                    .map(each -> new ReasonCount(each.getKey(), each.getValue()))
                    .sorted(Comparator.comparingInt(ReasonCount::nodes)
                            .reversed()
                            .thenComparing(each -> each.reason().label()))
                    .toList();
        }
    }
}
