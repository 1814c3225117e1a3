package io.gpushare.extender.policy;

import io.gpushare.extender.capacity.PodRequest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** The latest pods that arrived, from which the next ones are drawn at random. */
final class RecentPods {
    static final int MAX_PODS = 500;
    private static final int MAX_DRAWN = 2000;
    // Before the first job of whole cards, jobs are taken to be this part of all units: an unused card keeps its value.
    private static final double EXPECTED_JOBS = 0.25;
    private static final int LARGEST_JOB = 8;

    private final Deque<PodRequest> pods = new ArrayDeque<>();

    void add(PodRequest pod) {
        if (pods.size() == MAX_PODS) {
            pods.removeFirst();
        }
        pods.addLast(pod);
    }

    boolean isEmpty() {
        return pods.isEmpty();
    }

    /** The same pods now, which do not change any more. */
    RecentPods copy() {
        RecentPods copy = new RecentPods();
        copy.pods.addAll(pods);
        return copy;
    }

    /**
     * Pods that request at least that many units together; a whole card counts as {@code cardUnits}.
     *
     * @param nodeCards cards of the largest node
     */
    List<PodRequest> draw(Random random, double units, double cardUnits, int nodeCards) {
        List<PodRequest> seen = new ArrayList<>(pods);
        boolean noJobs = seen.stream().noneMatch(pod -> pod.cards() > 0);
        List<PodRequest> drawn = new ArrayList<>();
        double jobs = 0;
        double requested = 0;
        while (requested < units && drawn.size() < MAX_DRAWN) {
            boolean expected = noJobs && jobs < EXPECTED_JOBS * requested;
            PodRequest pod = expected
                    ? job(seen, random, cardUnits, Math.min(LARGEST_JOB, nodeCards))
                    : seen.get(random.nextInt(seen.size()));
            drawn.add(pod);
            requested += units(pod, cardUnits);
            jobs += expected ? units(pod, cardUnits) : 0;
        }
        return drawn;
    }

    /** A job of whole cards with the CPU and memory per unit of the pods seen. */
    private static PodRequest job(List<PodRequest> seen, Random random, double cardUnits, int most) {
        int cards = 1;
        while (2 * cards <= most && random.nextBoolean()) {
            cards *= 2;
        }
        double units = seen.stream().mapToDouble(pod -> units(pod, cardUnits)).sum();
        double part = units == 0 ? 0 : cards * cardUnits / units;
        double cpu = seen.stream().mapToDouble(PodRequest::cpuMilli).sum();
        double memory = seen.stream().mapToDouble(PodRequest::memoryMib).sum();
        return new PodRequest((long) (cpu * part), (long) (memory * part), 0, cards, Set.of());
    }

    static double units(PodRequest pod, double cardUnits) {
        return pod.units() + pod.cards() * cardUnits;
    }
}
