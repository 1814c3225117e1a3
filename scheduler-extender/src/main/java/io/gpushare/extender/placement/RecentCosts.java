package io.gpushare.extender.placement;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * What some kinds of pods cost on each node, as it was when they were asked about last. Pods come in kinds, and between two
 * of a kind few nodes change: of the others nothing but two numbers is read. For several threads at once: what they share
 * is never changed, only replaced, and what one loses to another is only worked out again.
 */
public final class RecentCosts {
    private static final int KINDS = 32;

    private final Rooms rooms;
    private final AtomicReferenceArray<@Nullable Kind> recent = new AtomicReferenceArray<>(KINDS);
    private final AtomicInteger turn = new AtomicInteger();

    /** @param rooms those nodes */
    public RecentCosts(Rooms rooms) {
        this.rooms = rooms;
    }

    /** The costs of all nodes by number, and which version of the node each is of. */
    private static final class Known {
        private final int[] versions;
        private final double[] costs;

        Known(int[] versions, double[] costs) {
            this.versions = versions;
            this.costs = costs;
        }

        Known copy() {
            return new Known(versions.clone(), costs.clone());
        }
    }

    private final class Kind {
        private final Scoring scoring;
        private final PodRequest pod;
        private final int hash;
        private volatile Known known = new Known(new int[rooms.capacity()], new double[rooms.capacity()]);

        Kind(Scoring scoring, PodRequest pod) {
            this.scoring = scoring;
            this.pod = pod;
            this.hash = pod.hashCode();
        }

        boolean of(Scoring asked, PodRequest request) {
            return scoring.equals(asked) && pod.equals(request);
        }

        Costs costs(int[] numbers, int size) {
            Known now = known;
            boolean own = false;
            for (int i = 0; i < size; i++) {
                int number = numbers[i];
                if (number < 0) {
                    continue;
                }
                int version = rooms.version(number);
                if (now.versions[number] != version) {
                    if (!own) {
                        now = now.copy();
                        own = true;
                    }
                    now.costs[number] = cost(rooms.room(number), scoring, pod, hash);
                    now.versions[number] = version;
                }
            }
            if (own) {
                known = now;
            }
            return new Costs(rooms, numbers, size, now.costs, cost(NodeRoom.NOWHERE, scoring, pod, hash), pod);
        }
    }

    /**
     * What the pod costs on each of the nodes with the first of these numbers.
     *
     * @param numbers below 0 for a node without anything; not to be changed as long as the costs are read
     * @param size how many
     */
    public Costs of(int[] numbers, int size, Scoring scoring, PodRequest pod) {
        for (int i = 0; i < KINDS; i++) {
            @Nullable Kind kind = recent.get(i);
            if (kind != null && kind.of(scoring, pod)) {
                return kind.costs(numbers, size);
            }
        }
        return remembered(new Kind(scoring, pod)).costs(numbers, size);
    }

    private Kind remembered(Kind fresh) {
        recent.set(Math.floorMod(turn.getAndIncrement(), KINDS), fresh);
        return fresh;
    }

    /** What a pod costs on one node; infinite where it doesn't fit. */
    public static double cost(NodeRoom node, Scoring scoring, PodRequest pod) {
        return cost(node, scoring, pod, pod.hashCode());
    }

    private static double cost(NodeRoom node, Scoring scoring, PodRequest pod, int hash) {
        // A pod without cards takes nothing from a node without them.
        boolean free = !pod.gpu() && node.cards().isEmpty();
        return free ? 0 : node.best(scoring, pod, hash).cost();
    }
}
