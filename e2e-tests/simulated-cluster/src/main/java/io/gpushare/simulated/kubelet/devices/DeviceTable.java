package io.gpushare.simulated.kubelet.devices;

import io.gpushare.api.deviceplugin.v1beta1.ContainerAllocateResponse;
import io.gpushare.api.deviceplugin.v1beta1.Device;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The kubelet's device table: the devices of each resource, and the devices of each container with the plugin's
 * response. The real kubelet keeps both in its checkpoint. The owner guards the table by a lock.
 */
public final class DeviceTable {
    private static final Duration GRACE = Duration.ofMinutes(5);

    /** The last reported devices of one resource; both sets are empty after a restart of the kubelet. */
    public static final class Offer {
        final Set<String> healthy = new HashSet<>();
        final Set<String> unhealthy = new HashSet<>();
        Instant stopped = Instant.MAX;
    }

    /** The devices of one resource that a container holds. */
    public record Held(Set<String> devices, ContainerAllocateResponse response) {}

    /** The amounts of one resource in the status of the node. */
    public record Count(int capacity, int allocatable) {}

    private final Map<String, Offer> offers = new TreeMap<>();
    private final Map<String, Map<String, Map<String, Held>>> pods = new HashMap<>();

    public Map<String, Offer> offers() {
        return offers;
    }

    public void connected(String resource) {
        offers.computeIfAbsent(resource, _ -> new Offer()).stopped = Instant.MAX;
    }

    private static Offer expired() {
        Offer offer = new Offer();
        offer.stopped = Instant.EPOCH;
        return offer;
    }

    public void update(String resource, List<Device> devices) {
        // A list of a plugin whose resource has expired is dropped at the next report.
        Offer offer = offers.computeIfAbsent(resource, _ -> expired());
        offer.healthy.clear();
        offer.unhealthy.clear();
        for (Device device : devices) {
            (device.getHealth().equals("Healthy") ? offer.healthy : offer.unhealthy).add(device.getID());
        }
    }

    /** All devices of the resource are unhealthy, and it expires five minutes later unless a plugin registers. */
    public void disconnected(String resource, Instant now) {
        Offer offer = offers.computeIfAbsent(resource, _ -> new Offer());
        offer.unhealthy.addAll(offer.healthy);
        offer.healthy.clear();
        offer.stopped = now;
    }

    /** Applies a restart: only the devices of containers and the names of resources remain, as of stopped plugins. */
    public void restarted(Instant now) {
        offers.replaceAll((resource, offer) -> {
            Offer empty = new Offer();
            empty.stopped = now;
            return empty;
        });
    }

    /** Capacity counts all devices, allocatable the healthy ones. */
    public Map<String, Count> counts() {
        Map<String, Count> counts = new LinkedHashMap<>();
        offers.forEach((resource, offer) -> {
            int healthy = offer.healthy.size();
            counts.put(resource, new Count(healthy + offer.unhealthy.size(), healthy));
        });
        return counts;
    }

    /** Forgets the resources whose plugins stopped more than five minutes ago, and returns them. */
    public Set<String> expire(Instant now) {
        Set<String> expired = new HashSet<>();
        offers.forEach((resource, offer) -> {
            if (!offer.stopped.equals(Instant.MAX) && offer.stopped.plus(GRACE).isBefore(now)) {
                expired.add(resource);
            }
        });
        offers.keySet().removeAll(expired);
        return expired;
    }

    public Map<String, Held> held(String pod, String container) {
        return pods.getOrDefault(pod, Map.of()).getOrDefault(container, Map.of());
    }

    public void hold(String pod, String container, String resource, Held held) {
        pods.computeIfAbsent(pod, _ -> new LinkedHashMap<>())
                .computeIfAbsent(container, _ -> new LinkedHashMap<>())
                .put(resource, held);
    }

    /** All devices of containers, as the checkpoint records them. */
    List<CheckpointFile.Entry> entries() {
        List<CheckpointFile.Entry> entries = new ArrayList<>();
        pods.forEach((pod, containers) ->
                containers.forEach((container, resources) -> resources.forEach((resource, held) -> entries.add(
                        new CheckpointFile.Entry(pod, container, resource, held.devices(), held.response())))));
        return entries;
    }

    /** Frees the devices of pods that are no longer active. */
    public void retain(Set<String> active) {
        pods.keySet().retainAll(active);
    }

    public Set<String> inUse(String resource) {
        Set<String> used = new HashSet<>();
        for (var containers : pods.values()) {
            for (var resources : containers.values()) {
                Held held = resources.get(resource);
                if (held != null) {
                    used.addAll(held.devices());
                }
            }
        }
        return used;
    }
}
