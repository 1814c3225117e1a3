package io.gpushare.plugin.state;

import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The cards that pods have by the way in which the node offered them before. Only the other way counts what these pods
 * have, so this one offers none of these cards until they end.
 *
 * @param cards by the pod or claim that has them; none where it is unknown which: it may have any
 */
public record HeldCards(Map<String, Set<CardId>> cards) {
    public static final HeldCards NONE = new HeldCards(Map.of());

    private static final int MOST_NAMES = 3;

    public HeldCards {
        cards = Map.copyOf(cards);
    }

    /** Nobody knows who has which cards. */
    public static HeldCards unknown(String why) {
        return new HeldCards(Map.of(why, Set.of()));
    }

    /** Those of the node's cards that are held, with the MIG instances of a held card. */
    public Set<CardId> among(Collection<Card> all) {
        return all.stream()
                .filter(card -> !holders(card).isEmpty())
                .map(Card::id)
                .collect(Collectors.toSet());
    }

    private List<String> holders(Card card) {
        return new TreeMap<>(cards)
                .entrySet().stream()
                        .filter(holder -> holder.getValue().isEmpty()
                                || holder.getValue().contains(card.id())
                                || holder.getValue().contains(card.physical()))
                        .map(Map.Entry::getKey)
                        .toList();
    }

    /** Who has these cards of the node, as a few names; empty if nobody has. */
    public Optional<String> holders(Inventory inventory, Set<CardId> wanted) {
        return names(inventory.cards().stream()
                .filter(card -> wanted.contains(card.id()))
                .flatMap(card -> holders(card).stream())
                .distinct()
                .toList());
    }

    /** Everybody who has any, as a few names; empty if nobody has. */
    public Optional<String> holders() {
        return names(cards.keySet().stream().sorted().toList());
    }

    private static Optional<String> names(List<String> holders) {
        List<String> names = new ArrayList<>(holders.subList(0, Math.min(MOST_NAMES, holders.size())));
        if (holders.size() > MOST_NAMES) {
            names.add("and " + (holders.size() - MOST_NAMES) + " more");
        }
        return Optional.of(String.join(", ", names)).filter(text -> !text.isEmpty());
    }
}
