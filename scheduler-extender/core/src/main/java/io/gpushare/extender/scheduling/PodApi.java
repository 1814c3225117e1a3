package io.gpushare.extender.scheduling;

import io.gpushare.model.PodRef;
import io.gpushare.model.pod.PodState;
import java.util.Map;
import java.util.Optional;

/** The calls to the API server that bind needs. They block, and time out within seconds. */
public interface PodApi {
    /** The pod with that name as it is now; empty if there is none. */
    Optional<PodState> pod(String namespace, String name) throws Failure;

    /** Creates one Binding with the pod's uid: node and annotations are set together, or not at all. */
    void bind(PodRef pod, String node, Map<String, String> annotations) throws Failure;

    /** A call that failed. */
    final class Failure extends Exception {
        private static final long serialVersionUID = 1;

        /** How far a call got. */
        public enum Reach {
            NEVER_SENT,
            /** Possibly sent, with an unknown outcome. */
            UNANSWERED,
            ANSWERED
        }

        private final Reach reach;
        private final int status;

        /** @param status the HTTP status of the response, if there is one */
        public Failure(Reach reach, int status, String message, Throwable cause) {
            super(message, cause);
            this.reach = reach;
            this.status = status;
        }

        /** Whether the call may still take effect: no response arrived, or only that of a gateway. */
        boolean unanswered() {
            return reach == Reach.UNANSWERED || status == 504;
        }

        /**
         * Whether the pod must be read to know the outcome: the response does not exclude that the call took effect.
         */
        boolean unknownOutcome() {
            return unanswered() || status == 404 || status == 409 || status >= 500;
        }
    }
}
