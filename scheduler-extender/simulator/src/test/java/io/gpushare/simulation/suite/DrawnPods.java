package io.gpushare.simulation.suite;

import io.gpushare.extender.pod.PodRequest;
import io.gpushare.model.card.Share;
import io.gpushare.simulation.trace.MigProfile;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Kinds of pods, how often each comes, and how many: one to five sizes of shares, jobs of 1 to 8 whole cards, where
 * cards are cut pods that take an instance whole, and perhaps pods without GPU and pods that select models.
 *
 * @param weights one per kind
 * @param percent how much of the capacity arrives
 */
record DrawnPods(DrawnNodes nodes, List<PodRequest> kinds, List<Double> weights, double models, int percent) {
    DrawnPods {
        kinds = List.copyOf(kinds);
        weights = List.copyOf(weights);
    }

    static DrawnPods draw(Draw draw, DrawnNodes nodes) {
        List<PodRequest> kinds = new ArrayList<>();
        List<Double> weights = new ArrayList<>();
        // In CPU-bound mixes pods request as much as the nodes have, or more.
        double host = draw.chance(0.3) ? draw.between(0.8, 1.3) : draw.between(0.2, 0.7);
        double drawn = draw.chance(0.12) ? 0 : draw.chance(0.1) ? 1 : draw.between(0.1, 0.8);
        double whole = nodes.mostCards() == 0 ? 0 : drawn;
        if (whole < 1) {
            boolean large = draw.chance(0.25);
            Set<Integer> sizes = new HashSet<>();
            int count = draw.between(1, 5);
            for (int i = 0; i < count; i++) {
                int size = draw.between(1, Math.min(nodes.largestCard(), large ? nodes.largestCard() : 12));
                if (sizes.add(size)) {
                    kinds.add(pod(draw, nodes, host, size, 0));
                    weights.add((1 - whole) * draw.between(0.2, 1.0) / size);
                }
            }
        }
        if (whole > 0) {
            Set<Integer> sizes = new HashSet<>();
            int count = draw.between(1, 3);
            for (int i = 0; i < count; i++) {
                int cards = Math.min(nodes.mostCards(), draw.oneOf(1, 1, 1, 2, 2, 4, 8));
                if (sizes.add(cards)) {
                    kinds.add(pod(draw, nodes, host, 0, cards));
                    weights.add(whole * draw.between(0.2, 1.0) / (cards * nodes.cardUnits()));
                }
            }
        }
        addInstances(draw, nodes, host, kinds, weights);
        if (draw.chance(0.2)) {
            kinds.add(pod(draw, nodes, host, 0, 0));
            weights.add(weights.stream().mapToDouble(Double::doubleValue).sum() * draw.between(0.05, 0.3));
        }
        double models = nodes.kinds().size() > 1 && draw.chance(0.3) ? draw.between(0.1, 0.5) : 0;
        return new DrawnPods(nodes, kinds, weights, models, draw.between(70, 130));
    }

    /**
     * Most profiles of the cluster are requested, by half to one and a half times the part of the memory that they
     * have.
     */
    private static void addInstances(
            Draw draw, DrawnNodes nodes, double host, List<PodRequest> kinds, List<Double> weights) {
        double others = 0;
        for (int i = 0; i < kinds.size(); i++) {
            others += weights.get(i) * (kinds.get(i).units() + kinds.get(i).cards() * nodes.cardUnits());
        }
        double allOthers = others;
        nodes.instances().forEach((kind, count) -> {
            if (draw.chance(0.7)) {
                PodRequest pod = pod(draw, nodes, host, kind.units(), 0);
                kinds.add(new PodRequest(
                        pod.cpuMilli(),
                        pod.memoryMib(),
                        Share.INSTANCE.withUnits(kind.units()),
                        0,
                        Set.of(kind.model())));
                weights.add(allOthers * count / nodes.units() * draw.between(0.5, 1.5));
            }
        });
    }

    private static PodRequest pod(Draw draw, DrawnNodes nodes, double host, int units, int cards) {
        DrawnNodes.Kind like = draw.oneOf(nodes.kinds());
        double part = cards > 0 ? cards : units > 0 ? units / nodes.cardUnits() : 0.3;
        double cpu = part * like.cpuPerCard() * host * draw.between(0.6, 1.2);
        double memory = part * like.memoryPerCard() * host * draw.between(0.3, 1.0);
        return new PodRequest((long) cpu / 100 * 100, (long) memory, units, cards, Set.of());
    }

    /** The pods that arrive, in a random order. */
    List<PodRequest> arriving(Draw draw) {
        List<PodRequest> pods = new ArrayList<>();
        double wanted = nodes.units() * percent / 100.0;
        for (double arrived = 0; arrived < wanted; ) {
            PodRequest pod = kinds.get(draw.weighted(weights));
            pods.add(draw.chance(models) ? selecting(pod, draw) : pod);
            arrived += pod.units() + pod.cards() * nodes.cardUnits();
        }
        return pods;
    }

    /** The same pod for one model only, of those on which it fits. */
    private PodRequest selecting(PodRequest pod, Draw draw) {
        List<Set<String>> fitting = nodes.kinds().stream()
                .filter(kind -> kind.each().stream().anyMatch(card -> pod.units() <= card.units())
                        && pod.cards() <= kind.full())
                .map(DrawnNodes.Kind::models)
                .toList();
        return !pod.gpu() || fitting.isEmpty() || pod.share().instances() > 0
                ? pod
                : new PodRequest(pod.cpuMilli(), pod.memoryMib(), pod.share(), pod.cards(), draw.oneOf(fitting));
    }

    String describe() {
        List<String> words = new ArrayList<>();
        for (PodRequest pod : kinds) {
            words.add(
                    pod.cards() > 0
                            ? pod.cards() + " whole"
                            : pod.share().instances() > 0
                                    ? "one "
                                            + MigProfile.profile(
                                                    pod.models().iterator().next())
                                    : pod.units() > 0 ? pod.units() + " units" : "no GPU");
        }
        return "pods of " + String.join(", ", words) + (models > 0 ? ", some for one model" : "") + "; " + percent
                + " %";
    }
}
