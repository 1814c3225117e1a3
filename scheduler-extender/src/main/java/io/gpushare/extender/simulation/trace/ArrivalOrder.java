package io.gpushare.extender.simulation.trace;

import io.gpushare.extender.capacity.PodRequest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** The order in which pods arrive, and how many. */
public sealed interface ArrivalOrder {
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
