package io.gpushare.extender.policy;

import io.gpushare.extender.pod.PodRequest;
import io.gpushare.extender.pod.PolicyKind;
import io.gpushare.extender.policy.scoring.Scoring;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/**
 * Which of several policies would serve the next pods best: each one replays the same pods, drawn from the latest ones,
 * on the free capacity of the cluster, until more than the free capacity has arrived. Early pods count more than late
 * ones, as a cluster may never get that full. Pure and bounded: it takes a sample of a large cluster, and a tenth of a
 * second.
 *
 * @param present the policy in force, which another one must beat by more than the noise
 * @param scorings of the policies, in the order in which equal ones are preferred
 */
record Review(RecentPods pods, PolicyKind present, Map<PolicyKind, Scoring> scorings, double cardUnits, long seed) {
    private static final int MAX_NODES = 64;
    private static final int REPLAYS = 2;
    private static final double ARRIVING = 1.3;
    // In parts of the free capacity.
    private static final double NOISE = 0.003;

    /** The best policy for these nodes. */
    PolicyKind best(List<KnownNode> nodes) {
        List<KnownNode> sample = sample(nodes);
        double free = sample.stream()
                .mapToLong(node -> node.entry().cards().open().freeUnits())
                .sum();
        if (pods.isEmpty() || free == 0) {
            return present;
        }
        double arriving = ARRIVING * Math.max(free, cardUnits);
        Random random = new Random(seed);
        List<List<PodRequest>> replays = new ArrayList<>();
        for (int i = 0; i < REPLAYS; i++) {
            replays.add(pods.draw(random, arriving, cardUnits, sample));
        }
        PolicyKind best = present;
        double most = served(sample, present, replays, arriving) + REPLAYS * NOISE * free;
        for (PolicyKind kind : scorings.keySet()) {
            double served = kind == present ? 0 : served(sample, kind, replays, arriving);
            if (served > most) {
                best = kind;
                most = served;
            }
        }
        return best;
    }

    /** Every n-th node in their fixed order, which is a random one. */
    private static List<KnownNode> sample(List<KnownNode> nodes) {
        int step = Math.ceilDiv(Math.max(1, nodes.size()), MAX_NODES);
        List<KnownNode> sorted = nodes.stream().sorted(KnownNode.ORDER).toList();
        List<KnownNode> sample = new ArrayList<>();
        for (int i = 0; i < sorted.size(); i += step) {
            sample.add(sorted.get(i));
        }
        sample.sort(Comparator.comparingLong(KnownNode::order));
        return sample;
    }

    /** The units that this policy serves, each weighted by how early it comes. */
    private double served(List<KnownNode> nodes, PolicyKind kind, List<List<PodRequest>> replays, double arriving) {
        Scoring scoring = scorings.getOrDefault(kind, choice -> 0);
        double served = 0;
        for (List<PodRequest> replay : replays) {
            NodeChooser chooser = new NodeChooser(nodes);
            double arrived = 0;
            for (PodRequest pod : replay) {
                Optional<NodeChooser.Chosen> chosen = chooser.choose(scoring, pod);
                if (chosen.isPresent()) {
                    chooser.take(chosen.get());
                    served += chosen.get().cards().units() * (1 - arrived / arriving);
                }
                arrived += RecentPods.units(pod, cardUnits);
            }
        }
        return served;
    }
}
