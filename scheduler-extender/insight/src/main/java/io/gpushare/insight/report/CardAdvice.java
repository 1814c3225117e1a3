package io.gpushare.insight.report;

import io.gpushare.insight.report.Explanation.NodeVerdict;
import io.gpushare.model.Demand;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.Health;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.Share;
import io.gpushare.model.card.ShareKind;
import io.gpushare.model.codec.AnnotationKeys;
import io.gpushare.model.ledger.CardState;
import io.gpushare.model.ledger.Obstacle;
import io.gpushare.model.ledger.Obstacle.Cause;
import io.gpushare.model.ledger.Verdict;
import io.gpushare.model.selector.CardCondition;
import io.gpushare.model.selector.CardFact;
import io.gpushare.model.selector.CardFacts;
import io.gpushare.model.selector.FactValue;
import io.gpushare.model.text.Printable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * What the owner of a pod may do for which the cards of the nodes that it accepts do not suffice, in sentences.
 *
 * @param where those nodes, in words
 */
record CardAdvice(Demand demand, String where) {
    private static final int MOST_CARDS = 8;
    private static final int MOST_VALUES = 8;
    private static final int LONGEST_VALUE = 60;

    /** What helps where a card could take the pod but for one thing, each of which is named at one node. */
    private static final List<Remedy> REMEDIES = List.of(
            new Remedy(
                    closed(card -> !card.held() && card.inUseBy() == null && card.taint() == null),
                    "is unhealthy or cordoned: repair or uncordon it."),
            new Remedy(
                    closed(card -> card.inUseBy() != null),
                    "is in use by pods or claims that its node does not offer cards to any more, or by processes of a"
                            + " pod that has ended: it is offered when they end."),
            new Remedy(
                    closed(card -> card.taint() != null),
                    "is tainted by a DeviceTaintRule, which kubectl gpushare nodes names: delete the rule, or let the"
                            + " claim tolerate the taint."),
            new Remedy(
                    (demand, state) -> Verdict.of(demand, state) == Obstacle.FOREIGN_USE,
                    "processes use memory of it that is not allocated to them: end them; Events of the node and its"
                            + " pods name them (GpuUseWithoutAllocation, GpuUsedAfterPodEnd)."),
            new Remedy(
                    closed(Card::held),
                    "is held while pods are moved: wait until that ends, or remove the node's annotation "
                            + AnnotationKeys.RESERVATION + "."));

    private record Remedy(BiPredicate<Demand, CardState> applies, String sentence) {}

    /** @param ends which pods must end so that the pod fits, in sentences */
    List<String> sentences(List<NodeVerdict> nodes, Supplier<List<String>> ends) {
        if (nodes.isEmpty()) {
            return List.of("No node has cards: label the GPU nodes with gpushare=true, and see the log of the device"
                    + " plugin there.");
        }
        List<String> selector = selector(nodes);
        if (!selector.isEmpty()) {
            return selector;
        }
        for (ShareKind kind : ShareKind.PERCENTS) {
            boolean limited = nodes.stream()
                    .anyMatch(node -> node.cards().cards().stream().anyMatch(state -> state.limits(kind)));
            if (kind.in(demand.share()) > 0 && !demand.slotted() && !limited) {
                return List.of("No card " + where + " limits " + kind + ": request none, or see Compute shares in"
                        + " deploy/isolation.");
            }
        }
        List<String> advice = new ArrayList<>();
        long most = nodes.stream().mapToLong(this::largeCards).max().orElse(0);
        if (most < demand.cards()) {
            advice.addAll(smaller(nodes, most));
        } else {
            advice.addAll(ends.get());
            for (Remedy remedy : REMEDIES) {
                nodes.stream()
                        .filter(node -> node.cards().cards().stream()
                                .anyMatch(state -> remedy.applies().test(demand, state)))
                        .findFirst()
                        .ifPresent(node -> advice.add(
                                "A card of node " + node.node() + " could take it but " + remedy.sentence()));
            }
        }
        return advice;
    }

    /** The conditions that no card of the cluster meets, with what there is. */
    private List<String> selector(List<NodeVerdict> nodes) {
        if (demand.selector().any()) {
            return List.of();
        }
        Set<CardFacts> kinds = new HashSet<>();
        for (NodeVerdict node : nodes) {
            node.cards().cards().forEach(state -> kinds.add(state.facts()));
        }
        List<String> advice = new ArrayList<>();
        for (CardCondition condition : demand.selector().conditions()) {
            if (condition.fact() != CardFact.UUID
                    && kinds.stream().noneMatch(kind -> condition.holds(kind.card(), kind.driver()))) {
                advice.add(unmet(condition, kinds));
            }
        }
        if (advice.isEmpty()
                && nodes.stream().flatMap(node -> node.cards().cards().stream()).noneMatch(this::selected)) {
            advice.add("No card " + where + " meets all conditions together: " + demand.selector() + ".");
        }
        return advice;
    }

