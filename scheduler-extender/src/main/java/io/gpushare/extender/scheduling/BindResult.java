package io.gpushare.extender.scheduling;

import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;

/** What came of a bind. */
public sealed interface BindResult {
    /** The pod is on the node that was asked for; {@code repeated} if an earlier bind had done it. */
    record Bound(boolean repeated) implements BindResult {}

    /** It is not, or nobody knows; the sentence says why and carries nothing of the pod's spec. */
    record Failed(Why why, String sentence) implements BindResult {
        public Failed {
            Objects.requireNonNull(why);
            Objects.requireNonNull(sentence);
        }
    }

    /** The kinds of failure, a small set for metrics. */
    enum Why {
        /** No card of the node has room any more, or the node is not one of ours. */
        NO_ROOM,
        /** There is no such pod, or another pod has its name now. */
        NO_POD,
        /** The pod asks for what can't be. */
        BAD_DEMAND,
        /** The pod is bound elsewhere, or without an allocation of ours. */
        BOUND_OTHERWISE,
        /** The API server refused. */
        REFUSED,
        /** No answer came: what the pod would have is kept for it until the API tells. */
        UNKNOWN
    }

    /** The outcome's name in metrics. */
    default String label() {
        return switch (this) {
            case Bound(boolean repeated) -> repeated ? "bound_before" : "bound";
            case Failed(Why why, String sentence) -> label(why);
        };
    }

    /** The names of all outcomes. */
    static List<String> labels() {
        return Stream.concat(
                        Stream.of("bound", "bound_before"),
                        Stream.of(Why.values()).map(BindResult::label))
                .toList();
    }

    private static String label(Why why) {
        return why.name().toLowerCase(Locale.ROOT);
    }
}
