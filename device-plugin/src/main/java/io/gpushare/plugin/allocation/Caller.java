package io.gpushare.plugin.allocation;

import io.gpushare.model.ContainerDemand;
import io.gpushare.model.PodRef;
import io.gpushare.plugin.snapshot.NodePod;
import java.util.List;

/** The container that a kubelet call is about; the call itself does not name it. */
public sealed interface Caller {
    /** How the container was identified, most reliable first. */
    enum Evidence {
        /** pod-resources lists its pod, and it is the container that lacks its devices. */
        LACKS_DEVICES("lacks_devices"),
        /** The same, but its call was answered before: the kubelet has lost its device allocations. */
        REPEATED_CALL("asks_again"),
        /** pod-resources did not respond: the oldest of the pods that request this amount, all on the same cards. */
        DEMAND_ONLY("demand_only");

        private final String label;

        Evidence(String label) {
            this.label = label;
        }

        /** The value of the label in metrics. */
        public String label() {
            return label;
        }
    }

    record Found(NodePod pod, ContainerDemand container, Evidence evidence) implements Caller {}

    /** No container of a known pod fits the call; the reason is for the user. */
    record None(RefusalKind kind, String reason) implements Caller {}

    /** Several containers fit, and their annotations name different cards. */
    record Ambiguous(List<PodRef> pods) implements Caller {
        public Ambiguous {
            pods = List.copyOf(pods);
        }
    }
}
