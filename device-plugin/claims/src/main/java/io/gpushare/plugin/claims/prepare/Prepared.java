package io.gpushare.plugin.claims.prepare;

import java.util.List;

/** The outcome of preparing a claim. */
public sealed interface Prepared {
    /**
     * One device that a container gets.
     *
     * @param request the name of the claim's request
     * @param shareId the allocator's name of this share; empty for a device that is not shared
     * @param cdi the names by which the runtime finds what the container gets
     */
    record Device(String request, String pool, String device, String shareId, List<String> cdi) {
        public Device {
            cdi = List.copyOf(cdi);
        }
    }

    /** Its devices are ready. */
    record Ready(List<Device> devices) implements Prepared {
        public Ready {
            devices = List.copyOf(devices);
        }
    }

    /** It can't be prepared, by a sentence for the owner of the pod; the kubelet tries again for ever. */
    record Refused(String reason) implements Prepared {}
}
