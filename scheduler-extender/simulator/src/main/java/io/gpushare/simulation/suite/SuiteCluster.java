package io.gpushare.simulation.suite;

import io.gpushare.extender.capacity.FreeNode;
import io.gpushare.extender.capacity.PodRequest;
import java.util.List;

/**
 * A cluster of the suite and the pods that arrive at it, in their order.
 *
 * @param seed gives this cluster again
 * @param description what it is, in a line for users
 */
public record SuiteCluster(long seed, String description, List<FreeNode> nodes, List<PodRequest> pods) {
    public SuiteCluster {
        nodes = List.copyOf(nodes);
        pods = List.copyOf(pods);
    }

    /** The cluster of that seed. */
    public static SuiteCluster of(long seed) {
        Draw draw = new Draw(seed);
        DrawnNodes nodes = DrawnNodes.draw(draw);
        DrawnPods pods = DrawnPods.draw(draw, nodes);
        ArrivalPattern pattern = ArrivalPattern.draw(draw);
        List<PodRequest> arriving = pattern.order(pods.arriving(draw), draw);
        return new SuiteCluster(
                seed,
                nodes.describe() + "; " + pods.describe() + ", " + pattern.describe(),
                nodes.nodes(seed),
                arriving);
    }
}
