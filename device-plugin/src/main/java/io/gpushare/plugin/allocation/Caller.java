package io.gpushare.plugin.allocation;

import io.gpushare.model.ContainerDemand;
import io.gpushare.model.PodRef;
import io.gpushare.plugin.node.NodePod;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/** Which container a call of the kubelet is about: no call says so itself. */
public sealed interface Caller {
    /** How the container was found, surest first. */
    enum Way {
        /** pod-resources lists its pod, and it is the one that lacks its devices. */
        LACKS_DEVICES,
        /** The same, but it was answered before: the kubelet has lost its books. */
        ASKS_AGAIN,
        /** pod-resources did not answer: the oldest of the pods that ask for this much, all on the same cards. */
        DEMAND_ONLY;

        /** As metrics name it. */
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    record Found(NodePod pod, ContainerDemand container, Way way) implements Caller {
        public Found {
            Objects.requireNonNull(pod);
            Objects.requireNonNull(container);
            Objects.requireNonNull(way);
        }
    }

    /** No container of a pod that is known here fits the call; the reason is for the user. */
    record Nobody(RefusalKind why, String reason) implements Caller {
        public Nobody {
            Objects.requireNonNull(why);
            Objects.requireNonNull(reason);
        }
    }

    /** Several containers fit, and they were promised different cards. */
    record Several(List<PodRef> pods) implements Caller {
        public Several {
            pods = List.copyOf(pods);
        }
    }
}
