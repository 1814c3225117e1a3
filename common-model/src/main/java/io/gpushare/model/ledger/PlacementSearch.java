package io.gpushare.model.ledger;

import io.gpushare.model.Allocation;
import io.gpushare.model.CardId;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerDemand;
import io.gpushare.model.Demand;
import io.gpushare.model.MemoryUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Looks for the cards of one demand: all memory of a pod on one card, and whole cards beside it. */
record PlacementSearch(MemoryUnit unit, List<CardState> cards, CardOrder order) {
    Placement place(Demand demand) {
        int memory = demand.memoryUnits();
        int whole = demand.cards();
        if (memory == 0) {
            return free(null, whole)
                    .<Placement>map(taken -> placed(demand, null, taken))
                    .orElse(new Placement.Refused(Refusal.NO_FREE_CARDS));
        }
        List<CardState> withMemory = cards.stream()
                .filter(state -> state.freeUnits() >= memory)
                .sorted(order.comparator())
                .toList();
        if (withMemory.isEmpty()) {
            return new Placement.Refused(Refusal.NO_CARD_WITH_MEMORY);
        }
        // The first card of the order that leaves enough free ones for the containers that take whole cards.
        for (CardState shared : withMemory) {
            Optional<List<CardId>> taken = free(shared, whole);
            if (taken.isPresent()) {
                return placed(demand, shared.card().id(), taken.get());
            }
        }
        return new Placement.Refused(Refusal.NO_FREE_CARDS);
    }

    private Optional<List<CardId>> free(@Nullable CardState except, int count) {
        Stream<CardState> free = cards.stream().filter(state -> state.free() && !state.equals(except));
        List<CardId> taken = free.limit(count).map(state -> state.card().id()).toList();
        return taken.size() == count ? Optional.of(taken) : Optional.empty();
    }

    private Placement placed(Demand demand, @Nullable CardId shared, List<CardId> whole) {
        List<ContainerAllocation> containers = new ArrayList<>();
        int held = 0;
        for (ContainerDemand container : demand.containers()) {
            if (shared != null && container.memoryUnits() > 0) {
                containers.add(new ContainerAllocation(
                        container.name(), container.role(), Map.of(shared, container.memoryUnits()), List.of()));
            } else {
                // An init container's cards are free again for those after it; the others keep theirs.
                List<CardId> own = whole.subList(held, held + container.cards());
                containers.add(new ContainerAllocation(container.name(), container.role(), Map.of(), own));
                held += switch (container.role()) {
                    case INIT -> 0;
                    case SIDECAR, APP -> container.cards();
                };
            }
        }
        return new Placement.Placed(new Allocation(unit, containers));
    }
}
