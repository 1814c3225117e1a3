package io.gpushare.plugin.node.container;

import io.gpushare.model.PodRef;
import io.gpushare.model.text.Printable;
import java.util.Optional;
import java.util.function.Function;

/** The result of one step of a kubelet call, or why there is none. */
public sealed interface Outcome<T> {
    /** The step succeeded. */
    record Of<T>(T value) implements Outcome<T> {}

    /**
     * The kubelet rejects the pod permanently, with this sentence in its status; gRPC carries at most some kilobytes.
     *
     * @param pod the rejected pod; empty if it is not known
     */
    record Refused<T>(RefusalKind kind, String reason, Optional<PodRef> pod) implements Outcome<T> {
        private static final int LONGEST = 1024;

        public Refused {
            reason = Printable.line(reason, LONGEST);
        }

        public Refused(RefusalKind kind, String reason) {
            this(kind, reason, Optional.empty());
        }
    }

    /** The result of the next step, if this one succeeded. */
    default <R> Outcome<R> then(Function<T, Outcome<R>> step) {
        return switch (this) {
            case Of<T>(T value) -> step.apply(value);
            case Refused<T>(RefusalKind kind, String reason, Optional<PodRef> pod) -> new Refused<>(kind, reason, pod);
        };
    }
}
