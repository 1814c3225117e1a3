package io.gpushare.extender.feasibility;

import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Isolation;
import io.gpushare.model.card.Share;
import io.gpushare.model.ledger.CardState;
import io.gpushare.model.selector.CardFacts;
import io.gpushare.model.selector.CardSelector;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A group of cards of one node with the same facts, and their free shares. */
final class CardGroup {
    private final CardFacts facts;
    private final List<CardState> cards;
    // Of the cards' UUIDs, for selectors that name cards.
    private final int[] hashes;
    private final List<Share> used;
    private final List<Share> unused;
    private final Share free;

    private CardGroup(CardFacts facts, List<CardState> cards) {
        this.facts = facts;
        this.cards = cards;
        hashes = cards.stream()
                .mapToInt(state -> CardSelector.hash(state.card().id()))
                .toArray();
        List<Share> shares = cards.stream()
                .map(CardState::free)
                .filter(share -> !share.isNone())
                .toList();
        used = shares.stream().filter(share -> !Share.WHOLE_CARD.fits(share)).toList();
        unused = shares.stream().filter(Share.WHOLE_CARD::fits).toList();
        free = shares.stream().reduce(Share.NONE, Share::plus);
    }

    /** Groups the cards of a node with that driver. */
    static List<CardGroup> of(List<CardState> cards, Inventory.@Nullable Driver driver) {
        Map<CardFacts, List<CardState>> groups = cards.stream()
                .collect(Collectors.groupingBy(
                        state -> CardFacts.of(state.card(), driver), LinkedHashMap::new, Collectors.toList()));
        return groups.entrySet().stream()
                .map(group -> new CardGroup(group.getKey(), group.getValue()))
                .toList();
    }

    /** The cards of the group that the selector accepts; null if it accepts none. */
    @Nullable
    CardGroup selected(CardSelector selector) {
        if (!selector.matches(facts)) {
            return null;
        }
        if (!selector.namesCards()) {
            return this;
        }
        int accepted = 0;
        for (int i = 0; i < hashes.length; i++) {
            accepted += accepts(selector, i) ? 1 : 0;
        }
        if (accepted == 0 || accepted == hashes.length) {
            return accepted == 0 ? null : this;
        }
        return new CardGroup(
                facts,
                IntStream.range(0, hashes.length)
                        .filter(i -> accepts(selector, i))
                        .mapToObj(cards::get)
                        .toList());
    }

    private boolean accepts(CardSelector selector, int card) {
        return selector.matches(cards.get(card).card().id(), hashes[card]);
    }

    /** The number of cards, including unhealthy and cordoned ones. */
    int size() {
        return cards.size();
    }

    /** Whether a pod may have memory of such a card and of others: a process is a client of one card's MPS only. */
    boolean amongSeveral() {
        return facts.card().isolation().inForce() != Isolation.MPS;
    }

    /** Whether a pod may have a part of the cores of such a card. */
    boolean limitsCores() {
        return cards.getFirst().limitsCores();
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
