package io.gpushare.extender.policy.scoring;

import io.gpushare.model.HostResources;
import io.gpushare.model.card.CardKind;
import io.gpushare.model.ledger.CardState;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Waste, stranding, price: a pod is placed where it leaves the least memory that no later pod can use. All in units.
 *
 * <ul>
 *   <li>waste: what stays unused of the card's free memory after some more pods, {@link Waste};
 *   <li>stranding: free units for which the node's free CPU or memory does not suffice, at the rate at which pods
 * request
 *       them;
 *   <li>price: the demand for this model by pods that select models, as a part of all demand, relative to the model's
 * part
 *       of the cluster. It keeps rare models free for the pods that need them.
 * </ul>
 *
 * A whole card counts as one average card, so that large cards are not preferred for their size.
 */
public final class Wsp implements Scoring {
    /** The weight of a unit's price against a unit of waste. */
    private static final double PRICE = 0.5;

    /** How many pods waste looks ahead: more would be further than a cluster allows whose pods also end. */
    private static final int DEPTH = 10;

    private record Worth(double waste, double price) {}

    private final Map<CardKind, Waste> wastes = new HashMap<>();
    private final Map<CardKind, Worth> whole = new HashMap<>();
    private final Map<CardKind, Double> prices = new HashMap<>();
    // For a kind that joined the cluster later: as if nothing were known of pods.
    private final Worth unknown;
    private final double cpuPerUnit;
    private final double memoryPerUnit;

    public Wsp(DemandHistory history, ClusterCapacity capacity) {
        this(history, capacity, DEPTH);
    }

    /** @param depth how many pods waste looks ahead on each card */
    Wsp(DemandHistory history, ClusterCapacity capacity, int depth) {
        double mean = capacity.cardUnits();
        cpuPerUnit = history.cpuPerUnit(mean);
        memoryPerUnit = history.memoryPerUnit(mean);
        unknown = new Worth(mean, 0);
        Map<String, Double> byModel = prices(history, capacity);
        for (CardKind kind : capacity.cards().keySet()) {
            Waste waste = new Waste(history, kind, depth);
            double price = PRICE * byModel.getOrDefault(kind.model(), 0.0);
            wastes.put(kind, waste);
            prices.put(kind, price);
            whole.put(kind, new Worth(waste.of(kind.units()) / kind.units() * mean, price * mean));
        }
    }

    /** The price of each model that pods select. */
    private static Map<String, Double> prices(DemandHistory history, ClusterCapacity capacity) {
        double mean = capacity.cardUnits();
        double demand = history.units(mean);
        Map<String, Long> supply = capacity.unitsByModel();
        Map<String, Double> requested = new HashMap<>();
        for (Map.Entry<Set<String>, Double> each : history.unitsByModels(mean).entrySet()) {
            long units = 0;
            for (String model : each.getKey()) {
                units += supply.getOrDefault(model, 0L);
            }
            for (String model : each.getKey()) {
                long own = supply.getOrDefault(model, 0L);
                if (own > 0) {
                    requested.merge(model, each.getValue() * own / units, Double::sum);
                }
            }
        }
        double all = capacity.units();
        requested.replaceAll(
                (model, units) -> units == 0 ? 0 : (units / demand) / (supply.getOrDefault(model, 0L) / all));
        return requested;
    }

    @Override
    public double cost(CardChoice choice) {
        double cost = 0;
        @Nullable CardState shared = choice.shared();
        if (shared != null) {
            @Nullable Waste waste = wastes.get(shared.kind());
            int units = choice.pod().units();
            cost += waste == null
                    ? -units
                    : waste.of(shared.free().units() - units)
                            - waste.of(shared.free().units());
            cost += prices.getOrDefault(shared.kind(), 0.0) * units;
        }
        for (CardState card : choice.whole()) {
            Worth worth = whole.getOrDefault(card.kind(), unknown);
            cost += worth.price - worth.waste;
        }
        long units = choice.node().cards().open().freeUnits();
        HostResources host = choice.node().free();
        return cost + stranded(units - choice.units(), host.minus(choice.pod().host())) - stranded(units, host);
    }

    private double stranded(long free, HostResources host) {
        double stranded = 0;
        if (cpuPerUnit > 0) {
            stranded = Math.max(stranded, free - Math.max(0, host.cpuMilli()) / cpuPerUnit);
        }
        if (memoryPerUnit > 0) {
            stranded = Math.max(stranded, free - Math.max(0, host.memoryMib()) / memoryPerUnit);
        }
        return stranded;
    }
}
