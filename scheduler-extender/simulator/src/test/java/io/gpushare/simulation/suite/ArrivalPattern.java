package io.gpushare.simulation.suite;

import io.gpushare.extender.pod.PodRequest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The order in which the pods of a cluster arrive. */
enum ArrivalPattern {
    RANDOM("in random order"),
    /** Pods of one kind come one after the other, as of a Deployment or a job. */
    BURSTS("in bursts"),
    SMALL_FIRST("small ones first"),
    LARGE_FIRST("large ones first"),
    SHARES_FIRST("shares before whole cards");

    private static final Comparator<PodRequest> BY_SIZE =
            Comparator.comparingInt(PodRequest::cards).thenComparingInt(PodRequest::units);

    private final String words;

    ArrivalPattern(String words) {
        this.words = words;
    }

    static ArrivalPattern draw(Draw draw) {
        return values()[draw.weighted(List.of(5.0, 2.0, 1.0, 1.0, 1.0))];
    }

    /** @param pods in random order */
    List<PodRequest> order(List<PodRequest> pods, Draw draw) {
        return switch (this) {
            case RANDOM -> pods;
            case BURSTS -> bursts(pods, draw);
            case SMALL_FIRST -> pods.stream().sorted(BY_SIZE).toList();
            case LARGE_FIRST -> pods.stream().sorted(BY_SIZE.reversed()).toList();
            case SHARES_FIRST ->
                pods.stream()
                        .sorted(Comparator.comparing(pod -> pod.cards() > 0))
                        .toList();
        };
    }

    private static List<PodRequest> bursts(List<PodRequest> pods, Draw draw) {
        List<List<PodRequest>> bursts = new ArrayList<>();
        for (PodRequest kind : pods.stream().distinct().toList()) {
            List<PodRequest> same = pods.stream().filter(kind::equals).toList();
            for (int at = 0; at < same.size(); ) {
                int end = Math.min(same.size(), at + draw.between(3, 30));
                bursts.add(same.subList(at, end));
                at = end;
            }
        }
        draw.shuffle(bursts);
        return bursts.stream().flatMap(List::stream).toList();
    }

    String describe() {
        return words;
    }
}
