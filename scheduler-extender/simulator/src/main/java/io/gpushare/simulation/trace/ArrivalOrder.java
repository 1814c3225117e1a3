package io.gpushare.simulation.trace;

import io.gpushare.extender.pod.PodRequest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** The order in which pods arrive, and how many. */
public sealed interface ArrivalOrder {
    /** The most pods that are drawn. */
    int MAX_PODS = 2_000_000;

    /** Each pod once, in the order of the list. */
    record Once() implements ArrivalOrder {}

    /**
     * The pods of the list, shuffled, then more drawn from it at random, until they request that many per cent of the
     * capacity of all cards: the experiment of the FGD paper.
     */
    record Shuffled(int percent) implements ArrivalOrder {
        public Shuffled {
            if (percent < 1) {
                throw new IllegalArgumentException("at least one per cent of the capacity must arrive");
            }
        }
    }

    /** Refuses a list of pods so small that millions would have to be drawn. */
    static void check(ArrivalOrder arrivals, List<PodRequest> list, GpuWork work) throws BadInputException {
        double each = list.stream().mapToDouble(work::percent).average().orElse(0);
        if (arrivals instanceof Shuffled(int percent) && percent / each > MAX_PODS) {
            throw new BadInputException("--arrive " + percent + " would take more than " + MAX_PODS
                    + " pods of this list: use a smaller percentage, a smaller cluster, or --once");
        }
    }

    /** The pods in the order of that seed. */
    static List<PodRequest> of(ArrivalOrder arrivals, List<PodRequest> list, GpuWork work, long seed) {
        return switch (arrivals) {
            case Once() -> list;
            case Shuffled(int percent) -> shuffled(list, work, percent, seed);
        };
    }

    private static List<PodRequest> shuffled(List<PodRequest> list, GpuWork work, int percent, long seed) {
        Random random = new Random(seed);
        List<PodRequest> order = new ArrayList<>(list);
        Collections.shuffle(order, random);
        List<PodRequest> pods = new ArrayList<>();
        double arrived = 0;
        while (arrived < percent) {
            PodRequest pod =
                    pods.size() < order.size() ? order.get(pods.size()) : list.get(random.nextInt(list.size()));
            pods.add(pod);
            arrived += work.percent(pod);
        }
        return pods;
    }
}
