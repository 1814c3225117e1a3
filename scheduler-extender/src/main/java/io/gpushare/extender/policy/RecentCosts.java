package io.gpushare.extender.policy;

import io.gpushare.extender.capacity.FreeNode;
import io.gpushare.extender.capacity.FreeNodes;
import io.gpushare.extender.capacity.PodRequest;
import io.gpushare.extender.policy.scoring.Scoring;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What some kinds of pods cost on each node, as it was when they were asked about last. Pods come in kinds, and between two
 * of a kind few nodes change: of the others nothing but two numbers is read. For several threads at once: what they share
 * is never changed, only replaced, and what one loses to another is only worked out again.
 */
public final class RecentCosts {
    private static final int KINDS = 32;

    private final FreeNodes rooms;
    private final AtomicReferenceArray<@Nullable Kind> recent = new AtomicReferenceArray<>(KINDS);
    private final AtomicInteger turn = new AtomicInteger();

    /** @param rooms those nodes */
    public RecentCosts(FreeNodes rooms) {
        this.rooms = rooms;
    }

    /** The costs of the first nodes by number, and which version of the node each is of. */
    private static final class Known {
        private static final int UNKNOWN = -2;

        private final int[] versions;
        private final double[] costs;
        private final int size;
        // So many changes of nodes are in it for certain; below 0 before any was looked at.
        private volatile int changes = -1;
        // Worked out when it is asked for; two threads may, and find the same.
        private volatile int cheapest = UNKNOWN;

        Known(int[] versions, double[] costs, int size) {
            this.versions = versions;
            this.costs = costs;
            this.size = size;
        }

        Known copy(int now) {
            return new Known(versions.clone(), costs.clone(), now);
        }

        int cheapest(FreeNodes rooms, PodRequest pod) {
            int found = cheapest;
            if (found == UNKNOWN) {
                int[] all = IntStream.range(0, size).toArray();
                found = new NodeCosts(rooms, all, all.length, costs, Double.POSITIVE_INFINITY, pod).cheapest();
                cheapest = found;
            }
            return found;
        }
    }

    private final class Kind {
        private final Scoring scoring;
        private final PodRequest pod;
        private final int hash;
        private volatile Known known = new Known(new int[rooms.capacity()], new double[rooms.capacity()], 0);

        Kind(Scoring scoring, PodRequest pod) {
            this.scoring = scoring;
            this.pod = pod;
            this.hash = pod.hashCode();
        }

        boolean of(Scoring asked, PodRequest request) {
            return scoring.equals(asked) && pod.equals(request);
        }

        /** One after the other, whichever are asked for: a few steps here and there would take as long. */
        private Known current() {
            Known now = known;
            int changes = rooms.changes();
            int size = rooms.size();
            // A new node is found by its number before its coming is counted.
            if (now.changes == changes && now.size == size) {
                return now;
            }
            boolean own = false;
            for (int number = 0; number < size; number++) {
                int version = rooms.version(number);
                if (now.versions[number] != version) {
                    if (!own) {
                        now = now.copy(size);
                        own = true;
                    }
                    now.costs[number] = cost(rooms.room(number), scoring, pod, hash);
                    now.versions[number] = version;
                }
            }
            now.changes = changes;
            if (own) {
                known = now;
            }
            return now;
        }

        NodeCosts costs(int[] numbers, int size) {
            return new NodeCosts(
                    rooms, numbers, size, current().costs, cost(FreeNode.NOWHERE, scoring, pod, hash), pod);
        }
    }

    /**
     * What the pod costs on each of the nodes with the first of these numbers.
     *
     * @param numbers below 0 for a node without anything; not to be changed as long as the costs are read
     * @param size how many
     */
    public NodeCosts of(int[] numbers, int size, Scoring scoring, PodRequest pod) {
        return kind(scoring, pod).costs(numbers, size);
    }

    /** The number of the node of all where the pod costs least, as {@link NodeCosts#cheapest}; -1 if it fits none. */
    public int cheapest(Scoring scoring, PodRequest pod) {
        return kind(scoring, pod).current().cheapest(rooms, pod);
    }

    private Kind kind(Scoring scoring, PodRequest pod) {
        for (int i = 0; i < KINDS; i++) {
            @Nullable Kind kind = recent.get(i);
            if (kind != null && kind.of(scoring, pod)) {
                return kind;
            }
        }
        Kind fresh = new Kind(scoring, pod);
        recent.set(Math.floorMod(turn.getAndIncrement(), KINDS), fresh);
        return fresh;
    }

    /** What a pod costs on one node; infinite where it doesn't fit. */
    public static double cost(FreeNode node, Scoring scoring, PodRequest pod) {
        return cost(node, scoring, pod, pod.hashCode());
    }

    private static double cost(FreeNode node, Scoring scoring, PodRequest pod, int hash) {
        // A pod without cards takes nothing from a node without them.
        boolean free = !pod.gpu() && node.cards().isEmpty();
        return free ? 0 : node.best(scoring, pod, hash).cost();
    }
}
