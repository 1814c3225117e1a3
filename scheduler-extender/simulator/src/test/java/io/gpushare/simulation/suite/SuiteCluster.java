package io.gpushare.simulation.suite;

import io.gpushare.extender.pod.PodRequest;
import io.gpushare.extender.policy.KnownNode;
import io.gpushare.simulation.trace.TimedPod;
import java.util.ArrayList;
import java.util.List;

/**
 * A cluster of the suite and the pods that arrive at it, in their order.
 *
 * @param seed gives this cluster again
 * @param description what it is, in a line for users
 * @param arrivals the order of the pods in words
 * @param pods those that stay
 * @param timed those that end
 */
public record SuiteCluster(
        long seed,
        String description,
        String arrivals,
        List<KnownNode> nodes,
        List<PodRequest> pods,
        List<TimedPod> timed) {
    /** How long the pods of {@code timed} run on average, in seconds. */
    private static final double MEAN_DURATION = 3600;

    /** In each mean duration as many pods come as those that stay in the other replays. */
    private static final int DURATIONS = 3;

    public SuiteCluster {
        nodes = List.copyOf(nodes);
        pods = List.copyOf(pods);
        timed = List.copyOf(timed);
    }

    /**
     * The cluster of that seed.
     *
     * @param mig whether some of its cards are cut into MIG instances
     */
    public static SuiteCluster of(long seed, boolean mig) {
        Draw draw = new Draw(seed);
        DrawnNodes nodes = mig ? DrawnNodes.drawCut(draw) : DrawnNodes.draw(draw);
        DrawnPods pods = DrawnPods.draw(draw, nodes);
        ArrivalPattern pattern = ArrivalPattern.draw(draw);
        List<PodRequest> arriving = pattern.order(pods.arriving(draw), draw);
        return new SuiteCluster(
                seed,
                nodes.describe() + "; " + pods.describe() + ", " + pattern.describe(),
                pattern.describe(),
                nodes.nodes(seed),
                arriving,
                timed(pods, pattern, draw));
    }

    private static List<TimedPod> timed(DrawnPods pods, ArrivalPattern pattern, Draw draw) {
        List<TimedPod> timed = new ArrayList<>();
        for (int i = 0; i < DURATIONS; i++) {
            List<PodRequest> next = pattern.order(pods.arriving(draw), draw);
            for (int at = 0; at < next.size(); at++) {
                double created = MEAN_DURATION * (i + (double) at / next.size());
                timed.add(new TimedPod(next.get(at), (long) created, (long) draw.exponential(MEAN_DURATION)));
            }
        }
        return timed;
    }
}
