package io.gpushare.insight.view;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.gpushare.extender.feasibility.Reason;
import io.gpushare.insight.report.Explanation;
import io.gpushare.insight.report.Explanation.NodeVerdict;
import io.gpushare.insight.report.Phrases;
import io.gpushare.insight.report.RefusedNodes;
import io.gpushare.insight.scaleup.ScaleUp;
import io.gpushare.insight.waste.PodOnCard;
import io.gpushare.model.Allocation;
import io.gpushare.model.PodController;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.ledger.CardVerdict;
import io.gpushare.model.pod.PodState;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The JSON of an explanation: what is known of the pod, then the reasons, counted, and one page of the nodes with each
 * card.
 *
 * @param node where the pod is bound
 * @param cards those of the bound pod; null if they are unknown
 * @param judged null unless every node was evaluated
 * @param about what else is known of an existing pod; null if nobody asked
 */
public record Why(
        int version,
        PodRef pod,
        String state,
        @Nullable String sentence,
        @Nullable String node,
        @Nullable Set<CardId> cards,
        @Nullable String demand,
        @JsonUnwrapped @Nullable Judged judged,
        @JsonUnwrapped @Nullable About about) {
    /**
     * The result for all nodes.
     *
     * @param inPart whether kube-scheduler alone can tell whether the claims may have these cards
     * @param advice what the owner of the pod may do, in sentences
     * @param next where the next page begins; null after the last
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
            @Nullable Integer next) {
        static Judged of(Explanation.Judged judged, int from, int limit) {
            int first = Math.min(from, judged.nodes().size());
            int last = Math.min(judged.nodes().size(), first + limit);
            return new Judged(
                    judged.policy(),
                    judged.feasible(),
                    WaitingQueue.ReasonCount.of(judged.reasons()),
                    judged.scaleUp() == null ? null : NewNodes.of(judged.scaleUp(), judged.unit()),
                    judged.demand().inPart(),
                    judged.gang(),
                    judged.condition(),
                    judged.refused(),
                    judged.helps(),
                    judged.nodes().subList(first, last).stream().map(Node::of).toList(),
                    last < judged.nodes().size() ? last : null);
        }
    }

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
            List<Card> cards) {
        static Node of(NodeVerdict node) {
            return new Node(
                    node.node(),
                    node.why() == null,
                    node.chosen(),
                    node.why(),
                    node.eachCard().stream().map(Card::of).toList());
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
        return of(explanation, null, from, limit);
    }

    /** The same, and what else is known of the pod; {@code holds} is what it holds of cards. */
    public static Why of(Explanation.OfPod explained, List<PodOnCard> holds, int from, int limit) {
        return of(explained.explanation(), About.of(explained.pod(), holds), from, limit);
    }

    private static Why of(Explanation explanation, @Nullable About about, int from, int limit) {
        Explanation.@Nullable Bound bound = explanation instanceof Explanation.Bound of ? of : null;
        @Nullable Allocation held = bound == null ? null : bound.allocation();
        return new Why(
                ViewJson.VERSION,
                explanation.pod(),
                explanation.state(),
                explanation.sentence(),
                bound == null ? null : bound.node(),
                held == null ? null : held.cards(),
                explanation.requests(),
                explanation instanceof Explanation.Judged judged ? Judged.of(judged, from, limit) : null,
                about);
    }
}
