package io.gpushare.plugin.kubelet;

import io.gpushare.plugin.allocation.HandOver;
import io.gpushare.plugin.allocation.Resource;
import java.util.List;

/**
 * Answers the kubelet's questions about one container. Both answers must come within two seconds: the kubelet waits
 * without a deadline of its own, and all pods of the node wait with it.
 */
public interface Doorkeeper {
    /**
     * Which devices should be given.
     *
     * @param size how many the container has in the end, {@code mustInclude} among them
     * @return {@code size} devices out of the available ones, or none to let the kubelet choose; never an exception, since
     *     that would reject the pod
     */
    List<String> preferred(Resource resource, List<String> available, List<String> mustInclude, int size);

    /** What the container gets, for which the kubelet has chosen these devices. */
    HandOver allocate(Resource resource, List<String> ids);
}
