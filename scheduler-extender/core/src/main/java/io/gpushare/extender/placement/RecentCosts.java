package io.gpushare.extender.placement;

import io.gpushare.extender.capacity.FreeNode;
import io.gpushare.extender.capacity.PodRequest;
import io.gpushare.extender.policy.scoring.Scoring;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Remembers what recent kinds of pods cost on each node. Pods come in kinds, and few nodes change between two pods of a
 * kind: for the others only a version is compared. Safe for several threads: shared values are replaced, never changed,
 * and a value that another thread overwrites is computed again.
 */
public final class RecentCosts {
    private static final int KINDS = 32;

    private final ClusterNodes nodes;
    private final AtomicReferenceArray<@Nullable Kind> recent = new AtomicReferenceArray<>(KINDS);
    private final AtomicInteger turn = new AtomicInteger();

    RecentCosts(ClusterNodes nodes) {
        this.nodes = nodes;
    }

    /** The costs of one kind of pod by node index, and the version of the node that each cost is for. */
    private static final class Known {
        private static final int UNKNOWN = -2;

        private final int[] versions;
        private final double[] costs;
        private final int size;
        // The count of changes that the costs include; below 0 before the first read.
        private volatile int changes = -1;
        // Computed on demand; two threads may compute it, with the same result.
        private volatile int cheapest = UNKNOWN;

        Known(int[] versions, double[] costs, int size) {
            this.versions = versions;
            this.costs = costs;
            this.size = size;
        }

        Known copy(int newSize) {
            return new Known(versions.clone(), costs.clone(), newSize);
        }

        int cheapest(ClusterNodes nodes, PodRequest pod) {
            int found = cheapest;
            if (found == UNKNOWN) {
                int[] all = IntStream.range(0, size).toArray();
                found = new NodeCosts(nodes, all, costs, Double.POSITIVE_INFINITY, pod).cheapest();
                cheapest = found;
            }
            return found;
        }
    }

    private final class Kind {
        private final Scoring scoring;
        private final PodRequest pod;
        private volatile Known known = new Known(new int[nodes.capacity()], new double[nodes.capacity()], 0);

        Kind(Scoring scoring, PodRequest pod) {
            this.scoring = scoring;
            this.pod = pod;
        }

        boolean matches(Scoring other, PodRequest request) {
            return scoring.equals(other) && pod.equals(request);
        }

        /** Brings the costs up to date for all nodes, named in the request or not. */
        private Known current() {
            Known now = known;
            int changes = nodes.changes();
            int size = nodes.size();
            // A new node has its index before its change is counted.
            if (now.changes == changes && now.size == size) {
                return now;
            }
            boolean copied = false;
            for (int index = 0; index < size; index++) {
                int version = nodes.version(index);
                if (now.versions[index] != version) {
                    if (!copied) {
                        now = now.copy(size);
                        copied = true;
                    }
                    now.costs[index] = cost(nodes.node(index), scoring, pod);
                    now.versions[index] = version;
                }
            }
            now.changes = changes;
            if (copied) {
                known = now;
            }
            return now;
        }
    }

    /**
     * What the pod costs on each of these nodes.
     *
     * @param indices below 0 for an unknown node; not copied
     */
    public NodeCosts of(int[] indices, Scoring scoring, PodRequest pod) {
        double unknown = cost(FreeNode.NOWHERE, scoring, pod);
        return new NodeCosts(nodes, indices, kind(scoring, pod).current().costs, unknown, pod);
    }

    /** The index of the node where the pod costs least, as {@link NodeCosts#cheapest}; -1 if it fits no node. */
    public int cheapest(Scoring scoring, PodRequest pod) {
        return kind(scoring, pod).current().cheapest(nodes, pod);
    }

    private Kind kind(Scoring scoring, PodRequest pod) {
        for (int i = 0; i < KINDS; i++) {
            @Nullable Kind kind = recent.get(i);
            if (kind != null && kind.matches(scoring, pod)) {
                return kind;
            }
        }
        Kind added = new Kind(scoring, pod);
        recent.set(Math.floorMod(turn.getAndIncrement(), KINDS), added);
        return added;
    }

    /** What a pod costs on one node; infinite if it does not fit. */
    public static double cost(FreeNode node, Scoring scoring, PodRequest pod) {
        // A pod without cards takes nothing from a node without cards.
        boolean free = !pod.gpu() && node.cards().isEmpty();
        return free ? 0 : scoring.best(node, pod).cost();
    }
}
