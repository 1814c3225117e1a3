package io.gpushare.extender.policy;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The last new kinds of pods. Pods come in kinds, and few nodes change between two pods of a kind: each node remembers
 * its verdicts on these. Thread-safe.
 */
public final class RecentKinds {
    /** How many are remembered. */
    public static final int MOST = 32;

    /** A kind that is remembered: one object as long as it is. */
    public static final class Remembered {
        private final PodKind kind;
        private final int number;

        /** @param number below {@link #MOST}; a later kind may have the same one */
        Remembered(PodKind kind, int number) {
            this.kind = kind;
            this.number = number;
        }

        PodKind kind() {
            return kind;
        }

        int number() {
            return number;
        }
    }

    private final AtomicReferenceArray<@Nullable Remembered> kinds = new AtomicReferenceArray<>(MOST);
    private final AtomicInteger turn = new AtomicInteger();

    /** That kind, remembered from now on. */
    public Remembered of(PodKind kind) {
        for (int number = 0; number < MOST; number++) {
            @Nullable Remembered present = kinds.get(number);
            if (present != null && present.kind.equals(kind)) {
                return present;
            }
        }
        int number = Math.floorMod(turn.getAndIncrement(), MOST);
        Remembered added = new Remembered(kind, number);
        kinds.set(number, added);
        return added;
    }
}
