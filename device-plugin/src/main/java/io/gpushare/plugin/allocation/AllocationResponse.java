package io.gpushare.plugin.allocation;

import io.gpushare.plugin.isolation.ContainerIsolation;
import java.util.List;
import java.util.Map;

/**
 * The response to an Allocate call: the settings of one container.
 *
 * @param environment variables, set before the container's own
 * @param deviceFiles paths under /dev, the same on the host and in the container
 * @param cdiDevices names in the Container Device Interface, {@code vendor.com/class=device}
 * @param mounts directories of the node
 */
public record AllocationResponse(
        Map<String, String> environment,
        List<String> deviceFiles,
        List<String> cdiDevices,
        List<ContainerIsolation.Mount> mounts) {
    public AllocationResponse {
        environment = Map.copyOf(environment);
        deviceFiles = List.copyOf(deviceFiles);
        cdiDevices = List.copyOf(cdiDevices);
        mounts = List.copyOf(mounts);
    }
}
