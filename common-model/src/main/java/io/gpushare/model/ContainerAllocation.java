package io.gpushare.model;

import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Share;
import io.gpushare.model.text.Printable;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * The cards of one container.
 *
 * @param shares its share of each card, in the order in which the cards were allocated: parts of shared cards, or whole
 *     cards, never both
 */
public record ContainerAllocation(String name, ContainerRole role, Map<CardId, Share> shares) {
    public ContainerAllocation {
        // Nearly all containers have one card, and a large cluster has very many containers.
        shares = shares.size() == 1 ? Map.copyOf(shares) : Collections.unmodifiableMap(new LinkedHashMap<>(shares));
        Share total = sum(shares.values());
        if (shares.isEmpty() || (total.takenWhole() > 0 && total.hasPart())) {
            throw new IllegalArgumentException(
                    "container " + Printable.quoted(name) + " has either memory or whole cards");
        }
        if (shares.values().stream()
                .anyMatch(share -> share.units() == 0 && share.takenWhole() == 0 && !share.isSlots())) {
            throw new IllegalArgumentException(
                    "container " + Printable.quoted(name) + " has a card with no memory units");
        }
    }

    private static Share sum(Collection<Share> shares) {
        return shares.stream().reduce(Share.NONE, Share::plus);
    }

    /** Its share of that card; none where the card is not its own. */
    public Share on(CardId card) {
        return shares.getOrDefault(card, Share.NONE);
    }

    /** The sum over all its cards. */
    public Share total() {
        return sum(shares.values());
    }

    /** Every card that the container may see, in the order in which they were allocated. */
    public Set<CardId> visibleCards() {
        return shares.keySet();
    }

    /** The cards of which no part of the memory is counted for it: whole ones, and those that it has in slots alone. */
    public Set<CardId> unlimitedCards() {
        return shares.entrySet().stream()
                .filter(share -> share.getValue().units() == 0)
                .map(Map.Entry::getKey)
                .collect(Collectors.toUnmodifiableSet());
    }

    /** The same cards, with that of its share of each. */
    public ContainerAllocation of(UnaryOperator<Share> part) {
        Map<CardId, Share> changed = new LinkedHashMap<>(shares);
        changed.replaceAll((_, share) -> part.apply(share));
        return new ContainerAllocation(name, role, changed);
    }

    /** The request that this allocation meets. */
    ContainerDemand demand() {
        return new ContainerDemand(name, role, total());
    }
}
