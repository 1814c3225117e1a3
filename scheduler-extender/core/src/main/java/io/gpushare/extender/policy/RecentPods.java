package io.gpushare.extender.policy;

import io.gpushare.extender.pod.PodRequest;
import io.gpushare.model.card.CardKind;
import io.gpushare.model.card.Share;
import io.gpushare.model.ledger.CardState;
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
    // So are pods that take MIG instances, by at most this part.
    private static final double EXPECTED_JOBS = 0.25;
    private static final int LARGEST_JOB = 8;

    private final Deque<PodRequest> pods = new ArrayDeque<>();
    private long arrived;

    void add(PodRequest pod) {
        arrived++;
        if (pods.size() == MAX_PODS) {
            pods.removeFirst();
        }
        pods.addLast(pod);
    }

    /** The number of pods that were added, the latest and all before them. */
    long arrived() {
        return arrived;
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
     * @param nodes where they would come to
     */
    List<PodRequest> draw(Random random, double units, double cardUnits, List<KnownNode> nodes) {
        List<PodRequest> seen = new ArrayList<>(pods);
        List<CardKind> instances = seen.stream().anyMatch(pod -> pod.share().instances() > 0)
                ? List.of()
                : nodes.stream()
                        .flatMap(node ->
                                node.entry().cards().open().cards().stream().map(CardState::kind))
                        .filter(CardKind::instance)
                        .toList();
        double all = nodes.stream()
                .mapToLong(node -> node.entry().cards().open().units())
                .sum();
        double cut = instances.stream().mapToLong(CardKind::units).sum();
        double expectedInstances = Math.min(EXPECTED_JOBS, cut / all);
        int nodeCards = nodes.stream().mapToInt(RecentPods::fullCards).max().orElse(0);
        boolean jobsCome = nodeCards == 0 || seen.stream().anyMatch(pod -> pod.cards() > 0);
        double expectedJobs = jobsCome ? 0 : EXPECTED_JOBS;
        List<PodRequest> drawn = new ArrayList<>();
        double jobs = 0;
        double taken = 0;
        double requested = 0;
        while (requested < units && drawn.size() < MAX_DRAWN) {
            PodRequest pod;
            if (jobs < expectedJobs * requested) {
                pod = job(seen, cardUnits, cards(random, Math.min(LARGEST_JOB, nodeCards)));
                jobs += units(pod, cardUnits);
            } else if (taken < expectedInstances * requested) {
                pod = instance(seen, cardUnits, instances.get(random.nextInt(instances.size())));
                taken += pod.units();
            } else {
                pod = seen.get(random.nextInt(seen.size()));
            }
            drawn.add(pod);
            requested += units(pod, cardUnits);
        }
        return drawn;
    }

    private static int fullCards(KnownNode node) {
        return (int) node.entry().cards().open().cards().stream()
                .filter(card -> !card.kind().instance())
                .count();
    }

    private static int cards(Random random, int most) {
        int cards = 1;
        while (2 * cards <= most && random.nextBoolean()) {
            cards *= 2;
        }
        return cards;
    }

    /** A job of whole cards with the CPU and memory per unit of the pods seen. */
    private static PodRequest job(List<PodRequest> seen, double cardUnits, int cards) {
        return expected(seen, cardUnits, new PodRequest(0, 0, Share.NONE, cards, Set.of()));
    }

    private static PodRequest instance(List<PodRequest> seen, double cardUnits, CardKind kind) {
        Share share = Share.INSTANCE.withUnits(kind.units());
        return expected(seen, cardUnits, new PodRequest(0, 0, share, 0, Set.of(kind.model())));
    }

    /** The pod with the CPU and memory per unit of the pods seen. */
    private static PodRequest expected(List<PodRequest> seen, double cardUnits, PodRequest pod) {
        double units = seen.stream().mapToDouble(each -> units(each, cardUnits)).sum();
        double part = units == 0 ? 0 : units(pod, cardUnits) / units;
        double cpu = seen.stream().mapToDouble(PodRequest::cpuMilli).sum();
        double memory = seen.stream().mapToDouble(PodRequest::memoryMib).sum();
        return new PodRequest((long) (cpu * part), (long) (memory * part), pod.share(), pod.cards(), pod.models());
    }

    static double units(PodRequest pod, double cardUnits) {
        return pod.units() + pod.cards() * cardUnits;
    }
}
