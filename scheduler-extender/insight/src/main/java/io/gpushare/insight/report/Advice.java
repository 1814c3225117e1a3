package io.gpushare.insight.report;

import io.gpushare.extender.ledger.PodEntry;
import io.gpushare.insight.report.Explanation.NodeVerdict;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.NoCards;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * What the owner of a pod that no node can take may do, in sentences: first about the nodes that it accepts, then about
 * their cards.
 *
 * @param waits whether the pod fits as soon as pods have gone that are being deleted, or a node is open that is shut
 */
record Advice(List<String> sentences, boolean waits) {
    private static final String SERVE = "gpushare.io/serve";
    private static final String SERVES = "dra";

    Advice {
        sentences = List.copyOf(sentences);
    }

    /**
     * The advice for that pod; empty if a node can take it, and the group with which it waits.
     *
     * @param gang those with which it waits, and which lack cards
     * @param pods the pods of the ledger
     */
    static Advice of(
            Subject subject, List<NodeVerdict> nodes, Optional<Gang> gang, Function<PodRef, Optional<PodEntry>> pods) {
        Optional<Advice> together = gang.map(each -> each.advice(pods, subject.now()));
        if (nodes.stream().anyMatch(node -> node.why() == null)) {
            return together.orElse(new Advice(List.of(), false));
        }
        Optional<String> without = subject.demand().cards().byClaim() ? withoutDriver(nodes) : Optional.empty();
        if (without.isPresent()) {
            return new Advice(List.of(without.get()), false);
        }
        List<NodeVerdict> withCards = nodes.stream()
                .filter(node -> !node.cards().cards().isEmpty() && !node.ofOtherWay())
                .toList();
        Optional<NodeVerdict> other =
                nodes.stream().filter(NodeVerdict::ofOtherWay).findFirst();
        if (withCards.isEmpty() && other.isPresent()) {
            return new Advice(
                    List.of(
                            subject.demand().cards().byClaim()
                                    ? "No node serves claims: request the cards as resources, or label a node with "
                                            + SERVE + "=" + SERVES + " (deploy/docs/operate/claims.md)."
                                    : "Node " + other.get().node()
                                            + " serves claims (deploy/docs/use/claims.md): write a ResourceClaim."),
                    false);
        }
        List<NodeVerdict> accepted =
                withCards.stream().filter(NodeVerdict::accepted).toList();
        String where = accepted.size() == withCards.size() ? "in this cluster" : "of the nodes that it accepts";
        CardAdvice ofCards = new CardAdvice(subject.demand().cards(), where);
        TaintedNodes tainted = TaintedNodes.of(subject.demand(), withCards);
        if (tainted.sentences().isEmpty() && accepted.stream().noneMatch(ofCards::largeEnough)) {
            tainted = TaintedNodes.whenEmpty(subject.demand(), withCards, ofCards::largeEnough);
        }
        if (!withCards.isEmpty() && accepted.isEmpty() && !tainted.passing()) {
            return new Advice(NodeAdvice.sentences(subject.demand().nodes(), withCards), false);
        }
        Endings endings = new Endings(subject, accepted, pods, Set.of());
        Optional<Endings.Room> soon = gang.isPresent() ? Optional.empty() : endings.terminating();
        // Of cards that kube-scheduler alone can tell, nothing is promised.
        Supplier<List<String>> ends = () -> together.map(Advice::sentences)
                .orElseGet(() -> subject.demand().cards().inPart() ? List.of() : EndingText.sentences(soon, endings));
        return new Advice(
                Stream.concat(
                                tainted.sentences().stream(),
                                (tainted.passing() ? ends.get() : ofCards.sentences(accepted, ends)).stream())
                        .toList(),
                tainted.passing()
                        || together.map(Advice::waits)
                                .orElse(soon.isPresent() && !soon.get().overdue()));
    }

    /** About the nodes that should serve claims, if none of them does; empty if one does, or there are none. */
    private static Optional<String> withoutDriver(List<NodeVerdict> nodes) {
        List<String> labelled = nodes.stream()
                .filter(node -> node.facts() != null
                        && SERVES.equals(node.facts().labels().get(SERVE)))
                .filter(node -> node.cards().inventory().noCards() == null
                        || node.cards().inventory().noCards().cause() == NoCards.Cause.PLUGIN_RESTARTING)
                .map(NodeVerdict::node)
                .sorted()
                .toList();
        boolean served =
                nodes.stream().anyMatch(node -> node.cards().inventory().servesClaims());
        return served || labelled.isEmpty()
                ? Optional.empty()
                : Optional.of("No node serves claims. Node " + labelled.getFirst()
                        + (labelled.size() == 1 ? "" : " (as " + (labelled.size() - 1) + " more)") + " has the label "
                        + SERVE + "=" + SERVES + ", and the driver of claims does not run there: see the pods with the"
                        + " label component=gpu-share-claims (deploy/docs/operate/claims.md).");
    }
}
