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
import io.gpushare.model.text.Printable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The result of a dry run of filter for one pod, for users: the JSON and the text of {@code why} are made from it. */
public sealed interface Explanation {
    PodRef pod();

    /** What is known of the pod, as a name for programs. */
    String state();

    /** Why it is so, and what is expected; null if there is nothing to say, or if nodes say it. */
    default @Nullable String sentence() {
        return null;
    }

    /** What the pod requests, in words; null where that is nothing, or invalid. */
    default @Nullable String requests() {
        return null;
    }

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
            implements Explanation {
        @Override
        public String state() {
            return "bound";
        }

        @Override
        public @Nullable String sentence() {
            List<String> sentences = Stream.of(
                            Optional.ofNullable(notStarted)
                                    .map(why -> "It does not start: " + why + ". Meanwhile its claims keep "
                                            + requests()
                                            + "; the kubelet tries again, and deleting the pod frees them."),
                            Optional.ofNullable(leaving).map(Leaving::sentence))
                    .flatMap(Optional::stream)
                    .toList();
            return sentences.isEmpty() ? null : String.join(" ", sentences);
        }

        @Override
        public @Nullable String requests() {
            return demand == null ? null : Phrases.of(demand, allocation == null ? null : allocation.unit());
        }
    }

    /** A pod that is being deleted, with a sentence that says by when, or who should have ended it. */
    record Leaving(PodRef pod, String sentence) implements Explanation {
        @Override
        public String state() {
            return "leaving";
        }
    }

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
        // The API server accepts names of 317 characters.
        private static final int LONGEST_GATE = 320;

        public Gated {
            gates = List.copyOf(gates);
        }

        @Override
        public String state() {
            return "gated";
        }

        @Override
        public String sentence() {
            return "It is held by its scheduling " + (gates.size() == 1 ? "gate " : "gates ")
                    + gates.stream()
                            .map(gate -> Printable.line(gate, LONGEST_GATE))
                            .collect(Collectors.joining(", "))
                    + ": kube-scheduler looks for a node when whoever set "
                    + (gates.size() == 1 ? "it has removed it" : "them has removed them")
                    + ". Nothing of GPU Share keeps it.";
        }

        @Override
        public String requests() {
            return Phrases.of(demand, unit);
        }
    }

    /**
     * A pod as the API server has it, and its explanation.
     *
     * @param on its node as of the explanation; null for none
     */
    record OfPod(PodState pod, Explanation explanation, ClusterState.@Nullable NodeView on) {}

    /** The pod has ended and holds no cards; the sentence says why its kubelet did not admit it, if so. */
    record Ended(PodRef pod, @Nullable String sentence) implements Explanation {
        @Override
        public String state() {
            return "ended";
        }
    }

    /**
     * The pod requests no GPU: it fits every node as far as cards are concerned.
     *
     * @param sentence what its resources may have been meant for; null if nothing suggests it
     */
    record NoDemand(PodRef pod, @Nullable String sentence) implements Explanation {
        @Override
        public String state() {
            return "no-demand";
        }
    }

    /** The pod's resources or annotations are invalid, so no node fits. */
    record Invalid(PodRef pod, String sentence) implements Explanation {
        @Override
        public String state() {
            return "wrong";
        }
    }

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

        @Override
        public String state() {
            return "judged";
        }

        @Override
        public String requests() {
            return Phrases.of(demand, unit());
        }

        /** The memory unit of all nodes with cards; null if it differs. */
        public @Nullable MemoryUnit unit() {
            return NodeCards.commonUnit(nodes.stream().map(NodeVerdict::cards));
        }

        /** Everything that helps: the advice, and new nodes. */
        public List<String> helps() {
            return Stream.concat(advice.stream(), Stream.ofNullable(scaleUp).map(more -> Phrases.of(more, unit())))
                    .toList();
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
