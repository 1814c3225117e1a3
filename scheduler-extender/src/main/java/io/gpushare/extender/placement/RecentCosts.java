package io.gpushare.extender.placement;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * What some kinds of pods cost on each node, as it was when they were asked about last. Pods come in kinds, and between two
 * of a kind few nodes change: the others are known by being the same object, and nothing of them is read. For several
 * threads at once: each entry is immutable, and one that is lost to another thread is only worked out again.
 */
public final class RecentCosts {
    // They keep the nodes as they were: more kinds would cost memory, and each node remembers some itself.
    private static final int KINDS = 8;
    // A cluster that numbers its nodes higher has far more of them than Kubernetes supports.
    private static final int MOST_NODES = 20_000;

    private final @Nullable Kind[] recent = new @Nullable Kind[KINDS];
    private final AtomicInteger turn = new AtomicInteger();

    private static final class Kind {
        private final Scoring scoring;
        private final PodRequest pod;
        private @Nullable CostOfNode[] byNumber = new @Nullable CostOfNode[0];

        Kind(Scoring scoring, PodRequest pod) {
            this.scoring = scoring;
            this.pod = pod;
        }

        boolean of(Scoring asked, PodRequest request) {
            return scoring.equals(asked) && pod.equals(request);
        }

        Costs costs(List<NodeRoom> nodes, int[] numbers) {
            @Nullable CostOfNode[] known = upTo(Arrays.stream(numbers).max().orElse(0));
            CostOfNode[] costs = new CostOfNode[numbers.length];
            int hash = pod.hashCode();
            for (int i = 0; i < costs.length; i++) {
                NodeRoom node = nodes.get(i);
                boolean kept = numbers[i] >= 0 && numbers[i] < known.length;
                @Nullable CostOfNode before = kept ? known[numbers[i]] : null;
                if (before == null || !before.node().equals(node)) {
                    before = CostOfNode.of(node, scoring, pod, hash);
                    if (kept) {
                        known[numbers[i]] = before;
                    }
                }
                costs[i] = before;
            }
            return new Costs(costs, pod);
        }

        private @Nullable CostOfNode[] upTo(int number) {
            @Nullable CostOfNode[] known = byNumber;
            if (number >= known.length && known.length < MOST_NODES) {
                known = Arrays.copyOf(known, Math.min(MOST_NODES, 2 * number + 1));
                byNumber = known;
            }
            return known;
        }
    }

    /**
     * What the pod costs on each of these nodes.
     *
     * @param numbers for each node the number that is its own, however it changes; below 0 where it has none
     */
    public Costs of(List<NodeRoom> nodes, int[] numbers, Scoring scoring, PodRequest pod) {
        for (int i = 0; i < KINDS; i++) {
            @Nullable Kind kind = recent[i];
            if (kind != null && kind.of(scoring, pod)) {
                return kind.costs(nodes, numbers);
            }
        }
        Kind fresh = new Kind(scoring, pod);
        recent[Math.floorMod(turn.getAndIncrement(), KINDS)] = fresh;
        return fresh.costs(nodes, numbers);
    }
}
