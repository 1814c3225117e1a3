package io.gpushare.extender.capacity;

import io.gpushare.model.card.Share;
import io.gpushare.model.ledger.CardState;
import io.gpushare.model.ledger.NodeCards;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * What is free on one healthy card.
 *
 * @param index identifies the card on its node
 * @param free nothing when the card is taken whole, its capacity when it is unused
 */
public record FreeCard(int index, CardKind kind, Share free) {
    /** Small cards before large ones, then those with the least free memory, so that equal cards are adjacent. */
    static final Comparator<FreeCard> ORDER = Comparator.<FreeCard>comparingInt(card -> card.kind.units())
            .thenComparing(card -> card.kind.model())
            .thenComparingInt(FreeCard::units)
            .thenComparingInt(FreeCard::index);

    public FreeCard {
        if (index < 0 || !free.fits(kind.capacity())) {
            throw new IllegalArgumentException("card " + index + " can't have " + free + " free of " + kind.capacity());
        }
    }

    /** The cards of a node that accept new pods, each with its position in the inventory as its index. */
    public static List<FreeCard> of(NodeCards node) {
        List<FreeCard> cards = new ArrayList<>();
        List<CardState> states = node.cards();
        for (int i = 0; i < states.size(); i++) {
            CardState state = states.get(i);
            // A card smaller than one unit serves no memory pod; as a whole card it is found without a policy.
            if (state.card().placeable() && state.capacity().units() > 0) {
                cards.add(new FreeCard(i, CardKind.of(state), state.free()));
            }
        }
        return cards;
    }

    /** A card that no pod uses. */
    public static FreeCard unused(int index, CardKind kind) {
        return new FreeCard(index, kind, kind.capacity());
    }

    /** Free memory units. */
    public int units() {
        return free.units();
    }

    /** Whether that share of the card is free. */
    public boolean offers(Share share) {
        return share.on(kind.capacity()).fits(free);
    }

    /** Whether no pod uses the card, so that it may be taken whole. */
    public boolean unused() {
        return offers(kind.instance() ? Share.INSTANCE : Share.WHOLE_CARD);
    }

    FreeCard minus(Share share) {
        return new FreeCard(
                index,
                kind,
                share.takenWhole() > 0 ? Share.NONE : free.minus(share).shared());
    }

    boolean sameAs(FreeCard other) {
        return free.equals(other.free) && kind.equals(other.kind);
    }

    /** Whether a policy can't tell that card from this one. */
    public boolean sameAs(CardState state) {
        return state.capacity().units() > 0 && free.equals(state.free()) && kind.equals(CardKind.of(state));
    }
}
