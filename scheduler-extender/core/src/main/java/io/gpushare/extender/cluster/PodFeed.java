package io.gpushare.extender.cluster;

import io.gpushare.extender.ledger.Ledger;
import io.gpushare.kubernetes.KubernetesApi;
import io.gpushare.kubernetes.event.EventRecorder;
import io.gpushare.model.PodRef;
import io.gpushare.model.pod.PodState;
import io.gpushare.time.StartedParts;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/** Where the informers report pods, from one thread and in order: the ledger, or what shows them to it otherwise. */
public interface PodFeed {
    void updatePod(PodState pod);

    void removePod(PodRef pod);

    /** The ledger has counted a change of that node, or that it is gone. */
    default void nodeChanged(String name) {}

    /** The pod as it would be shown to the ledger. */
    default PodState show(PodState pod) {
        return pod;
    }

    /** The time of the last message from the API server about what it watches itself, by resource. */
    default Map<String, Instant> heard() {
        return Map.of();
    }

    /** The time by which the ledger is behind what was reported here. */
    default Duration behind() {
        return Duration.ZERO;
    }

    /** Makes a feed. */
    @FunctionalInterface
    interface Factory {
        /**
         * Makes the feed of that ledger.
         *
         * @param events records what operators should know
         * @param parts what is started for it is added to these
         */
        PodFeed of(KubernetesApi api, Ledger ledger, EventRecorder events, StartedParts parts);
    }

    /** The ledger itself, which sees pods as the API server has them. */
    static PodFeed of(Ledger ledger) {
        return new PodFeed() {
            @Override
            public void updatePod(PodState pod) {
                ledger.updatePod(pod);
            }

            @Override
            public void removePod(PodRef pod) {
                ledger.removePod(pod);
            }
        };
    }
}
