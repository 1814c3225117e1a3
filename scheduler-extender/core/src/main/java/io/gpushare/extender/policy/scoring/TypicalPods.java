package io.gpushare.extender.policy.scoring;

import io.gpushare.extender.pod.PodRequest;
import io.gpushare.model.card.Share;
import io.gpushare.model.ledger.CardState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** The most frequent kinds of pods, which together make up 95 % of the pods seen. */
record TypicalPods(List<Kind> kinds) {
    private static final double PART = 0.95;

    /** @param weight the part of the typical pods that are of this kind, 0 to 1 */
    record Kind(PodRequest pod, double weight) {
        /** Whether such a pod could use the card, by the card alone. */
        boolean fits(CardState card) {
            return CardChoice.isFree(pod.shares() ? pod.share() : Share.WHOLE_CARD, card) && pod.allows(card.kind());
        }

        /** Whether that much free CPU is enough for such a pod. */
        boolean fitsCpu(long cpuMilli) {
            return pod.cpuMilli() <= cpuMilli;
        }

        /** The number of cards that one such pod needs. */
        int cardCount() {
            return pod.cards() + (pod.shares() ? 1 : 0);
        }
    }

    TypicalPods {
        kinds = List.copyOf(kinds);
    }

    static TypicalPods of(Map<PodRequest, Double> counts) {
        return of(counts, Integer.MAX_VALUE);
    }

    /** The same, with at most that many kinds. */
    static TypicalPods of(Map<PodRequest, Double> counts, int maxKinds) {
        List<Map.Entry<PodRequest, Double>> mostFrequent = counts.entrySet().stream()
                .sorted(Map.Entry.<PodRequest, Double>comparingByValue(Comparator.reverseOrder())
                        .thenComparing(Map.Entry::getKey, TypicalPods::compare))
                .toList();
        double all = counts.values().stream().mapToDouble(Double::doubleValue).sum();
        double taken = 0;
        int end = 0;
        while (end < mostFrequent.size() && end < maxKinds && taken < PART * all) {
            taken += mostFrequent.get(end++).getValue();
        }
        List<Kind> kinds = new ArrayList<>();
        for (Map.Entry<PodRequest, Double> each : mostFrequent.subList(0, end)) {
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
