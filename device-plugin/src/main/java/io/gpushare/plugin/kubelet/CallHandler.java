package io.gpushare.plugin.kubelet;

import io.gpushare.plugin.allocation.AllocationResponse;
import io.gpushare.plugin.devices.DeviceResource;
import java.util.List;

/**
 * Answers the kubelet's questions about one container. Both answers must come within two seconds: the kubelet waits
 * without a deadline of its own, and all pods of the node wait with it.
 */
public interface CallHandler {
    /**
     * Which devices should be given.
     *
     * @param size how many the container has in the end, {@code mustInclude} among them
     * @return {@code size} devices out of the available ones, or none to let the kubelet choose; never an exception, since
     *     that would reject the pod
     */
    List<String> preferred(DeviceResource resource, List<String> available, List<String> mustInclude, int size);

    /** What the container gets, for which the kubelet has chosen these devices. */
    AllocationResponse allocate(DeviceResource resource, List<String> ids);
}
