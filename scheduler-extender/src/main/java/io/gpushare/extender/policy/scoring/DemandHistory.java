package io.gpushare.extender.policy.scoring;

import io.gpushare.extender.capacity.PodRequest;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** What is known of the pods that came: how much they ask for, how often. The rest of a pod is forgotten. */
public final class DemandHistory {
    private final BoundedCounts<Integer> shares = new BoundedCounts<>();
    private final BoundedCounts<PodRequest> kinds = new BoundedCounts<>();
    private final BoundedCounts<Set<String>> unitDemand = new BoundedCounts<>();
    private final BoundedCounts<Set<String>> cardDemand = new BoundedCounts<>();
    private double singles;
    private double units;
    private double cards;
    private double cpuMilli;
    private double memoryMib;

    public void add(PodRequest pod) {
        kinds.add(new PodRequest(pod.cpuMilli(), 0, pod.units(), pod.cards(), pod.models()), 1);
        if (!pod.gpu()) {
            return;
        }
        if (pod.units() > 0) {
            shares.add(pod.units(), 1);
        } else if (pod.cards() == 1) {
            singles++;
        }
        units += pod.units();
        cards += pod.cards();
        cpuMilli += pod.cpuMilli();
        memoryMib += pod.memoryMib();
        if (!pod.models().isEmpty()) {
            unitDemand.add(pod.models(), pod.units());
            cardDemand.add(pod.models(), pod.cards());
        }
    }

    /** Pods by the units that they ask of one card. */
    Map<Integer, Double> shares() {
        return shares.counts();
    }

    /** Pods that ask for one whole card. */
    double singles() {
        return singles;
    }

    /** Pods by all that they ask for but the node's memory. */
    public Map<PodRequest, Double> kinds() {
        return kinds.counts();
    }

    /** Units asked for by pods that name models, a whole card counting so many. */
    Map<Set<String>, Double> demand(double cardUnits) {
        Map<Set<String>, Double> demand = new HashMap<>(unitDemand.counts());
        cardDemand.counts().forEach((models, count) -> demand.merge(models, count * cardUnits, Double::sum));
        return demand;
    }

    /** Units asked for by all pods, a whole card counting so many. */
    double units(double cardUnits) {
        return units + cards * cardUnits;
    }

    /** Thousandths of a cpu that pods ask for beside one unit; 0 when nothing is known. */
    double cpuPerUnit(double cardUnits) {
        double all = units(cardUnits);
        return all == 0 ? 0 : cpuMilli / all;
    }

    /** MiB of the node's memory that pods ask for beside one unit; 0 when nothing is known. */
    double memoryPerUnit(double cardUnits) {
        double all = units(cardUnits);
        return all == 0 ? 0 : memoryMib / all;
    }
}
