package io.gpushare.extender.placement;

import java.util.Map;
import java.util.Set;

/** What is known of the pods that came: how much they ask for, how often. The rest of a pod is forgotten. */
public final class Seen {
    private final double cardUnits;
    private final Counts<Integer> shares = new Counts<>();
    private final Counts<PodRequest> kinds = new Counts<>();
    private final Counts<Set<String>> demand = new Counts<>();
    private double singles;
    private double units;
    private double cpuMilli;
    private double memoryMib;

    public Seen(Capacity capacity) {
        cardUnits = capacity.cardUnits();
    }

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
        double asked = pod.units() + pod.cards() * cardUnits;
        units += asked;
        cpuMilli += pod.cpuMilli();
        memoryMib += pod.memoryMib();
        if (!pod.models().isEmpty()) {
            demand.add(pod.models(), asked);
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
    Map<PodRequest, Double> kinds() {
        return kinds.counts();
    }

    /** Units asked for by pods that name models. */
    Map<Set<String>, Double> demand() {
        return demand.counts();
    }

    /** Units asked for by all pods, a whole card counting as the mean one. */
    double units() {
        return units;
    }

    /** Thousandths of a cpu that pods ask for beside one unit; 0 when nothing is known. */
    double cpuPerUnit() {
        return units == 0 ? 0 : cpuMilli / units;
    }

    /** MiB of the node's memory that pods ask for beside one unit; 0 when nothing is known. */
    double memoryPerUnit() {
        return units == 0 ? 0 : memoryMib / units;
    }
}
