package io.gpushare.extender.placement;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The last answers for some kinds of pods. Pods come in kinds, and between two of a kind few nodes change. For several
 * threads at once: an answer is immutable, and one that is lost to another thread is only worked out again.
 */
public final class RecentCosts {
    // They keep the nodes as they were: more kinds would cost memory, and each node remembers some itself.
    private static final int KINDS = 8;

    private final @Nullable Costs[] recent = new @Nullable Costs[KINDS];
    private final AtomicInteger turn = new AtomicInteger();

    /** What the pod costs on each of these nodes. */
    public Costs of(List<NodeRoom> nodes, Scoring scoring, PodRequest pod) {
        for (int i = 0; i < KINDS; i++) {
            @Nullable Costs before = recent[i];
            if (before != null && before.of(scoring, pod)) {
                Costs now = new Costs(nodes, scoring, pod, before);
                recent[i] = now;
                return now;
            }
        }
        Costs first = new Costs(nodes, scoring, pod);
        recent[Math.floorMod(turn.getAndIncrement(), KINDS)] = first;
        return first;
    }
}
