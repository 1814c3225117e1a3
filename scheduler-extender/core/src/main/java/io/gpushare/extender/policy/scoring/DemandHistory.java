package io.gpushare.extender.policy.scoring;

import io.gpushare.extender.pod.PodRequest;
import io.gpushare.model.card.CardKind;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** Statistics of the pods that have arrived: how much they request, and how often. */
public final class DemandHistory {
    private final BoundedCounts<Integer> shares = new BoundedCounts<>();
    private final BoundedCounts<PodRequest> kinds = new BoundedCounts<>();
    private final BoundedCounts<Set<String>> unitsByModels = new BoundedCounts<>();
    private final BoundedCounts<Set<String>> cardsByModels = new BoundedCounts<>();
    private final BoundedCounts<Set<String>> instancesByModels = new BoundedCounts<>();
    private double singles;
    private double units;
    private double cards;
    private double cpuMilli;
    private double memoryMib;

    public void add(PodRequest pod) {
        kinds.add(pod.withoutMemory(), 1);
        if (!pod.gpu()) {
            return;
        }
        if (pod.share().instances() > 0) {
            instancesByModels.add(pod.models(), 1);
        } else if (pod.units() > 0) {
            shares.add(pod.units(), 1);
        } else if (pod.cards() == 1) {
            singles++;
        }
        units += pod.units();
        cards += pod.cards();
        cpuMilli += pod.cpuMilli();
        memoryMib += pod.memoryMib();
        if (!pod.models().isEmpty()) {
            unitsByModels.add(pod.models(), pod.units());
            cardsByModels.add(pod.models(), pod.cards());
        }
    }

    /** The number of pods by the memory units that they request on one card. */
    Map<Integer, Double> shares() {
        return shares.counts();
    }

    /** The number of pods that request one whole card, or one whole instance, and may have one of that kind. */
    double singles(CardKind kind) {
        if (!kind.instance()) {
            return singles;
        }
        return instancesByModels.counts().entrySet().stream()
                .filter(each -> each.getKey().isEmpty() || each.getKey().contains(kind.model()))
                .mapToDouble(Map.Entry::getValue)
                .sum();
    }

    /** The number of pods by what they request, except for the node's memory. */
    public Map<PodRequest, Double> kinds() {
        return kinds.counts();
    }

    /** Units requested by pods that select models, by those models. A whole card counts as {@code cardUnits}. */
    Map<Set<String>, Double> unitsByModels(double cardUnits) {
        Map<Set<String>, Double> demand = new HashMap<>(unitsByModels.counts());
        cardsByModels.counts().forEach((models, count) -> demand.merge(models, count * cardUnits, Double::sum));
        return demand;
    }

    /** Units requested by all pods. A whole card counts as {@code cardUnits}. */
    double units(double cardUnits) {
        return units + cards * cardUnits;
    }

    /** Thousandths of a CPU that pods request per unit; 0 if nothing is known. */
    double cpuPerUnit(double cardUnits) {
        double all = units(cardUnits);
        return all == 0 ? 0 : cpuMilli / all;
    }

    /** MiB of the node's memory that pods request per unit; 0 if nothing is known. */
    double memoryPerUnit(double cardUnits) {
        double all = units(cardUnits);
        return all == 0 ? 0 : memoryMib / all;
    }
}
