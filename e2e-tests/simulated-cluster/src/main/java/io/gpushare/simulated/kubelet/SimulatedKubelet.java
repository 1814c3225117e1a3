package io.gpushare.simulated.kubelet;

import io.gpushare.simulated.claims.ClaimDrivers;
import io.gpushare.simulated.client.ApiClient;
import io.gpushare.simulated.client.Reflector;
import io.gpushare.simulated.kubelet.devices.DeviceManager;
import io.gpushare.simulated.kubelet.devices.DeviceTable;
import io.gpushare.simulated.kubelet.devices.KubeletSockets;
import io.gpushare.simulated.kubelet.devices.RegistrationService;
import io.gpushare.simulated.kubelet.devices.UnixSockets;
import io.grpc.BindableService;
import io.grpc.Server;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A simulated kubelet of one node. It follows Kubernetes 1.36, or another {@link KubeletOptions#version}, in everything
 * between a device plugin or a driver of claims, the pods of the node and the API server. Pods have no processes: a
 * started container is a record of its environment and devices.
 */
public final class SimulatedKubelet implements AutoCloseable {
    private static final double LISTS_PER_SECOND = 100;
    private static final int LISTS_AT_ONCE = 10;

    private final KubeletOptions options;
    private final InstantSource clock;
    private final ApiClient cluster;
    private final KubeletSockets sockets;
    private final DeviceManager devices;
    private final ClaimDrivers claims;
    private final PodStatusWriter status;
    private final PodWorkers pods;
    private final NodeStatusReporter report;
    private final Reflector follower;
    private Server registration;
    private Server podResources;

    private SimulatedKubelet(
            KubeletOptions options, ApiClient api, KubeletSockets sockets, Containers containers, InstantSource clock) {
        this.options = options;
        this.clock = clock;
        this.sockets = sockets;
        cluster = api;
        devices = new DeviceManager(options.plugins(), options.version(), options.seed(), clock);
        status = new PodStatusWriter(cluster);
        claims = new ClaimDrivers(options.directory(), options.node(), cluster, sockets);
        pods = new PodWorkers(devices, claims, options.cdi(), status, containers);
        report = new NodeStatusReporter(options, cluster, devices);
        follower = new Reflector(cluster, "/api/v1/pods", "fieldSelector=spec.nodeName%3D" + options.node(), pods);
        removePluginSockets();
        registration = serveRegistration();
        podResources = servePodResources();
    }

    /** Starts the kubelet: sockets first, then the node's object and its pods. */
    public static SimulatedKubelet start(KubeletOptions options, URI api, InstantSource clock) {
        return start(options, new ApiClient(api), new UnixSockets(), Containers.UNSEEN, clock);
    }

    /**
     * The same over those wires.
     *
     * @param containers hears of the node's containers
     */
    public static SimulatedKubelet start(
            KubeletOptions options, ApiClient api, KubeletSockets sockets, Containers containers, InstantSource clock) {
        SimulatedKubelet kubelet = new SimulatedKubelet(options, api, sockets, containers, clock);
        kubelet.report.start();
        kubelet.claims.start();
        kubelet.follower.start();
        return kubelet;
    }

    public String node() {
        return options.node();
    }

    /** The state of a container at its start, until its pod's object is deleted. */
    public Optional<StartedContainer> started(String namespace, String pod, String container) {
        return pods.started(namespace, pod, container);
    }

    /** The environment of a container; empty if it never started. */
    public Map<String, String> environment(String namespace, String pod, String container) {
        return started(namespace, pod, container)
                .map(StartedContainer::environment)
                .orElse(Map.of());
    }

    /** The number of registrations of plugins since the creation of this object, including restarts. */
    public int registrations() {
        return devices.registrations();
    }

    /** The number of healthy devices of a resource in the device table. The node's status follows within one period. */
    public int allocatable(String resource) {
        DeviceTable.Count count = devices.counts().get(resource);
        return count == null ? 0 : count.allocatable();
    }

    /** Disconnects a resource's plugin by cancelling its ListAndWatch stream. */
    public void cutListAndWatch(String resource) {
        devices.cutStream(resource);
    }

    /** Leaves new pods bound and not admitted until the result runs, as a kubelet that is behind. */
    public Runnable holdAdmission() {
        return pods.holdAdmission();
    }

    /**
     * Restarts the kubelet: both services stop and every socket in the plugins' folder is removed. Running pods keep
     * their devices. The capacity is 0 until plugins register again.
     */
    public synchronized void restart() {
        stop(registration);
        stop(podResources);
        devices.restart();
        removePluginSockets();
        registration = serveRegistration();
        podResources = servePodResources();
    }

    /** The machine loses its power: all containers end, and nobody reports it. Until {@link #boot} nothing may run. */
    public void powerOff() {
        pods.powerOff();
    }

    /** The machine boots: the kubelet admits its pods again, before any plugin can register. */
    public void boot() {
        restart();
        pods.boot();
    }

    private Server serveRegistration() {
        return serve(
                options.registrationSocket(),
                new RegistrationService(options.plugins(), sockets, (_, plugin) -> devices.connected(plugin)));
    }

    private Server servePodResources() {
        RateLimit limit = new RateLimit(LISTS_PER_SECOND, LISTS_AT_ONCE, clock);
        return serve(
                options.podResourcesSocket(), new PodResourcesService(devices, pods::active, limit, options.seed()));
    }

    private Server serve(Path socket, BindableService service) {
        try {
            return sockets.serve(socket, service);
        } catch (IOException e) {
            sockets.close();
            throw new UncheckedIOException("the simulated kubelet can't listen on " + socket, e);
        }
    }

    private static void stop(Server server) {
        try {
            server.shutdownNow().awaitTermination(5, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Since 1.33 the kubelet removes only sockets; before, every file except its checkpoint. */
    private void removePluginSockets() {
        try {
            Files.createDirectories(options.plugins());
            try (DirectoryStream<Path> files = Files.newDirectoryStream(options.plugins())) {
                for (Path file : files) {
                    if (sockets.socket(file)) {
                        Files.delete(file);
                    }
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the simulated kubelet can't clean " + options.plugins(), e);
        }
    }

    @Override
    public synchronized void close() {
        follower.close();
        report.close();
        pods.close();
        status.close();
        stop(registration);
        stop(podResources);
        devices.restart();
        claims.close();
        cluster.close();
        sockets.close();
    }
}
