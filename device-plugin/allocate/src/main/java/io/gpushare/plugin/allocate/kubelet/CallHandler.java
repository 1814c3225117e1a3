package io.gpushare.plugin.allocate.kubelet;

import io.gpushare.api.deviceplugin.v1beta1.ContainerAllocateResponse;
import io.gpushare.plugin.allocate.devices.DeviceResource;
import io.gpushare.plugin.node.container.Outcome;
import java.util.List;
import java.util.Optional;

/**
 * Handles the kubelet's calls about one container. A call must return within two seconds, and a few more where a
 * pod that has ended still computes on the card: the kubelet sets no deadline, and all pods of the node wait meanwhile.
 */
public interface CallHandler {
    /**
     * The devices that the kubelet should allocate. An exception would reject the pod.
     *
     * @param size the number of devices, including {@code mustInclude}
     * @return {@code size} of the available devices, or none to let the kubelet choose
     */
    List<String> preferred(DeviceResource resource, List<String> available, List<String> mustInclude, int size);

    /** Whether the kubelet must call {@link #start} before each start of a container. */
    boolean gatesStart();

    /**
     * The kubelet is about to start the container with these devices. Unlike the other calls it may take half a minute:
     * only this container waits.
     *
     * @return why the container can't start, as a sentence; empty if it may. The kubelet calls again
     */
    Optional<String> start(DeviceResource resource, List<String> ids);

    /** The response for the container for which the kubelet has chosen these devices. */
    Outcome<ContainerAllocateResponse> allocate(DeviceResource resource, List<String> ids);
}
