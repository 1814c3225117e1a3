package io.gpushare.model;

import io.gpushare.model.card.CardId;
import io.gpushare.model.card.MemoryUnit;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/** Demand and its cards, as written in the pod's annotation. */
public record Allocation(MemoryUnit unit, List<ContainerAllocation> containers) {
    public Allocation {
        Objects.requireNonNull(unit);
        containers = List.copyOf(containers);
        new Demand(containers.stream().map(ContainerAllocation::demand).toList());
    }

    /**
     * Whether its containers are those of the demand, each with as much as it asks for. On which cards is no part of the
     * question: what a pod wishes may be edited later, what it was given stays.
     */
    public boolean gives(Demand demand) {
        return demand.containers()
                .equals(containers.stream().map(ContainerAllocation::demand).toList());
    }

    public Optional<ContainerAllocation> container(String name) {
        return containers.stream().filter(c -> c.name().equals(name)).findFirst();
    }

    /** The cards that any container has whole. */
    public Set<CardId> wholeCards() {
        Set<CardId> cards = new LinkedHashSet<>();
        containers.forEach(container -> cards.addAll(container.cards()));
        return cards;
    }

    /** The cards on which any container has memory. */
    public Set<CardId> memoryCards() {
        Set<CardId> cards = new LinkedHashSet<>();
        containers.forEach(container -> cards.addAll(container.memory().keySet()));
        return cards;
    }

    /** The most units that the pod holds on that card at one time. */
    public int unitsOn(CardId card) {
        return Math.toIntExact(Demand.peak(
                containers,
                ContainerAllocation::role,
                container -> container.memory().getOrDefault(card, 0)));
    }
}
