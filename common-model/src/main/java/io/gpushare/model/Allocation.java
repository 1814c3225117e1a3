package io.gpushare.model;

import io.gpushare.model.card.CardId;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.Share;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The cards of a pod by container, as written in its annotation. */
public record Allocation(MemoryUnit unit, List<ContainerAllocation> containers) {
    public Allocation {
        containers = List.copyOf(containers);
        new Demand(containers.stream().map(ContainerAllocation::demand).toList());
    }

    /**
     * Whether its containers are those of the demand and each has as much as it requests. The cards are not compared: a
     * user may edit a pod's card requirements later, and the pod keeps its cards.
     */
    public boolean gives(Demand demand) {
        return demand.containers().size() == containers.size()
                && IntStream.range(0, containers.size())
                        .allMatch(i -> demand.containers().get(i).givenBy(containers.get(i)));
    }

    /**
     * This allocation without the percentages of containers that request none, as far as the demand knows: a program
     * for which they are no resource leaves them out, and nobody may hold them by an annotation alone.
     */
    public Allocation withoutExcessPercents(Demand demand) {
        if (containers.stream().noneMatch(container -> container.total().hasPercents())) {
            return this;
        }
        Set<String> requesting = demand.containers().stream()
                .filter(container -> container.request().hasPercents())
                .map(ContainerDemand::name)
                .collect(Collectors.toSet());
        return new Allocation(
                unit,
                containers.stream()
                        .map(container -> requesting.contains(container.name())
                                ? container
                                : container.of(Share::withoutPercents))
                        .toList());
    }

    /** Whether its containers have slots. */
    public boolean slotted() {
        return containers.stream().anyMatch(container -> container.total().slots() > 0);
    }

    public Optional<ContainerAllocation> container(String name) {
        return containers.stream().filter(c -> c.name().equals(name)).findFirst();
    }

    /** The cards of all containers. */
    public Set<CardId> cards() {
        if (containers.size() == 1) {
            return containers.getFirst().visibleCards();
        }
        Set<CardId> cards = new LinkedHashSet<>();
        containers.forEach(container -> cards.addAll(container.visibleCards()));
        return cards;
    }

    /** The cards of both allocations, for a pod of which it is unknown which of them is true. */
    public Allocation or(Allocation other) {
        List<ContainerAllocation> both = new ArrayList<>(containers);
        other.containers.stream()
                .filter(container -> !containers.contains(container))
                // No container of a pod can have such a name.
                .map(container ->
                        new ContainerAllocation(container.name() + " ?", container.role(), container.shares()))
                .forEach(both::add);
        both.sort(Comparator.comparing(container -> container.role() == ContainerRole.APP));
        return new Allocation(unit, both);
    }

    /** The most that the pod holds of that card at one time; none where the card is not its own. */
    public Share shareOn(CardId card) {
        return containers.size() == 1
                ? containers.getFirst().on(card)
                : Demand.peakShare(containers, ContainerAllocation::role, container -> container.on(card));
    }
}
