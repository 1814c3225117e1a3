package io.gpushare.kubernetes;

import io.gpushare.model.PodRef;
import java.util.Objects;

/** The object that an Event is about. */
public sealed interface EventSubject {
    record Pod(PodRef ref) implements EventSubject {
        public Pod {
            Objects.requireNonNull(ref);
        }

        @Override
        public String toString() {
            return "pod " + ref;
        }
    }

    record Node(String name) implements EventSubject {
        public Node {
            Objects.requireNonNull(name);
        }

        @Override
        public String toString() {
            return "node " + name;
        }
    }
}
