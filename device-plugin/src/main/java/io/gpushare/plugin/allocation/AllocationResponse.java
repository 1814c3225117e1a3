package io.gpushare.plugin.allocation;

import java.util.List;
import java.util.Map;
import java.util.Objects;

/** What the kubelet is answered for one container. */
public sealed interface AllocationResponse {
    /**
     * The container gets this.
     *
     * @param environment variables, set before the container's own
     * @param deviceFiles paths under /dev, the same on the host and in the container
     * @param cdiDevices names in the Container Device Interface, {@code vendor.com/class=device}
     */
    record Given(Map<String, String> environment, List<String> deviceFiles, List<String> cdiDevices)
            implements AllocationResponse {
        public Given {
            environment = Map.copyOf(environment);
            deviceFiles = List.copyOf(deviceFiles);
            cdiDevices = List.copyOf(cdiDevices);
        }
    }

    /** The pod is rejected for good, with this sentence in its status. */
    record Refused(RefusalKind why, String reason) implements AllocationResponse {
        public Refused {
            Objects.requireNonNull(why);
            Objects.requireNonNull(reason);
        }
    }
}