    private String unmet(CardCondition condition, Set<CardFacts> kinds) {
        Set<String> present = new TreeSet<>();
        for (CardFacts kind : kinds) {
            FactValue value = condition.fact().of(kind.card(), kind.driver());
            if (value != null) {
                present.add(Printable.line(value.toString(), LONGEST_VALUE));
            }
        }
        if (present.isEmpty()) {
            return "No card " + where + " reports the fact "
                    + condition.fact().name().toLowerCase(Locale.ROOT) + ": remove the condition " + condition + ".";
        }
        String more = present.size() > MOST_VALUES ? " and " + (present.size() - MOST_VALUES) + " more" : "";
        return "No card " + where + " meets " + condition + "; present are "
                + String.join(", ", present.stream().limit(MOST_VALUES).toList()) + more + ".";
    }

    private boolean selected(CardState state) {
        return state.acceptedBy(demand.selector());
    }

    /** Such cards that could take the pod if they accepted new pods. */
    private static BiPredicate<Demand, CardState> closed(Predicate<Card> such) {
        return (demand, state) -> !state.card().placeable()
                && such.test(state.card())
                && Verdict.of(demand, opened(state)).fits();
    }

    private static CardState opened(CardState state) {
        return state.on(state.card()
                .withCordoned(false)
                .withHeld(false)
                .withInUse(null)
                .withTaint(null)
                .withHealth(new Health.Healthy()));
    }

    /** Whether the node could take the pod if none of its cards were in use, or closed. */
    boolean largeEnough(NodeVerdict node) {
        return largeCards(node) >= demand.cards();
    }

    /** How many cards of the node are large enough and of the right kind, whatever keeps them from serving now. */
    private long largeCards(NodeVerdict node) {
        return node.cards().cards().stream()
                .filter(state -> !needsAnother(Verdict.of(demand, state)))
                .count();
    }

    private static boolean needsAnother(Verdict verdict) {
        return verdict instanceof Obstacle obstacle
                && (obstacle.cause() == Cause.OTHER_CARD || obstacle.cause() == Cause.NOT_LIMITED);
    }

    /** How the pod would fit on these cards. */
    private List<String> smaller(List<NodeVerdict> nodes, long most) {
        List<String> advice = new ArrayList<>();
        if (!demand.shares()) {
            return List.of("A node has at most " + most + " such cards: request fewer.");
        }
        if (demand.cards() == 1 && !demand.share().hasPercents() && !demand.slotted()) {
            for (int split = 2; split <= MOST_CARDS && advice.isEmpty(); split++) {
                int cards = split;
                boolean even = demand.containers().stream()
                        .allMatch(container -> container.request().divisibleBy(cards));
                if (even && fitsSomeday(nodes, new Demand(demand.containers(), cards, demand.selector()))) {
                    advice.add("If the program can use several cards, split its memory over them: "
                            + (demand.byClaim()
                                    ? "count: " + split + " in the claim, with that part of the memory."
                                    : "annotation gpushare.io/cards: \"" + split + "\"."));
                }
            }
        }
        nodes.stream()
                .flatMap(node -> node.cards().cards().stream()
                        .filter(state -> Verdict.of(demand, state) == Obstacle.TOO_SMALL)
                        .map(state -> new Amount(
                                state.capacity().units(),
                                node.cards().inventory().unit())))
                .max(Comparator.comparingLong(Amount::mib))
                .ifPresent(largest ->
                        advice.add("The largest such card has " + largest + ": request at most that on one card."));
        return advice;
    }

    /** Whether a node could take that demand if it were empty and all its cards were healthy. */
    private static boolean fitsSomeday(List<NodeVerdict> nodes, Demand demand) {
        return nodes.stream()
                .anyMatch(node -> node.cards().cards().stream()
                                .filter(state -> Verdict.of(
                                                demand, opened(state).allocated(Share.NONE))
                                        .fits())
                                .count()
                        >= demand.cards());
    }

    private record Amount(int units, MemoryUnit unit) {
        long mib() {
            return units * unit.size().mib();
        }

        @Override
        public String toString() {
            return unit.requested(units);
        }
    }
}
