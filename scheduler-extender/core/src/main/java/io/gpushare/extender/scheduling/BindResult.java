package io.gpushare.extender.scheduling;

import java.util.List;
import java.util.stream.Stream;

/** The outcome of a bind. */
public sealed interface BindResult {
    /** The pod is bound to the requested node; {@code repeated} if an earlier call bound it. */
    record Bound(boolean repeated) implements BindResult {}

    /**
     * The pod is not bound to the requested node, or the outcome is unknown. The sentence has nothing of the pod's
     * spec.
     */
    record Failed(Why why, String sentence) implements BindResult {}

    /** The kinds of failure: a small set, for metrics. */
    enum Why {
        /** The cards of the node no longer fit the pod, or the node has no inventory. */
        NO_CAPACITY("no_room"),
        /** There is no such pod, or another pod has its name now. */
        NO_POD("no_pod"),
        /** The pod's resources or annotations are invalid. */
        INVALID_DEMAND("bad_demand"),
        /** The pod is bound to another node, or without an allocation of this extender. */
        BOUND_OTHERWISE("bound_otherwise"),
        /** The API server refused the Binding. */
        REFUSED("refused"),
        /** No response arrived: the cards stay assumed until the API shows the pod's state. */
        UNKNOWN("unknown");

        private final String label;

        Why(String label) {
            this.label = label;
        }
    }

    /** The outcome's name in metrics. */
    default String label() {
        return switch (this) {
            case Bound(boolean repeated) -> repeated ? "bound_before" : "bound";
            case Failed(Why why, String sentence) -> why.label;
        };
    }

    /** The names of all outcomes. */
    static List<String> labels() {
        return Stream.concat(
                        Stream.of("bound", "bound_before"),
                        Stream.of(Why.values()).map(why -> why.label))
                .toList();
    }
}
