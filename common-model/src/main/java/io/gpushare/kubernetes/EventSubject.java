package io.gpushare.kubernetes;

import io.gpushare.model.PodRef;

/** The object that an Event is about. */
public sealed interface EventSubject {
    record Pod(PodRef ref) implements EventSubject {

        @Override
        public String toString() {
            return "pod " + ref;
        }
    }

    record Node(String name) implements EventSubject {

        @Override
        public String toString() {
            return "node " + name;
        }
    }
}
