package io.gpushare.e2e.sandbox.migration;

import io.gpushare.simulated.client.PodDocument;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The cards of a pod as HAMi writes them (pkg/device/devices.go), and the annotations of its pods and nodes. */
final class HamiDevices {
    static final String ALLOCATED = "hami.io/vgpu-devices-allocated";
    static final String TO_ALLOCATE = "hami.io/vgpu-devices-to-allocate";
    static final String NODE = "hami.io/vgpu-node";
    static final String CHOSEN_AT = "hami.io/vgpu-time";
    static final String BOUND_AT = "hami.io/bind-time";
    static final String PHASE = "hami.io/bind-phase";
    static final String ALLOCATING = "allocating";
    static final String SUCCESS = "success";
    static final String FAILED = "failed";
    static final String REGISTER = "hami.io/node-nvidia-register";
    static final String HANDSHAKE = "hami.io/node-handshake";
    static final String LOCK = "hami.io/mutex.lock";

    private HamiDevices() {}

    /** What a container has of one card. */
    record Device(String card, int mib, int cores) {}

    /** The devices by container. */
    static String write(List<List<Device>> containers) {
        return containers.stream()
                .map(devices -> devices.stream()
                                .map(device -> device.card() + ",NVIDIA," + device.mib() + "," + device.cores() + ":")
                                .collect(Collectors.joining())
                        + ";")
                .collect(Collectors.joining());
    }

    /** The devices of the containers that have some, as far as the annotation is readable. */
    static List<List<Device>> read(PodDocument pod, String key) {
        List<List<Device>> containers = new ArrayList<>();
        for (String container : pod.annotation(key).split(";", -1)) {
            List<Device> devices = new ArrayList<>();
            for (String device : container.split(":", -1)) {
                String[] fields = device.split(",", -1);
                if (fields.length >= 4) {
                    devices.add(new Device(fields[0], number(fields[2]), number(fields[3])));
                }
            }
            if (!devices.isEmpty()) {
                containers.add(devices);
            }
        }
        return containers;
    }

    /** What is no number is 0. */
    private static int number(String written) {
        return written.matches("[0-9]{1,9}") ? Integer.parseInt(written) : 0;
    }

    /** Releases the lock of the node if that pod holds it. */
    static void unlock(ClusterApi cluster, String node, PodDocument pod) {
        if (cluster.annotation(node, LOCK).endsWith("," + pod.namespace() + "," + pod.name())) {
            cluster.removeAnnotations(node, LOCK);
        }
    }
}
