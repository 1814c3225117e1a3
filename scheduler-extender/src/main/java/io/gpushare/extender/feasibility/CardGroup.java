package io.gpushare.extender.feasibility;

import io.gpushare.model.card.Card;
import io.gpushare.model.card.ComputeCapability;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.Share;
import io.gpushare.model.ledger.CardState;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A group of cards of one node that are equal to every selector by kind, and their free shares. */
final class CardGroup {
    private final Card card;
    private final int size;
    private final List<Share> used;
    private final List<Share> unused;
    private final Share free;

    /** The properties of a card that a selector can match, except for its identity and its node's. */
    private record Kind(
            String model,
            Memory memory,
            @Nullable ComputeCapability compute,
            @Nullable Boolean ecc,
            @Nullable Boolean mig) {
        static Kind of(CardState state) {
            Card card = state.card();
            return new Kind(card.model(), card.memory(), card.compute(), card.ecc(), card.mig());
        }
    }

    private CardGroup(Collection<CardState> states) {
        card = states.iterator().next().card();
        size = states.size();
        List<Share> shares = states.stream()
                .map(CardState::free)
                .filter(share -> !share.isNone())
                .toList();
        used = shares.stream().filter(share -> !Share.WHOLE_CARD.fits(share)).toList();
        unused = shares.stream().filter(Share.WHOLE_CARD::fits).toList();
        free = shares.stream().reduce(Share.NONE, Share::plus);
    }

    /** Groups the cards by kind. */
    static List<CardGroup> of(List<CardState> cards) {
        Map<Kind, List<CardState>> kinds =
                cards.stream().collect(Collectors.groupingBy(Kind::of, LinkedHashMap::new, Collectors.toList()));
        return kinds.values().stream().map(CardGroup::new).toList();
    }

    /** Makes a group of each card. */
    static List<CardGroup> ofEach(List<CardState> cards) {
        return cards.stream().map(state -> new CardGroup(List.of(state))).toList();
    }

    /** One of the cards. */
    Card card() {
        return card;
    }

    /** The number of cards, including unhealthy and cordoned ones. */
    int size() {
        return size;
    }

    /** The number of cards in use that have the share free. */
    int used(Share share) {
        return (int) used.stream().filter(share::fits).count();
    }

    /** The number of unused cards that have the share. */
    int unused(Share share) {
        return (int) unused.stream().filter(share::fits).count();
    }

    /** The number of unused cards. */
    int unused() {
        return unused.size();
    }

    /** The most free memory units on one card. */
    int mostUnits() {
        return Math.max(mostUnits(used), mostUnits(unused));
    }

    private static int mostUnits(List<Share> shares) {
        return shares.stream().mapToInt(Share::units).max().orElse(0);
    }

    /** The sum of the free shares. */
    Share free() {
        return free;
    }
}
