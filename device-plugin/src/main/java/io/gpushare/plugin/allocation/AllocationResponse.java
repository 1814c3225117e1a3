package io.gpushare.plugin.allocation;

import io.gpushare.model.text.Printable;
import io.gpushare.plugin.isolation.ContainerIsolation;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The response to an Allocate call for one container. */
public sealed interface AllocationResponse {
    /**
     * The settings of the container.
     *
     * @param environment variables, set before the container's own
     * @param deviceFiles paths under /dev, the same on the host and in the container
     * @param cdiDevices names in the Container Device Interface, {@code vendor.com/class=device}
     * @param mounts directories of the node
     */
    record Granted(
            Map<String, String> environment,
            List<String> deviceFiles,
            List<String> cdiDevices,
            List<ContainerIsolation.Mount> mounts)
            implements AllocationResponse {
        public Granted {
            environment = Map.copyOf(environment);
            deviceFiles = List.copyOf(deviceFiles);
            cdiDevices = List.copyOf(cdiDevices);
            mounts = List.copyOf(mounts);
        }

        /** The settings of a container that gets no directories. */
        public Granted(Map<String, String> environment, List<String> deviceFiles, List<String> cdiDevices) {
            this(environment, deviceFiles, cdiDevices, List.of());
        }

        /** The same with what the container needs for its isolation. */
        public Granted with(ContainerIsolation.Settings isolation) {
            Map<String, String> both = new LinkedHashMap<>(environment);
            both.putAll(isolation.environment());
            return new Granted(both, deviceFiles, cdiDevices, isolation.mounts());
        }
    }

    /** The kubelet rejects the pod permanently, with this sentence in its status; gRPC carries at most some kilobytes. */
    record Refused(RefusalKind kind, String reason) implements AllocationResponse {
        private static final int LONGEST = 1024;

        public Refused {
            reason = Printable.line(reason, LONGEST);
        }
    }
}
