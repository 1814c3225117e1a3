package io.gpushare.simulated.kubelet;

import io.gpushare.simulated.client.PodDocument;
import java.util.Map;

/** Hears of the containers of a node. */
public interface Containers {
    /** Nobody hears of them. */
    Containers UNSEEN = new Containers() {
        @Override
        public void started(PodDocument pod, Map<String, StartedContainer> containers) {
            // Unseen.
        }

        @Override
        public void ended(PodDocument pod) {
            // Unseen.
        }
    };

    /** The containers of that pod compute from now on, each with that environment and these devices. */
    void started(PodDocument pod, Map<String, StartedContainer> containers);

    /** All containers of that pod have ended. */
    void ended(PodDocument pod);
}
