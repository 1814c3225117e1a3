package io.gpushare.extender.report;

import io.gpushare.extender.feasibility.DemandSummary;
import io.gpushare.extender.feasibility.Reason;
import io.gpushare.model.Allocation;
import io.gpushare.model.Demand;
import io.gpushare.model.PodRef;
import io.gpushare.model.Share;
import io.gpushare.model.ledger.NodeCards;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What filter would say of a pod now, for people. */
public sealed interface Explanation {
    PodRef pod();

    /** It is on a node; {@code allocation} is null where nothing right says on which card. */
    record Bound(PodRef pod, String node, @Nullable Allocation allocation) implements Explanation {}

    /** It has ended, and holds nothing. */
    record Ended(PodRef pod) implements Explanation {}

    /** It asks for neither resource: it fits everywhere as far as cards are concerned. */
    record NoDemand(PodRef pod) implements Explanation {}

    /** What is written on it is wrong, and no node will do. */
    record Wrong(PodRef pod, String sentence) implements Explanation {}

    /**
     * It asks for cards, and each node was looked at.
     *
     * @param nodes first those that would do, the policy's choice before the others; then those that lack least
     */
    record Judged(PodRef pod, Demand demand, List<NodeVerdict> nodes) implements Explanation {
        public Judged {
            Objects.requireNonNull(demand);
            nodes = List.copyOf(nodes);
        }

        /** How many nodes would do. */
        public int feasible() {
            return (int) nodes.stream().filter(node -> node.why() == null).count();
        }

        /** How many nodes each reason keeps from taking it, in the order of the nodes. */
        public Map<Reason, Integer> reasons() {
            Map<Reason, Integer> count = new LinkedHashMap<>();
            for (NodeVerdict node : nodes) {
                if (node.why() != null) {
                    count.merge(node.why(), 1, Integer::sum);
                }
            }
            return count;
        }
    }

    /**
     * One node for that pod.
     *
     * @param why null if it would do
     * @param chosen whether it is the policy's choice of all nodes
     * @param cards the node's cards, without what the pod itself may hold there
     */
    record NodeVerdict(String node, @Nullable Reason why, boolean chosen, DemandSummary ask, NodeCards cards) {
        /** The same, card by card. */
        public List<CardVerdict> eachCard() {
            return cards.cards().stream()
                    .map(state -> CardVerdict.of(ask, state, cards.inventory()))
                    .toList();
        }

        /** How much it has to offer, to tell near misses from far ones: free units of its best card, and free cards. */
        long offers() {
            return ask.split() > 0
                    ? cards.cards().stream()
                            .filter(state -> ask.selector()
                                    .matches(state.card(), cards.inventory().driver()))
                            .mapToLong(state -> state.free().units())
                            .max()
                            .orElse(0)
                    : cards.cards().stream()
                            .filter(state -> state.offers(Share.WHOLE_CARD))
                            .count();
        }
    }
}
