package io.gpushare.insight.view;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.gpushare.extender.feasibility.Reason;
import io.gpushare.insight.report.Explanation;
import io.gpushare.insight.report.Explanation.NodeVerdict;
import io.gpushare.insight.report.RefusedNodes;
import io.gpushare.insight.scaleup.ScaleUp;
import io.gpushare.insight.waste.PodOnCard;
import io.gpushare.model.Allocation;
import io.gpushare.model.Demand;
import io.gpushare.model.PodController;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.ledger.CardVerdict;
import io.gpushare.model.ledger.NodeCards;
import io.gpushare.model.pod.PodState;
import io.gpushare.model.text.Printable;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Why a pod waits: the reasons, counted, then nodes with each card.
 *
 * @param sentence why the pod is invalid, why its kubelet did not admit it, which gates hold it, or by when it leaves
 * @param node where the pod is bound
 * @param cards those of the bound pod; null if they are unknown
 * @param demand what the pod requests, in words; null where that is nothing, or invalid
 * @param judged null unless every node was evaluated
 * @param about what else is known of an existing pod; null if nobody asked
 * @param whole the cards that the bound pod holds whole
 */
public record Why(
        int version,
        PodRef pod,
        State state,
        @Nullable String sentence,
        @Nullable String node,
        @Nullable Set<CardId> cards,
        @Nullable String demand,
        @JsonUnwrapped @Nullable Judged judged,
        @JsonUnwrapped @Nullable About about,
        @JsonIgnore Set<CardId> whole) {
    private static final int MOST_WITHOUT_CARDS = 16;
    // The API server accepts names of 317 characters.
    private static final int LONGEST_GATE = 320;

    /** What is known of the pod. */
    public enum State {
        @JsonProperty("ended")
        ENDED,
        @JsonProperty("no-demand")
        NO_DEMAND,
        @JsonProperty("wrong")
        INVALID,
        @JsonProperty("bound")
        BOUND,
        @JsonProperty("gated")
        GATED,
        @JsonProperty("leaving")
        LEAVING,
        @JsonProperty("judged")
        JUDGED
    }

    /**
     * The result for all nodes.
     *
     * @param policy what chooses among the nodes, in words
     * @param scaleUp which new nodes would let the pod run; null if it fits now
     * @param inPart whether kube-scheduler alone can tell whether the claims may have these cards
     * @param gang whether a node is feasible and other waiting pods of its group lack cards
     * @param condition what kube-scheduler last wrote about the pod; empty for nothing
     * @param groups the refused nodes by reason, kind of card and obstacle, the nearest miss first
     * @param advice what the owner of the pod may do, in sentences
     * @param nodes one page of them
     * @param next where the next page begins; null after the last
     * @param allNodes the number of nodes
     * @param nodesAfter the number of nodes after this page
     * @param withoutCards what nodes report that offer no cards
     */
    public record Judged(
            String policy,
            int feasibleNodes,
            List<WaitingQueue.ReasonCount> reasons,
            @Nullable NewNodes scaleUp,
            boolean inPart,
            boolean gang,
            @JsonInclude(JsonInclude.Include.NON_EMPTY) String condition,
            List<RefusedNodes> groups,
            List<String> advice,
            List<Node> nodes,
            @Nullable Integer next,
            @JsonIgnore int allNodes,
            @JsonIgnore int nodesAfter,
            @JsonIgnore List<String> withoutCards) {}

    /**
     * What is known of an existing pod beside its requests.
     *
     * @param owner kind and name of its controller; null for none
     * @param holds what it holds and uses of cards
     */
    public record About(
            @Nullable String owner,
            Instant created,
            int priority,
            @JsonInclude(JsonInclude.Include.NON_EMPTY) List<PodOnCard> holds) {
        static About of(PodState pod, List<PodOnCard> holds) {
            @Nullable PodController controller = pod.controller();
            return new About(
                    controller == null ? null : controller.kind() + " " + controller.name(),
                    pod.priority().created(),
                    pod.priority().value(),
                    holds);
        }
    }

    /**
     * New nodes like an existing one; null except for the sentence if no kind of node is enough.
     *
     * @param nodes how many the pod's policy needs
     */
    public record NewNodes(
            @Nullable Integer nodes, @Nullable String like, String sentence) {
        static NewNodes of(ScaleUp scaleUp, @Nullable MemoryUnit unit) {
            return scaleUp instanceof ScaleUp.MoreLike more
                    ? new NewNodes(more.nodes(), more.like(), Phrases.of(scaleUp, unit))
                    : new NewNodes(null, null, Phrases.of(scaleUp, unit));
        }
    }

    /** One node; why it is refused is null if it is feasible. */
    public record Node(
            String name,
            @JsonInclude boolean feasible,
            boolean chosen,
            @JsonUnwrapped @Nullable Reason why,
            List<Card> cards,
            @JsonIgnore MemoryUnit unit) {
        static Node of(NodeVerdict node) {
            return new Node(
                    node.node(),
                    node.why() == null,
                    node.chosen(),
                    node.why(),
                    node.eachCard().stream().map(Card::of).toList(),
                    node.cards().inventory().unit());
        }
    }

    /** One card. */
    public record Card(
            int index,
            CardId uuid,
            String model,
            int units,
            int freeUnits,
            @JsonInclude boolean takes,
            String sentence) {
        static Card of(CardVerdict card) {
            return new Card(
                    card.state().card().index(),
                    card.state().card().id(),
                    card.state().card().model(),
                    card.state().capacity().units(),
                    card.state().free().units(),
                    card.takes(),
                    card.sentence());
        }
    }

    /**
     * The explanation with one page of the nodes.
     *
     * @param from the first node, counted from 0
     */
    public static Why of(Explanation explanation, int from, int limit) {
        return of(explanation, node -> true, from, limit);
    }

    /** The same, and what else is known of the pod; {@code holds} is what it holds of cards. */
    public static Why of(Explanation.OfPod explained, List<PodOnCard> holds, int from, int limit) {
        Why why = of(explained.explanation(), from, limit);
        return new Why(
                why.version,
                why.pod,
                why.state,
                why.sentence,
                why.node,
                why.cards,
                why.demand,
                why.judged,
                About.of(explained.pod(), holds),
                why.whole);
    }

    /** The explanation with the first of the nodes that have cards. */
    public static Why withCards(Explanation explanation, int limit) {
        return of(explanation, node -> !node.cards().cards().isEmpty(), 0, limit);
    }

    private static Why of(Explanation explanation, Predicate<NodeVerdict> which, int from, int limit) {
        return switch (explanation) {
            case Explanation.Ended(PodRef pod, @Nullable String rejection) ->
                of(pod, State.ENDED, rejection, null, null);
            case Explanation.NoDemand(PodRef pod, @Nullable String meant) ->
                of(pod, State.NO_DEMAND, meant, null, null);
            case Explanation.Invalid(PodRef pod, String sentence) -> of(pod, State.INVALID, sentence, null, null);
            case Explanation.Bound bound -> bound(bound);
            case Explanation.Leaving(PodRef pod, String sentence) -> of(pod, State.LEAVING, sentence, null, null);
            case Explanation.Gated(PodRef pod, Demand demand, List<String> gates, @Nullable MemoryUnit unit) ->
                of(pod, State.GATED, gated(gates), Phrases.of(demand, unit), null);
            case Explanation.Judged judged ->
                of(
                        judged.pod(),
                        State.JUDGED,
                        null,
                        Phrases.of(judged.demand(), unit(judged)),
                        judged(judged, judged.nodes().stream().filter(which).toList(), from, limit));
        };
    }

    private static Why of(
            PodRef pod, State state, @Nullable String sentence, @Nullable String demand, @Nullable Judged judged) {
        return new Why(ViewJson.VERSION, pod, state, sentence, null, null, demand, judged, null, Set.of());
    }

    private static String gated(List<String> gates) {
        return "It is held by its scheduling " + (gates.size() == 1 ? "gate " : "gates ")
                + gates.stream().map(gate -> Printable.line(gate, LONGEST_GATE)).collect(Collectors.joining(", "))
                + ": kube-scheduler looks for a node when whoever set "
                + (gates.size() == 1 ? "it has removed it" : "them has removed them")
                + ". Nothing of GPU Share keeps it.";
    }

    private static Why bound(Explanation.Bound bound) {
        @Nullable Allocation held = bound.allocation();
        @Nullable
        String demand = bound.demand() == null ? null : Phrases.of(bound.demand(), held == null ? null : held.unit());
        List<String> sentences = Stream.of(
                        Optional.ofNullable(bound.notStarted())
                                .map(why -> "It does not start: " + why + ". Meanwhile its claims keep " + demand
                                        + "; the kubelet tries again, and deleting the pod frees them."),
                        Optional.ofNullable(bound.leaving()).map(Explanation.Leaving::sentence))
                .flatMap(Optional::stream)
                .toList();
        return new Why(
                ViewJson.VERSION,
                bound.pod(),
                State.BOUND,
                sentences.isEmpty() ? null : String.join(" ", sentences),
                bound.node(),
                held == null ? null : held.cards(),
                demand,
                null,
                null,
                held == null
                        ? Set.of()
                        : held.cards().stream()
                                .filter(card -> held.shareOn(card).takenWhole() > 0)
                                .collect(Collectors.toSet()));
    }

    private static @Nullable MemoryUnit unit(Explanation.Judged judged) {
        return NodeCards.commonUnit(judged.nodes().stream().map(NodeVerdict::cards));
    }

    private static Judged judged(Explanation.Judged judged, List<NodeVerdict> nodes, int from, int limit) {
        int first = Math.min(from, nodes.size());
        int last = Math.min(nodes.size(), first + limit);
        @Nullable NewNodes scaleUp = judged.scaleUp() == null ? null : NewNodes.of(judged.scaleUp(), unit(judged));
        List<String> advice = new ArrayList<>(judged.advice());
        if (scaleUp != null) {
            advice.add(scaleUp.sentence());
        }
        return new Judged(
                judged.policy(),
                judged.feasible(),
                WaitingQueue.ReasonCount.of(judged.reasons()),
                scaleUp,
                judged.demand().inPart(),
                judged.gang(),
                judged.condition(),
                judged.refused(),
                advice,
                nodes.subList(first, last).stream().map(Node::of).toList(),
                last < nodes.size() ? last : null,
                judged.nodes().size(),
                nodes.size() - last,
                judged.nodes().stream()
                        .flatMap(node -> Stream.ofNullable(
                                        node.cards().inventory().noCards())
                                .filter(none -> Reason.noCards(none.cause()).equals(node.why()))
                                .map(none -> node.node() + ": " + none.sentences()))
                        .limit(MOST_WITHOUT_CARDS)
                        .toList());
    }
}
