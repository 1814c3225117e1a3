package io.gpushare.extender.policy;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What a node, which does not change, answered to {@link Recent} kinds of pods. Thread-safe. */
final class Answers<T, V extends @Nullable Object> {
    // Immutable, so a thread that sees another one's answer without a lock sees all of it.
    private record Answer<T, V extends @Nullable Object>(Recent.Kind<T> kind, V value) {}

    @SuppressWarnings({"unchecked", "rawtypes"}) // Java has no arrays of generic types
    private final @Nullable Answer<T, V>[] known = new @Nullable Answer[Recent.MOST];

    /** The answer to pods of that kind; {@code first} finds it for the first one. */
    @SuppressWarnings("ReferenceEquality") // each kind is an object of its own
    V to(Recent.Kind<T> kind, Function<T, V> first) {
        @Nullable Answer<T, V> answer = known[kind.number()];
        if (answer == null || answer.kind != kind) {
            answer = new Answer<>(kind, first.apply(kind.asked()));
            known[kind.number()] = answer;
        }
        return answer.value;
    }
}
