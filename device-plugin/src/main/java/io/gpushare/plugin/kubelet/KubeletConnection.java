package io.gpushare.plugin.kubelet;

import io.gpushare.model.codec.ResourceNames;
import io.gpushare.plugin.devices.DeviceLists;
import io.gpushare.plugin.devices.DeviceResource;
import io.gpushare.plugin.part.PeriodicTask;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * The servers of all resources and their registrations. One thread checks the registrations twice a second. A check
 * reads a few file attributes, and notices everything that file events would report, including lost events.
 */
public final class KubeletConnection implements AutoCloseable {
    private static final Duration INTERVAL = Duration.ofMillis(500);

    /** Receives what the kubelet does. */
    public interface Listener {
        /** It begins to watch the list of a resource. */
        void watched();

        /** A call, such as {@code Allocate}, ended after that time. */
        void responded(String call, long nanos);
    }

    private final CallObserver observer;
    private final List<ResourceServer> servers;
    private final List<Registrar> registrars;
    private final ExecutorService calls = Executors.newThreadPerTaskExecutor(
            Thread.ofPlatform().daemon().name("kubelet-call-", 0).factory());
    private final PeriodicTask task = new PeriodicTask("registration", this::check);

    /**
     * Makes a connection.
     *
     * @param pluginDir the directory of the kubelet's registration socket
     * @throws IllegalArgumentException when the path is too long for sockets
     */
    public KubeletConnection(
            Path pluginDir,
            ResourceNames names,
            CallHandler handler,
            Listener listener,
            DomainSockets sockets,
            InstantSource clock) {
        observer = new CallObserver(listener);
        Path kubelet = DomainSockets.checked(pluginDir.resolve("kubelet.sock"));
        servers = DeviceResource.of(names).stream()
                .map(resource -> new ResourceServer.Endpoint(
                        resource, resource.name(names), DomainSockets.checked(pluginDir.resolve(resource.socket()))))
                .map(endpoint -> new ResourceServer(endpoint, handler, observer, sockets, calls, clock))
                .toList();
        registrars = servers.stream()
                .map(server -> new Registrar(server, kubelet, sockets, clock))
                .toList();
    }

    /** Starts to check the registrations; nothing is registered before the first {@link #offer}. */
    public KubeletConnection start() {
        task.start();
        return this;
    }

    /** Offers these devices from now on. */
    public void offer(DeviceLists lists) {
        servers.forEach(server -> server.offer(lists.list(server.endpoint().resource())));
    }

    /** Whether the kubelet watches the list of every resource. */
    public boolean watched() {
        return servers.stream().allMatch(ResourceServer::watched);
    }

    /** Whether the kubelet waits for no response. */
    public boolean idle() {
        return observer.idle();
    }

    /** The number of registrations of each resource so far, by its name. */
    public Map<String, Long> registrations() {
        Map<String, Long> counts = new TreeMap<>();
        registrars.forEach(registrar -> counts.put(registrar.name(), registrar.registrations()));
        return counts;
    }

    private Duration check() {
        registrars.forEach(Registrar::check);
        return INTERVAL;
    }

    /** Stops the servers and removes their sockets. */
    @Override
    public void close() {
        task.close();
        registrars.forEach(Registrar::close);
        calls.shutdownNow();
    }
}
