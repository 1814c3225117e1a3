package io.gpushare.simulation.trace;

import io.gpushare.extender.pod.PodRequest;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Nodes, and the pods that come to them.
 *
 * @param note what is not known of them, as a sentence; empty for nothing
 */
public record Workload(NodeTrace nodes, List<PodRequest> pods, String note) {
    public Workload {
        pods = List.copyOf(pods);
    }

    /**
     * Reads both from files, or from a cluster.
     *
     * @param cluster the address of an extender or a file; it has the nodes, and the pods if no file of pods is named
     */
    public static Workload read(@Nullable Path nodes, @Nullable Path pods, @Nullable String cluster)
            throws BadInputException {
        if (cluster != null) {
            if (nodes != null) {
                throw new BadInputException("--from-cluster has the nodes: omit --nodes");
            }
            ClusterTrace trace = ClusterTrace.read(cluster);
            return pods == null
                    ? trace.workload()
                    : of(
                            trace.nodes(),
                            PodTrace.read(pods).stream()
                                    .map(Workload::cardsOnly)
                                    .toList(),
                            "");
        }
        if (nodes == null || pods == null) {
            throw new BadInputException("name the files with --nodes and --pods, or a cluster with --from-cluster;"
                    + " --help lists the options");
        }
        return of(NodeTrace.read(nodes), PodTrace.read(pods), "");
    }

    static Workload of(NodeTrace nodes, List<PodRequest> pods, String note) {
        return new Workload(nodes, pods.stream().map(nodes.resolver()).toList(), note);
    }

    /** The pod without what a cluster does not tell of its nodes. */
    private static PodRequest cardsOnly(PodRequest pod) {
        return new PodRequest(0, 0, pod.share(), pod.cards(), pod.models());
    }
}
