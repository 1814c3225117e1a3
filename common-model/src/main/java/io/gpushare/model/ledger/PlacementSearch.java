package io.gpushare.model.ledger;

import io.gpushare.model.Allocation;
import io.gpushare.model.CardId;
import io.gpushare.model.CardSelector;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerDemand;
import io.gpushare.model.Demand;
import io.gpushare.model.Inventory;
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
        List<CardState> shared = shared(demand, memory, allowed, free.size());
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
        List<CardState> whole = free.stream()
                .filter(state -> !shared.contains(state))
                .limit(demand.cards())
                .toList();
        return whole.size() < demand.cards()
                ? new Placement.Refused(Refusal.NO_FREE_CARDS)
                : placed(demand, shared, whole);
    }

    /** The first cards of the order that leave enough free ones for the containers that take whole cards. */
    private List<CardState> shared(Demand demand, int memory, List<CardState> allowed, int free) {
        List<CardState> shared = new ArrayList<>();
        int fresh = free - demand.cards();
        for (CardState state : allowed.stream().sorted(order.comparator()).toList()) {
            if (shared.size() < memory
                    && forMemory.test(state)
                    && state.freeUnits() >= demand.unitsOnEachCard()
                    && (!state.free() || fresh > 0)) {
                shared.add(state);
                fresh -= state.free() ? 1 : 0;
            }
        }
        return shared;
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
