package io.gpushare.extender.placement;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * Fragmentation Gradient Descent, as published ("Beware of Fragmentation", USENIX ATC 2023): a pod goes where what is
 * free becomes useless to the typical pods by the least. Costs are whole numbers from -100 to 0, as the paper's are:
 * with them many nodes are equal, and the fixed order of the nodes then packs.
 */
final class Fgd implements Scoring {
    // The most frequent kinds that make up this part of all pods are the typical ones.
    private static final double PART = 0.95;

    private record Typical(PodRequest pod, double part) {}

    private final List<Typical> typical;
    private final double cardUnits;

    Fgd(Seen seen, Capacity capacity) {
        typical = typical(seen.kinds());
        cardUnits = capacity.cardUnits();
    }

    private static List<Typical> typical(Map<PodRequest, Double> counts) {
        List<Map.Entry<PodRequest, Double>> often = counts.entrySet().stream()
                .sorted(Map.Entry.<PodRequest, Double>comparingByValue(Comparator.reverseOrder())
                        .thenComparing(Map.Entry::getKey, Fgd::compare))
                .toList();
        double all = counts.values().stream().mapToDouble(Double::doubleValue).sum();
        double taken = 0;
        int end = 0;
        while (end < often.size() && taken < PART * all) {
            taken += often.get(end++).getValue();
        }
        List<Typical> typical = new ArrayList<>();
        for (Map.Entry<PodRequest, Double> each : often.subList(0, end)) {
            typical.add(new Typical(each.getKey(), each.getValue() / taken));
        }
        return typical;
    }

    private static int compare(PodRequest a, PodRequest b) {
        return Comparator.comparingLong(PodRequest::cpuMilli)
                .thenComparingInt(PodRequest::units)
                .thenComparingInt(PodRequest::cards)
                .thenComparing(
                        pod -> String.join("|", pod.models().stream().sorted().toList()))
                .compare(a, b);
    }

    @Override
    public double cost(Way way) {
        double less = (fragments(way.node()) - fragments(way.after())) / cardUnits;
        return -Math.floor(100 / (1 + Math.exp(-less)));
    }

    /** Idle units that a typical pod can't use: the mean over all of them. */
    private double fragments(NodeRoom node) {
        if (node.idle() == 0) {
            return 0;
        }
        double sum = 0;
        for (Typical each : typical) {
            sum += each.part * useless(node, each.pod);
        }
        return sum;
    }

    private static long useless(NodeRoom node, PodRequest pod) {
        if (!pod.gpu() || pod.cpuMilli() > node.cpuMilli()) {
            return node.idle();
        }
        long useless = 0;
        int fitting = 0;
        for (CardRoom card : node.cards()) {
            boolean fits = pod.units() > 0 ? card.free() >= pod.units() : card.whole();
            if (fits && pod.allows(card.kind())) {
                fitting++;
            } else {
                useless += card.free();
            }
        }
        return fitting >= pod.cards() + (pod.units() > 0 ? 1 : 0) ? useless : node.idle();
    }
}
