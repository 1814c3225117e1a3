package io.gpushare.extender.placement;

import io.gpushare.model.ledger.CardState;
import io.gpushare.model.ledger.NodeCards;
import io.gpushare.model.ledger.Refusal;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * What filter and prioritize read of one node: made once when the node's cards change, so that a request over thousands
 * of nodes touches no allocation and makes no object per node. It answers exactly as {@link NodeCards#place} does.
 */
public final class NodeSummary {
    // The cards with free memory in the order in which BINPACK takes them, and which of them nobody uses yet.
    private final int[] free;
    private final boolean[] unused;
    private final long units;
    private final long freeUnits;
    private final int present;
    private final int cards;
    private final int freeCards;
    private final int mostOnUsed;
    private final int mostOnUnused;

    private NodeSummary(int present, List<CardState> healthy) {
        this.present = present;
        List<CardState> open = healthy.stream()
                .filter(state -> state.freeUnits() > 0)
                .sorted(Comparator.comparingInt(CardState::freeUnits)
                        .thenComparingInt(state -> state.card().index()))
                .toList();
        free = open.stream().mapToInt(CardState::freeUnits).toArray();
        unused = new boolean[free.length];
        int used = 0;
        int fresh = 0;
        for (int i = 0; i < free.length; i++) {
            unused[i] = open.get(i).free();
            if (unused[i]) {
                fresh = free[i];
            } else {
                used = free[i];
            }
        }
        mostOnUsed = used;
        mostOnUnused = fresh;
        units = healthy.stream().mapToLong(CardState::units).sum();
        freeUnits = open.stream().mapToLong(CardState::freeUnits).sum();
        cards = healthy.size();
        freeCards = (int) healthy.stream().filter(CardState::free).count();
    }

    public static NodeSummary of(NodeCards cards) {
        return new NodeSummary(
                cards.cards().size(),
                cards.cards().stream().filter(state -> state.card().placeable()).toList());
    }

    /** Why that node can't take the demand now; empty if it can. Constant time. */
    public Optional<Refusal> refusal(Ask ask) {
        int needed = ask.cards() + (ask.units() > 0 ? 1 : 0);
        if (needed > 1 && needed > present) {
            return Optional.of(Refusal.TOO_FEW_CARDS);
        }
        if (ask.units() > Math.max(mostOnUsed, mostOnUnused)) {
            return Optional.of(Refusal.NO_CARD_WITH_MEMORY);
        }
        boolean onUsed = ask.units() == 0 || mostOnUsed >= ask.units();
        int left = onUsed ? freeCards : freeCards - 1;
        return left >= ask.cards() ? Optional.empty() : Optional.of(Refusal.NO_FREE_CARDS);
    }

    /** Whether the memory of that demand, which the node can take, would go to a card that nobody uses yet. */
    boolean opensCard(Ask ask) {
        for (int i = 0; i < free.length; i++) {
            if (free[i] >= ask.units() && (!unused[i] || freeCards - 1 >= ask.cards())) {
                return unused[i];
            }
        }
        return true;
    }

    /** Memory units of the well cards. */
    long units() {
        return units;
    }

    /** Memory units of the well cards that nobody holds. */
    long freeUnits() {
        return freeUnits;
    }

    /** The well cards. */
    int cards() {
        return cards;
    }

    /** The well cards on which nothing is allocated. */
    int freeCards() {
        return freeCards;
    }
}
