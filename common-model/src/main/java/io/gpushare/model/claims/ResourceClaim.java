package io.gpushare.model.claims;

import io.gpushare.model.PodRef;
import java.util.List;
import java.util.Map;

/**
 * A ResourceClaim as the API has it, as far as it is about the cards of a node. Nothing in it is checked.
 *
 * @param pods the pods that may use it
 * @param results what is allocated to it; none while nothing is
 * @param configured the drivers for which it, or a class, has a configuration
 */
public record ResourceClaim(
        String uid, String namespace, String name, List<PodRef> pods, List<Result> results, List<String> configured) {
    /**
     * One allocated device.
     *
     * @param request the name of the claim's request
     * @param adminAccess whether it is beside what others have, and takes nothing from them
     * @param consumed the quantities that it takes, by capacity; none if it is the device as a whole
     * @param shareId the allocator's name of this share of the device; empty for a device that is not shared
     */
    public record Result(
            String request,
            String driver,
            String pool,
            String device,
            boolean adminAccess,
            Map<String, String> consumed,
            String shareId) {
        public Result {
            consumed = Map.copyOf(consumed);
        }
    }

    public ResourceClaim {
        pods = List.copyOf(pods);
        results = List.copyOf(results);
        configured = List.copyOf(configured);
    }

    /**
     * The name of a request without that of the alternative that was taken: containers and the kubelet name only it.
     */
    public static String base(String request) {
        return request.replaceFirst("/.*", "");
    }

    /** Only what identifies it. */
    public ResourceClaim identity() {
        return new ResourceClaim(uid, namespace, name, List.of(), List.of(), List.of());
    }

    @Override
    public String toString() {
        return namespace + "/" + name;
    }
}
