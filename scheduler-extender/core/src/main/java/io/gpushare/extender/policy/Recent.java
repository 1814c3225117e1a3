package io.gpushare.extender.policy;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * What pods asked for last. Pods come in kinds, and few nodes change between two pods of a kind: each node remembers
 * what it answered to these. Thread-safe.
 */
public final class Recent<T> {
    /** How many are remembered. */
    public static final int MOST = 32;

    /** What pods of a kind ask for. Each object is a kind of its own. */
    public static final class Kind<T> {
        private final T asked;
        private final int number;

        /** @param number below {@link #MOST}; a later kind may have the same one */
        Kind(T asked, int number) {
            this.asked = asked;
            this.number = number;
        }

        T asked() {
            return asked;
        }

        int number() {
            return number;
        }
    }

    private final AtomicReferenceArray<@Nullable Kind<T>> kinds = new AtomicReferenceArray<>(MOST);
    private final AtomicInteger turn = new AtomicInteger();

    /** The kind of pods that ask for that. */
    public Kind<T> of(T asked) {
        for (int number = 0; number < MOST; number++) {
            @Nullable Kind<T> kind = kinds.get(number);
            if (kind != null && kind.asked.equals(asked)) {
                return kind;
            }
        }
        int number = Math.floorMod(turn.getAndIncrement(), MOST);
        Kind<T> added = new Kind<>(asked, number);
        kinds.set(number, added);
        return added;
    }
}
