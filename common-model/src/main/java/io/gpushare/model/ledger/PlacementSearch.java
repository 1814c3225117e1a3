package io.gpushare.model.ledger;

import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerDemand;
import io.gpushare.model.Demand;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.selector.CardSelector;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Looks for the cards of one demand: as many for its memory as that is split over, the same for all containers, and whole
 * cards beside them.
 *
 * @param forMemory which cards may give memory
 * @param forWhole which cards may be taken whole
 */
record PlacementSearch(
        Inventory inventory,
        List<CardState> cards,
        CardOrder order,
        Predicate<CardState> forMemory,
        Predicate<CardState> forWhole) {
    Placement place(Demand demand) {
        List<CardState> allowed = allowed(demand.selector());
        int memory = demand.memoryUnits() == 0 ? 0 : demand.split();
        return hopeless(demand, allowed.size(), memory + demand.cards())
                .<Placement>map(Placement.Refused::new)
                .orElseGet(() -> place(demand, memory, allowed));
    }

    private List<CardState> allowed(CardSelector selector) {
        return selector.any()
                ? cards
                : cards.stream()
                        .filter(state -> selector.matches(state.card(), inventory.driver()))
                        .toList();
    }

    /** Why the node could not take it if nothing ran there. */
    private static Optional<Refusal> hopeless(Demand demand, int allowed, int needed) {
        if (allowed == 0 && !demand.selector().any()) {
            return Optional.of(Refusal.NO_CARD_OF_KIND);
        }
        return needed > 1 && needed > allowed ? Optional.of(Refusal.TOO_FEW_CARDS) : Optional.empty();
    }

    private Placement place(Demand demand, int memory, List<CardState> allowed) {
        List<CardState> free =
                allowed.stream().filter(CardState::free).filter(forWhole).toList();
        List<CardState> shared = shared(demand, memory, allowed, free);
        if (shared.size() < memory) {
            boolean reserved = allowed.stream()
                            .filter(state -> state.freeUnits() >= demand.unitsOnEachCard())
                            .count()
                    >= memory;
            return new Placement.Refused(
                    reserved
                            ? Refusal.NO_FREE_CARDS
                            : memory == 1 ? Refusal.NO_CARD_WITH_MEMORY : Refusal.NO_CARDS_WITH_MEMORY);
        }
        List<CardState> left =
                free.stream().filter(state -> !shared.contains(state)).toList();
        return left.size() < demand.cards()
                ? new Placement.Refused(Refusal.NO_FREE_CARDS)
                : placed(
                        demand,
                        shared,
                        BestLinked.choose(inventory.links(), left.subList(0, demand.cards()), left, Integer.MAX_VALUE));
    }

    /**
     * The first card of the order, or of several the best-linked ones, such that enough free cards are left for the
     * containers that take whole ones. Of free cards that are equally good the one that the others miss least is first.
     */
    private List<CardState> shared(Demand demand, int memory, List<CardState> allowed, List<CardState> free) {
        List<CardState> candidates = allowed.stream()
                .filter(state -> memory > 0 && forMemory.test(state) && state.freeUnits() >= demand.unitsOnEachCard())
                .sorted(order.comparator(state -> missed(state, free)))
                .toList();
        int mostFree = free.size() - demand.cards();
        List<CardState> first = new ArrayList<>();
        int fresh = 0;
        for (CardState state : candidates) {
            if (first.size() < memory && (!state.free() || fresh < mostFree)) {
                first.add(state);
                fresh += state.free() ? 1 : 0;
            }
        }
        return memory < 2 || first.size() < memory
                ? first
                : BestLinked.choose(inventory.links(), first, candidates, mostFree);
    }

    /** How near that free card is to the others that are free. */
    private int missed(CardState state, List<CardState> free) {
        return !state.free()
                ? 0
                : free.stream()
                        .filter(other -> !other.equals(state))
                        .mapToInt(other -> inventory
                                .links()
                                .closeness(state.card().id(), other.card().id()))
                        .sum();
    }

    private Placement placed(Demand demand, List<CardState> shared, List<CardState> whole) {
        List<CardId> taken = whole.stream().map(state -> state.card().id()).toList();
        List<ContainerAllocation> containers = new ArrayList<>();
        int held = 0;
        for (ContainerDemand container : demand.containers()) {
            if (container.memoryUnits() > 0) {
                Map<CardId, Integer> memory = new LinkedHashMap<>();
                shared.forEach(state -> memory.put(state.card().id(), container.memoryUnits() / demand.split()));
                containers.add(new ContainerAllocation(container.name(), container.role(), memory, List.of()));
            } else {
                // An init container's cards are free again for those after it; the others keep theirs.
                List<CardId> own = taken.subList(held, held + container.cards());
                containers.add(new ContainerAllocation(container.name(), container.role(), Map.of(), own));
                held += switch (container.role()) {
                    case INIT -> 0;
                    case SIDECAR, APP -> container.cards();
                };
            }
        }
        return new Placement.Placed(new Allocation(inventory.unit(), containers));
    }
}
