package io.gpushare.insight.report;

import io.gpushare.extender.feasibility.Reason;
import io.gpushare.extender.ledger.ClusterState;
import io.gpushare.extender.ledger.NodeEntry;
import io.gpushare.insight.scaleup.ScaleUp;
import io.gpushare.model.Allocation;
import io.gpushare.model.Demand;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.ledger.CardVerdict;
import io.gpushare.model.ledger.Nearest;
import io.gpushare.model.ledger.NodeCards;
import io.gpushare.model.ledger.Verdict;
import io.gpushare.model.node.NodeFacts;
import io.gpushare.model.pod.PodState;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The result of a dry run of filter for one pod, for users. */
public sealed interface Explanation {
    PodRef pod();

    /**
     * The pod is bound.
     *
     * @param demand null if its resources or annotations are invalid
     * @param allocation null if no accepted annotation names its cards
     * @param notStarted why its node does not start it, as a sentence without a full stop; null if it does
     * @param leaving whether it is being deleted; its cards are free when its containers have ended
     */
    record Bound(
            PodRef pod,
            String node,
            @Nullable Demand demand,
            @Nullable Allocation allocation,
            @Nullable String notStarted,
            @Nullable Leaving leaving)
            implements Explanation {}

    /** A pod that is being deleted, with a sentence that says by when, or who should have ended it. */
    record Leaving(PodRef pod, String sentence) implements Explanation {}

    /**
     * Scheduling gates hold the pod: it does not wait for a card yet.
     *
     * @param unit that of all nodes with cards; null if it differs
     */
    record Gated(
            PodRef pod,
            Demand demand,
            List<String> gates,
            @Nullable MemoryUnit unit) implements Explanation {
        public Gated {
            gates = List.copyOf(gates);
        }
    }

    /**
     * A pod as the API server has it, and its explanation.
     *
     * @param on its node as of the explanation; null for none
     */
    record OfPod(PodState pod, Explanation explanation, ClusterState.@Nullable NodeView on) {}

    /** The pod has ended and holds no cards; {@code rejection} says why its kubelet did not admit it, if so. */
    record Ended(PodRef pod, @Nullable String rejection) implements Explanation {}

    /**
     * The pod requests no GPU: it fits every node as far as cards are concerned.
     *
     * @param meant what its resources may have been meant for, as a sentence; null if nothing suggests it
     */
    record NoDemand(PodRef pod, @Nullable String meant) implements Explanation {}

    /** The pod's resources or annotations are invalid, so no node fits. */
    record Invalid(PodRef pod, String sentence) implements Explanation {}

    /**
     * The pod requests cards, and every node was evaluated.
     *
     * @param policy what chooses among the nodes, in words
     * @param scaleUp which new nodes would let the pod run; null if it fits now or when pods have gone that are being
     *     deleted, if no one kind is enough for its group, or if nobody asked
     * @param gang whether a node is feasible and other waiting pods of its group lack cards
     * @param condition what kube-scheduler last wrote about the pod; empty for nothing
     * @param advice what the owner of the pod may do, in sentences, none if a node is feasible for all that must fit
     *     together; and what is noted of its requests
     * @param nodes feasible ones first, with the policy's choice before the others; then those that lack least
     */
    record Judged(
            PodRef pod,
            Demand demand,
            String policy,
            @Nullable ScaleUp scaleUp,
            boolean gang,
            String condition,
            List<String> advice,
            List<NodeVerdict> nodes)
            implements Explanation {
        public Judged {
            advice = List.copyOf(advice);
            nodes = List.copyOf(nodes);
        }

        /** The number of feasible nodes. */
        public int feasible() {
            return (int) nodes.stream().filter(node -> node.why() == null).count();
        }

        /** The number of refused nodes by reason, in the order of the nodes. */
        public Map<Reason, Integer> reasons() {
            Map<Reason, Integer> count = new LinkedHashMap<>();
            for (NodeVerdict node : nodes) {
                if (node.why() != null) {
                    count.merge(node.why(), 1, Integer::sum);
                }
            }
            return count;
        }

        /** The refused nodes by reason, kind of card and obstacle, the nearest miss first. */
        public List<RefusedNodes> refused() {
            return RefusedNodes.of(nodes);
        }
    }

    /**
     * The result for one node.
     *
     * @param why the reason of a refusal; null if the node is feasible
     * @param chosen whether the policy chooses this node
     * @param nearest what the node's cards lack; null if nothing
     * @param cards the node's cards, without what the pod itself may hold there
     * @param facts what pods may require of the node apart from resources; null if that is unknown
     */
    record NodeVerdict(
            String node,
            @Nullable Reason why,
            boolean chosen,
            Demand demand,
            @Nullable Nearest nearest,
            NodeCards cards,
            @Nullable NodeFacts facts) {
        static NodeVerdict of(String node, @Nullable Reason why, boolean chosen, Demand demand, NodeEntry entry) {
            boolean lacking = why != null && why.ofCards();
            return new NodeVerdict(
                    node, why, chosen, demand, lacking ? entry.nearest(demand) : null, entry.cards(), entry.facts());
        }

        /** Whether the pod accepts the node. */
        boolean accepted() {
            return why == null || !why.ofNode();
        }

        /** Whether its cards suffice now, whatever else keeps the pod from the node. */
        boolean fitsByCards() {
            return cards.nearest(demand) == null;
        }

        /** Whether the node offers its cards in the other way than that in which the pod requests them. */
        boolean ofOtherWay() {
            return why != null && why.ofOtherWay();
        }

        /** The obstacle of the card that comes nearest; empty if the reason is not in the cards. */
        Optional<CardVerdict> obstacle() {
            return CardVerdict.of(nearest, cards.inventory());
        }

        /** The result card by card. */
        public List<CardVerdict> eachCard() {
            return cards.cards().stream()
                    .map(state -> CardVerdict.of(demand, state, cards.inventory()))
                    .toList();
        }

        /** How near the node is to fitting: the free units of its best card or, for whole cards, its unused cards. */
        long offers() {
            return demand.shares()
                    ? cards.cards().stream()
                            .filter(state -> state.acceptedBy(demand.selector()))
                            .mapToLong(state -> state.free().units())
                            .max()
                            .orElse(0)
                    : cards.cards().stream()
                            .filter(state -> Verdict.of(demand, state).fits())
                            .count();
        }
    }
}
