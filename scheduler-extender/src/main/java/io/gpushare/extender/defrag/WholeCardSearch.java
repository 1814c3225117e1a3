package io.gpushare.extender.defrag;

import io.gpushare.extender.ledger.PodEntry;
import io.gpushare.extender.placement.Placer;
import io.gpushare.model.card.CardId;
import io.gpushare.model.ledger.CardState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Which cards a few moves free: those with the fewest pods first, whose pods the policy would place on other cards in use.
 *
 * <p>A card that could not be freed once is not tried again, because the free memory on the others only shrinks. So at most
 * {@value #MOST_CARDS} cards are tried, with the costs of at most {@value CheapestNodes#MOST_KINDS} kinds of pods.
 */
public final class WholeCardSearch {
    static final int MOST_CARDS = 256;

    private final Placer placer;
    private final PodKnowledge known;
    private final Predicate<String> nodes;

    /** A card of which all holders may be moved. */
    private record Candidate(String node, CardState state, int pods) {
        private static final Comparator<Candidate> CHEAPEST_FIRST = Comparator.comparing(
                        (Candidate candidate) -> !candidate.state.card().held())
                .thenComparingInt(Candidate::pods)
                .thenComparingInt(candidate -> candidate.state.allocated().units())
                .thenComparing(Candidate::node)
                .thenComparingInt(candidate -> candidate.state.card().index());

        CardId card() {
            return state.card().id();
        }
    }

    /** @param nodes whose cards may be freed, by name */
    public WholeCardSearch(Placer placer, PodKnowledge known, Predicate<String> nodes) {
        this.placer = placer;
        this.known = known;
        this.nodes = nodes;
    }

    /** The cards that these moves free, the cheapest first. Cards that pods are already moved away from come first. */
    public DefragPlan plan(int mostMoves) {
        PlannedCluster now = PlannedCluster.of(placer, known);
        List<FreedCards> freed = new ArrayList<>();
        int left = mostMoves;
        int tried = 0;
        for (Candidate candidate : candidates(now)) {
            // Pods may have been moved to the card, or away from it, meanwhile.
            List<PodEntry> holders = now.movableHolders(candidate.node(), candidate.card());
            if (tried == MOST_CARDS || left == 0) {
                break;
            }
            if (holders.isEmpty() || holders.size() > left) {
                continue;
            }
            tried++;
            Optional<PlannedCluster.Moved> moved =
                    now.move(holders, candidate.node(), Set.of(candidate.card()), state -> !state.unused());
            if (moved.isPresent()) {
                now = moved.get().after();
                left -= holders.size();
                freed.add(new FreedCards(
                        candidate.node(), Set.of(candidate.card()), moved.get().moves()));
            }
        }
        return freed.isEmpty()
                ? new DefragPlan.NotPossible(
                        "no card can be freed by moving its pods to other cards in use" + now.limits())
                : new DefragPlan.Moves(freed);
    }

    private List<Candidate> candidates(PlannedCluster now) {
        return now.nodes().stream()
                .filter(nodes)
                .flatMap(node -> now.node(node).cards().cards().stream()
                        .filter(WholeCardSearch::worthFreeing)
                        .map(state -> new Candidate(
                                node,
                                state,
                                now.movableHolders(node, state.card().id()).size())))
                .filter(candidate -> candidate.pods() > 0)
                .sorted(Candidate.CHEAPEST_FIRST)
                .toList();
    }

    /** Whether the card serves memory pods, and would accept a pod that takes it whole. */
    private static boolean worthFreeing(CardState state) {
        return !state.unused()
                && !state.takenWhole()
                && state.card().health().healthy()
                && !state.card().cordoned();
    }
}
