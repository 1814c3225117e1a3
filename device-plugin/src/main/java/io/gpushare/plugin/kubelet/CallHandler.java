package io.gpushare.plugin.kubelet;

import io.gpushare.plugin.allocation.AllocationResponse;
import io.gpushare.plugin.devices.DeviceResource;
import java.util.List;

/**
 * Handles the kubelet's calls about one container. A call must return within two seconds: the kubelet sets no deadline, and
 * all pods of the node wait meanwhile.
 */
public interface CallHandler {
    /**
     * The devices that the kubelet should allocate. An exception would reject the pod.
     *
     * @param size the number of devices, including {@code mustInclude}
     * @return {@code size} of the available devices, or none to let the kubelet choose
     */
    List<String> preferred(DeviceResource resource, List<String> available, List<String> mustInclude, int size);

    /** The response for the container for which the kubelet has chosen these devices. */
    AllocationResponse allocate(DeviceResource resource, List<String> ids);
}
