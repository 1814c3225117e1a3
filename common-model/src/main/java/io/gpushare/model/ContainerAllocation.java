package io.gpushare.model;

import io.gpushare.model.card.CardId;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** The cards of one container: units of memory by card, or whole cards, never both. */
public record ContainerAllocation(String name, ContainerRole role, Map<CardId, Integer> memory, List<CardId> cards) {
    public ContainerAllocation {
        Objects.requireNonNull(name);
        Objects.requireNonNull(role);
        // In the order given. Nearly all have one card, and a cluster has very many of these.
        memory = memory.size() == 1 ? Map.copyOf(memory) : Collections.unmodifiableMap(new LinkedHashMap<>(memory));
        cards = List.copyOf(cards);
        if (memory.isEmpty() == cards.isEmpty()) {
            throw new IllegalArgumentException("container '" + name + "' has either memory or whole cards");
        }
        if (memory.values().stream().anyMatch(units -> units <= 0)) {
            throw new IllegalArgumentException("container '" + name + "' has a card with no memory units");
        }
        if (Set.copyOf(cards).size() != cards.size()) {
            throw new IllegalArgumentException("container '" + name + "' has the same card twice");
        }
    }

    /** Memory units over all cards; 0 when it holds whole cards. */
    public int memoryUnits() {
        return memory.values().stream().mapToInt(Integer::intValue).reduce(0, Math::addExact);
    }

    /** Every card that the container may see, in the order in which it was given. */
    public Set<CardId> visibleCards() {
        return memory.isEmpty() ? new LinkedHashSet<>(cards) : memory.keySet();
    }

    /** What was asked for to get this. */
    ContainerDemand demand() {
        return new ContainerDemand(name, role, memoryUnits(), cards.size());
    }
}
