package io.gpushare.extender.policy.scoring;

import io.gpushare.extender.capacity.Candidate;
import io.gpushare.extender.capacity.ClusterCapacity;
import io.gpushare.extender.capacity.FreeCard;
import io.gpushare.extender.capacity.FreeNode;
import io.gpushare.extender.feasibility.CardKind;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Waste, stranding, price: a pod goes where it leaves the least that nobody will be able to use. All in units.
 *
 * <ul>
 *   <li>waste: what the card's free room will still hold unused after some more pods, {@link Waste};
 *   <li>stranding: idle units that the node's free cpu, or memory, can't feed at the rate at which pods ask for them;
 *   <li>price: what pods that name models ask of this model, as a share of all demand, against its share of the
 *       cluster. Rare models stay for those who need them.
 * </ul>
 *
 * A whole card counts as one mean card, so that large cards are not given away for being large.
 */
public final class Wsp implements Scoring {
    /** How much a unit's price counts beside a unit's waste. */
    private static final double PRICE = 0.5;

    private record Worth(double waste, double price) {}

    private final Map<CardKind, Waste> wastes = new HashMap<>();
    private final Map<CardKind, Worth> whole = new HashMap<>();
    private final Map<CardKind, Double> prices = new HashMap<>();
    // A kind that came into the cluster since this was thought: as if nothing were known of pods.
    private final Worth unheard;
    private final double cpuPerUnit;
    private final double memoryPerUnit;

    public Wsp(DemandHistory seen, ClusterCapacity capacity) {
        double mean = capacity.cardUnits();
        cpuPerUnit = seen.cpuPerUnit(mean);
        memoryPerUnit = seen.memoryPerUnit(mean);
        unheard = new Worth(mean, 0);
        for (CardKind kind : capacity.cards().keySet()) {
            Waste waste = new Waste(seen, kind.units());
            double price = PRICE * price(kind.model(), seen, capacity);
            wastes.put(kind, waste);
            prices.put(kind, price);
            whole.put(kind, new Worth(waste.of(kind.units()) / kind.units() * mean, price * mean));
        }
    }

    private static double price(String model, DemandHistory seen, ClusterCapacity capacity) {
        double supply = capacity.unitsOf(Set.of(model));
        double asked = 0;
        double mean = capacity.cardUnits();
        for (Map.Entry<Set<String>, Double> each : seen.demand(mean).entrySet()) {
            if (each.getKey().contains(model)) {
                asked += each.getValue() * supply / capacity.unitsOf(each.getKey());
            }
        }
        return asked == 0 ? 0 : (asked / seen.units(mean)) / (supply / capacity.units());
    }

    @Override
    public double cost(Candidate way) {
        double cost = 0;
        FreeCard shared = way.shared();
        if (shared != null) {
            @Nullable Waste waste = wastes.get(shared.kind());
            int units = way.pod().units();
            cost += waste == null ? -units : waste.of(shared.free() - units) - waste.of(shared.free());
            cost += prices.getOrDefault(shared.kind(), 0.0) * units;
        }
        for (FreeCard card : way.whole()) {
            Worth worth = whole.getOrDefault(card.kind(), unheard);
            cost += worth.price - worth.waste;
        }
        FreeNode node = way.node();
        long idle = node.idle() - way.units();
        long cpu = node.cpuMilli() - way.pod().cpuMilli();
        long memory = node.memoryMib() - way.pod().memoryMib();
        return cost + stranded(idle, cpu, memory) - stranded(node.idle(), node.cpuMilli(), node.memoryMib());
    }

    private double stranded(long idle, long cpu, long memory) {
        double stranded = 0;
        if (cpuPerUnit > 0) {
            stranded = Math.max(stranded, idle - Math.max(0, cpu) / cpuPerUnit);
        }
        if (memoryPerUnit > 0) {
            stranded = Math.max(stranded, idle - Math.max(0, memory) / memoryPerUnit);
        }
        return stranded;
    }
}
