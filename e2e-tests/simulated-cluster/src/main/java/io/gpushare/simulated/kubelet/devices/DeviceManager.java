package io.gpushare.simulated.kubelet.devices;

import io.gpushare.api.deviceplugin.v1beta1.ContainerAllocateResponse;
import io.gpushare.api.deviceplugin.v1beta1.Device;
import io.gpushare.simulated.client.PodDocument;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Allocates devices to containers as Kubernetes 1.36 does (pkg/kubelet/cm/devicemanager/manager.go), and keeps the
 * plugins of one resource as the chosen version does. It holds no lock during a call of a plugin, and draws from a
 * seeded source whatever depends on the order of Go's maps. NUMA alignment is not simulated.
 */
public final class DeviceManager {
    private static final Logger LOG = LoggerFactory.getLogger(DeviceManager.class);

    private final DeviceTable table = new DeviceTable();
    /** The newest registration of each resource, also when its stream has ended. */
    private final Map<String, PluginConnection> plugins = new HashMap<>();

    private final List<PluginConnection> former = new ArrayList<>();
    private final KubeletVersion version;
    private final CheckpointFile checkpoint;
    private final Random random;
    private final InstantSource clock;
    private int registrations;

    /** @param plugins the folder of the plugins' sockets and of the checkpoint */
    public DeviceManager(Path plugins, KubeletVersion version, long seed, InstantSource clock) {
        this.version = version;
        this.checkpoint = new CheckpointFile(plugins, clock);
        this.random = new Random(seed);
        this.clock = clock;
    }

    /** The newest registration of a resource wins; an older connection stays open, as in the real kubelet. */
    public void connected(PluginConnection plugin) {
        synchronized (this) {
            registrations++;
            PluginConnection before = plugins.put(plugin.resource(), plugin);
            former.removeIf(PluginConnection::closed);
            if (before != null) {
                former.add(before);
            }
            table.connected(plugin.resource());
        }
        plugin.listAndWatch(devices -> update(plugin, devices), () -> streamEnded(plugin));
    }

    public synchronized int registrations() {
        return registrations;
    }

    /** Ignores a list that arrives after the plugin was disconnected. */
    private synchronized void update(PluginConnection plugin, List<Device> devices) {
        if (!plugin.closed()) {
            table.update(plugin.resource(), devices);
            writeCheckpoint();
        }
    }

    /** The kubelet replaces its checkpoint after each list of a plugin and after each Allocate. */
    private void writeCheckpoint() {
        try {
            checkpoint.write(table.entries(), healthy());
        } catch (IOException e) {
            LOG.warn("the checkpoint can't be written: {}", e.toString());
        }
    }

    private synchronized void streamEnded(PluginConnection ended) {
        String resource = ended.resource();
        PluginConnection newest = plugins.get(resource);
        ended.close();
        if (newest != null && (newest == ended || (version == KubeletVersion.V1_36 && !newest.closed()))) {
            newest.close();
            table.disconnected(resource, clock.instant());
        }
    }

    public synchronized void cutStream(String resource) {
        PluginConnection plugin = plugins.get(resource);
        if (plugin == null) {
            throw new IllegalStateException("no plugin is registered for " + resource);
        }
        plugin.cutStream();
    }

    public synchronized void restart() {
        plugins.values().forEach(PluginConnection::close);
        former.forEach(PluginConnection::close);
        plugins.clear();
        former.clear();
        table.restarted(clock.instant());
    }

    public synchronized Map<String, DeviceTable.Count> counts() {
        return table.counts();
    }

    /**
     * What the next status of the node says (GetCapacity). A resource whose plugin stopped more than five minutes ago
     * is reported as 0 once and then unknown, so that later reports leave what others write of it.
     */
    public synchronized Map<String, DeviceTable.Count> report() {
        Set<String> expired = table.expire(clock.instant());
        Map<String, DeviceTable.Count> counts = new LinkedHashMap<>(table.counts());
        expired.forEach(resource -> counts.put(resource, new DeviceTable.Count(0, 0)));
        if (!expired.isEmpty()) {
            plugins.keySet().removeAll(expired);
            writeCheckpoint();
        }
        return counts;
    }

    public synchronized Map<String, Set<String>> healthy() {
        Map<String, Set<String>> healthy = new LinkedHashMap<>();
        table.offers().forEach((resource, offer) -> healthy.put(resource, new HashSet<>(offer.healthy)));
        return healthy;
    }

    /** A container's devices by resource; empty while its pod is being admitted. */
    public synchronized Map<String, DeviceTable.Held> held(String pod, String container) {
        return new LinkedHashMap<>(table.held(pod, container));
    }

    public synchronized void retain(Set<String> activePods) {
        table.retain(activePods);
    }

