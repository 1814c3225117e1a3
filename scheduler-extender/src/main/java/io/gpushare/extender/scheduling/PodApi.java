package io.gpushare.extender.scheduling;

import io.gpushare.extender.pod.ClusterPod;
import io.gpushare.model.PodRef;
import java.util.Map;
import java.util.Optional;

/** What binding needs of the API server. Calls block; they end by themselves within seconds. */
public interface PodApi {
    /** The pod of that name as it is now; empty when there is none. */
    Optional<ClusterPod> pod(String namespace, String name) throws Failure;

    /** One Binding with the pod's uid: node and annotations become true together, or not at all. */
    void bind(PodRef pod, String node, Map<String, String> annotations) throws Failure;

    /** A call that did not succeed. */
    final class Failure extends Exception {
        private static final long serialVersionUID = 1;

        /** How far a call came. */
        public enum Reach {
            NEVER_SENT,
            /** Sent perhaps, and nobody knows what became of it. */
            UNANSWERED,
            ANSWERED
        }

        private final Reach reach;
        private final int status;

        /** @param status the HTTP status, if answered */
        public Failure(Reach reach, int status, String message, Throwable cause) {
            super(message, cause);
            this.reach = reach;
            this.status = status;
        }

        /** Whether what was asked for may yet be done: no answer came, or a gateway's for the server behind it. */
        boolean unanswered() {
            return reach == Reach.UNANSWERED || status == 504;
        }

        /** Whether the pod as it is now must tell: the answer itself does not say that nothing was done. */
        boolean doubtful() {
            return unanswered() || status == 404 || status == 409 || status >= 500;
        }
    }
}
