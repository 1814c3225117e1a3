package io.gpushare.extender.capacity;

import io.gpushare.extender.feasibility.CardKind;
import io.gpushare.model.ledger.CardState;
import io.gpushare.model.ledger.NodeCards;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/**
 * What is free on one well card.
 *
 * @param index tells the node's cards apart
 * @param free units that a pod may have: none when the card is taken whole, all of them when nobody uses it
 */
public record FreeCard(int index, CardKind kind, int free) {
    /** Small cards before large ones, then those with the least room: equal cards stand side by side. */
    static final Comparator<FreeCard> ORDER = Comparator.<FreeCard>comparingInt(card -> card.kind.units())
            .thenComparing(card -> card.kind.model())
            .thenComparingInt(FreeCard::free)
            .thenComparingInt(FreeCard::index);

    public FreeCard {
        Objects.requireNonNull(kind);
        if (index < 0 || free < 0 || free > kind.units()) {
            throw new IllegalArgumentException(
                    "card " + index + " has " + free + " units free of " + kind.units() + ": that can't be");
        }
    }

    /** The cards of a node that a new pod may have, each with its place in the inventory as its index. */
    public static List<FreeCard> of(NodeCards node) {
        List<FreeCard> rooms = new ArrayList<>();
        List<CardState> states = node.cards();
        for (int i = 0; i < states.size(); i++) {
            CardState state = states.get(i);
            // A card smaller than one unit serves no memory pod; as a whole card it is found without a policy.
            if (state.card().placeable() && state.capacity().units() > 0) {
                rooms.add(new FreeCard(i, CardKind.of(state), state.free().units()));
            }
        }
        return rooms;
    }

    /** A card that nobody uses. */
    public static FreeCard unused(int index, CardKind kind) {
        return new FreeCard(index, kind, kind.units());
    }

    /** Whether a pod may have the card whole. */
    public boolean whole() {
        return free == kind.units();
    }

    boolean sameAs(FreeCard other) {
        return free == other.free && kind.equals(other.kind);
    }

    /** Whether that card is like this one to a pod. */
    public boolean sameAs(CardState state) {
        return state.capacity().units() > 0 && free == state.free().units() && kind.equals(CardKind.of(state));
    }
}
