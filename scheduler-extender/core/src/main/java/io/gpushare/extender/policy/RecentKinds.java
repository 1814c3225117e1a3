package io.gpushare.extender.policy;

import io.gpushare.extender.pod.PodRequest;
import io.gpushare.extender.policy.scoring.Scoring;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The kinds of pods that came last. Pods come in kinds, and few nodes change between two pods of a kind: each node
 * remembers what these cost there. Thread-safe.
 */
public final class RecentKinds {
    /** How many are remembered. */
    public static final int MOST = 32;

    private final AtomicReferenceArray<@Nullable PodKind> recent = new AtomicReferenceArray<>(MOST);
    private final AtomicInteger turn = new AtomicInteger();

    /** The kind of such pods by that scoring. */
    public PodKind of(Scoring scoring, PodRequest request) {
        for (int number = 0; number < MOST; number++) {
            @Nullable PodKind kind = recent.get(number);
            if (kind != null && kind.is(scoring, request)) {
                return kind;
            }
        }
        int number = Math.floorMod(turn.getAndIncrement(), MOST);
        PodKind added = new PodKind(scoring, request, number);
        recent.set(number, added);
        return added;
    }
}