    /** Allocates for all containers of a pod, init containers first; throws at the first that fails. */
    public void admit(PodDocument pod) {
        Map<String, Set<String>> reusable = new HashMap<>();
        for (PodDocument.Container container : pod.containers()) {
            List<Map.Entry<String, BigDecimal>> limits =
                    new ArrayList<>(container.limits().entrySet());
            Collections.shuffle(limits, random);
            for (var limit : limits) {
                String resource = limit.getKey();
                Set<String> spare = reusable.computeIfAbsent(resource, _ -> new HashSet<>());
                allocate(pod.uid(), container.name(), resource, limit.getValue().intValue(), spare);
                DeviceTable.Held held = held(pod.uid(), container.name()).get(resource);
                if (held != null && container.init() && !container.sidecar()) {
                    spare.addAll(held.devices());
                } else if (held != null) {
                    spare.removeAll(held.devices());
                }
            }
        }
    }

    /** Whether a plugin is called before the containers of that pod start. */
    public boolean preStartRequired(PodDocument pod) {
        return pod.containers().stream()
                .flatMap(container -> held(pod.uid(), container.name()).keySet().stream())
                .map(this::plugin)
                .anyMatch(plugin -> plugin != null && plugin.preStartRequired());
    }

    /** Calls PreStartContainer for the containers of an admitted pod; the reason if one may not start now. */
    public Optional<String> preStart(PodDocument pod) {
        try {
            for (PodDocument.Container container : pod.containers()) {
                held(pod.uid(), container.name()).forEach((resource, held) -> {
                    PluginConnection plugin = plugin(resource);
                    if (plugin != null && plugin.preStartRequired()) {
                        plugin.preStart(held.devices());
                    }
                });
            }
            return Optional.empty();
        } catch (StatusRuntimeException e) {
            return Optional.of(String.valueOf(e.getStatus().getDescription()));
        }
    }

    private void allocate(String pod, String container, String resource, int count, Set<String> reusable) {
        try {
            Set<String> devices = choose(pod, container, resource, count, reusable);
            PluginConnection plugin = plugin(resource);
            if (devices.isEmpty()) {
                return;
            }
            if (plugin == null) {
                throw new AdmissionException("unknown Device Plugin " + resource);
            }
            ContainerAllocateResponse response = plugin.allocate(shuffled(devices));
            synchronized (this) {
                table.hold(pod, container, resource, new DeviceTable.Held(devices, response));
                writeCheckpoint();
            }
        } catch (StatusRuntimeException e) {
            throw AdmissionException.of(e);
        }
    }

    /** manager.go devicesToAllocate; empty if no call of the plugin is needed. */
    private Set<String> choose(String pod, String container, String resource, int count, Set<String> reusable) {
        Set<String> chosen = new HashSet<>();
        Set<String> available;
        synchronized (this) {
            DeviceTable.Offer offer = table.offers().get(resource);
            DeviceTable.Held held = table.held(pod, container).get(resource);
            if (offer == null || count == 0 || (held != null && version == KubeletVersion.V1_20)) {
                return chosen;
            }
            if (offer.healthy.isEmpty()) {
                throw new AdmissionException(
                        "no healthy devices present; cannot allocate unhealthy devices " + resource);
            }
            if (held != null) {
                // Admitted again: after a boot of the machine.
                if (!offer.healthy.containsAll(held.devices())) {
                    throw new AdmissionException("previously allocated devices are no longer healthy; cannot allocate"
                            + " unhealthy devices " + resource);
                }
                return chosen;
            }
            take(reusable, count, chosen);
            available = new HashSet<>(offer.healthy);
            available.removeAll(table.inUse(resource));
        }
        int needed = count - chosen.size();
        if (needed == 0) {
            return chosen;
        }
        if (available.size() < needed) {
            throw new AdmissionException("requested number of devices unavailable for " + resource + ". Requested: "
                    + needed + ", Available: " + available.size());
        }
        Set<String> preferred = preferred(resource, available, chosen, count);
        int proposed = preferred.size();
        preferred.retainAll(available);
        if (preferred.size() < needed) {
            LOG.warn(
                    "{} of {} devices of {} preferred, {} of them available ({}); the kubelet chooses the others",
                    proposed,
                    needed,
                    resource,
                    preferred.size(),
                    available.size());
        }
        take(preferred, count, chosen);
        take(available, count, chosen);
        return chosen;
    }

    private Set<String> preferred(String resource, Set<String> available, Set<String> chosen, int count) {
        PluginConnection plugin = plugin(resource);
        Set<String> offered = new HashSet<>(available);
        offered.addAll(chosen);
        return plugin == null
                ? new HashSet<>()
                : new HashSet<>(plugin.preferred(shuffled(offered), shuffled(chosen), count));
    }

    private void take(Set<String> from, int count, Set<String> chosen) {
        for (String device : shuffled(from)) {
            if (chosen.size() == count) {
                return;
            }
            chosen.add(device);
        }
    }

    private synchronized @Nullable PluginConnection plugin(String resource) {
        return plugins.get(resource);
    }

    private List<String> shuffled(Collection<String> devices) {
        List<String> list = new ArrayList<>(devices);
        Collections.shuffle(list, random);
        return list;
    }
}
