package io.gpushare.extender.policy.scoring;

import io.gpushare.extender.capacity.FreeCard;
import io.gpushare.extender.capacity.FreeNode;
import io.gpushare.extender.capacity.PodRequest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** The most frequent kinds of the pods that came, up to 95 in a hundred of them, each with its part of these. */
record TypicalPods(List<Kind> kinds) {
    private static final double PART = 0.95;

    record Kind(PodRequest pod, double part) {
        /** Whether the pod could have something of that card, by the card alone. */
        boolean suits(FreeCard card) {
            boolean room = pod.units() > 0 ? card.free() >= pod.units() : card.whole();
            return room && pod.allows(card.kind());
        }

        /** Whether the node has the cpu for such a pod. */
        boolean feeds(FreeNode node) {
            return pod.cpuMilli() <= node.cpuMilli();
        }

        /** How many cards that {@link #suits suit} it one pod needs. */
        int needs() {
            return pod.cards() + (pod.units() > 0 ? 1 : 0);
        }
    }

    TypicalPods {
        kinds = List.copyOf(kinds);
    }

    static TypicalPods of(Map<PodRequest, Double> counts) {
        return of(counts, Integer.MAX_VALUE);
    }

    /** The same, of so many kinds at most. */
    static TypicalPods of(Map<PodRequest, Double> counts, int most) {
        List<Map.Entry<PodRequest, Double>> often = counts.entrySet().stream()
                .sorted(Map.Entry.<PodRequest, Double>comparingByValue(Comparator.reverseOrder())
                        .thenComparing(Map.Entry::getKey, TypicalPods::compare))
                .toList();
        double all = counts.values().stream().mapToDouble(Double::doubleValue).sum();
        double taken = 0;
        int end = 0;
        while (end < often.size() && end < most && taken < PART * all) {
            taken += often.get(end++).getValue();
        }
        List<Kind> kinds = new ArrayList<>();
        for (Map.Entry<PodRequest, Double> each : often.subList(0, end)) {
            kinds.add(new Kind(each.getKey(), each.getValue() / taken));
        }
        return new TypicalPods(kinds);
    }

    private static int compare(PodRequest a, PodRequest b) {
        return Comparator.comparingLong(PodRequest::cpuMilli)
                .thenComparingInt(PodRequest::units)
                .thenComparingInt(PodRequest::cards)
                .thenComparing(
                        pod -> String.join("|", pod.models().stream().sorted().toList()))
                .compare(a, b);
    }
}
