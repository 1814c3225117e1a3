package io.gpushare.plugin.kubelet;

import io.gpushare.model.codec.ResourceNames;
import io.gpushare.plugin.devices.DeviceLists;
import io.gpushare.plugin.devices.DeviceResource;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * Both resources at the kubelet. One thread looks after the registrations, twice a second: what a look costs is a few
 * file attributes, and it sees everything that file events would tell, and also what they lose.
 */
public final class KubeletConnection implements AutoCloseable {
    private static final Duration LOOK = Duration.ofMillis(500);

    private final List<ResourceServer> servers;
    private final List<Registrar> registrars;
    private final ExecutorService calls = Executors.newThreadPerTaskExecutor(
            Thread.ofPlatform().daemon().name("kubelet-call-", 0).factory());
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final Thread thread = new Thread(this::run, "registration");

    private KubeletConnection(
            Path pluginDir, ResourceNames names, CallHandler doorkeeper, DomainSockets sockets, InstantSource clock) {
        Path kubelet = DomainSockets.checked(pluginDir.resolve("kubelet.sock"));
        servers = List.of(
                        new ResourceServer.Place(
                                DeviceResource.MEMORY,
                                names.memory(),
                                DomainSockets.checked(pluginDir.resolve("gpushare-mem.sock"))),
                        new ResourceServer.Place(
                                DeviceResource.CARDS,
                                names.cards(),
                                DomainSockets.checked(pluginDir.resolve("gpushare-card.sock"))))
                .stream()
                .map(place -> new ResourceServer(place, doorkeeper, sockets, calls, clock))
                .toList();
        registrars = servers.stream()
                .map(server -> new Registrar(server, kubelet, sockets, clock))
                .toList();
    }

    /**
     * Begins to look after the registrations; nothing is registered before the first {@link #offer}.
     *
     * @param pluginDir where the kubelet's registration socket is
     * @throws IllegalArgumentException when the path is too long for sockets
     */
    public static KubeletConnection start(
            Path pluginDir, ResourceNames names, CallHandler doorkeeper, DomainSockets sockets, InstantSource clock) {
        KubeletConnection link = new KubeletConnection(pluginDir, names, doorkeeper, sockets, clock);
        link.thread.setDaemon(true);
        link.thread.start();
        return link;
    }

    /** Offers these devices from now on. */
    public void offer(DeviceLists lists) {
        servers.forEach(server -> server.offer(lists.of(server.place().resource())));
    }

    /** Whether the kubelet reads the lists of both resources. */
    public boolean watched() {
        return servers.stream().allMatch(ResourceServer::watched);
    }

    /** How often each resource was registered so far, by its name. */
    public Map<String, Long> registrations() {
        Map<String, Long> counts = new TreeMap<>();
        registrars.forEach(registrar -> counts.put(registrar.name(), registrar.registrations()));
        return counts;
    }

    private void run() {
        try {
            do {
                registrars.forEach(Registrar::look);
            } while (!stopped.await(LOOK.toMillis(), TimeUnit.MILLISECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends both servers and removes their sockets. */
    @Override
    public void close() {
        stopped.countDown();
        try {
            thread.join(Duration.ofSeconds(3));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        registrars.forEach(Registrar::end);
        calls.shutdownNow();
    }
}
