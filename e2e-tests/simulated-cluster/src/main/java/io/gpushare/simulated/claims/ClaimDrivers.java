package io.gpushare.simulated.claims;

import static io.gpushare.simulated.claims.PodClaims.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.api.dra.v1.Claim;
import io.gpushare.api.dra.v1.DRAPluginGrpc;
import io.gpushare.api.dra.v1.Device;
import io.gpushare.api.dra.v1.NodePrepareResourceResponse;
import io.gpushare.api.dra.v1.NodePrepareResourcesRequest;
import io.gpushare.api.dra.v1.NodeUnprepareResourcesRequest;
import io.gpushare.api.pluginregistration.v1.InfoRequest;
import io.gpushare.api.pluginregistration.v1.PluginInfo;
import io.gpushare.api.pluginregistration.v1.RegistrationGrpc;
import io.gpushare.api.pluginregistration.v1.RegistrationStatus;
import io.gpushare.simulated.client.ApiClient;
import io.gpushare.simulated.client.PodDocument;
import io.gpushare.simulated.kubelet.devices.KubeletSockets;
import io.gpushare.time.PeriodicTask;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The kubelet's part of claims: it registers the drivers whose sockets appear, and lets them prepare and unprepare the
 * claims of its pods. That a kubelet deletes the slices of a driver that is away for 30 s is not simulated.
 */
public final class ClaimDrivers implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ClaimDrivers.class);
    private static final Duration LOOK = Duration.ofMillis(500);
    private static final int CALL_SECONDS = 45;

    private record Driver(Path socket, Object file, ManagedChannel channel) {}

    private record Prepared(String driver, Claim claim, List<Device> devices) {}

    private final Path registry;
    private final String node;
    private final ApiClient cluster;
    private final KubeletSockets sockets;
    private final Map<String, Driver> drivers = new HashMap<>(); // by name
    private final Map<String, Map<String, Prepared>> prepared =
            new HashMap<>(); // by uid and the pod's name for the claim
    private boolean cleaned;
    private final PeriodicTask task = PeriodicTask.rounds("plugin registry", LOOK, this::look);

    /** @param directory the kubelet's */
    public ClaimDrivers(Path directory, String node, ApiClient cluster, KubeletSockets sockets) {
        this.registry = directory.resolve("plugins_registry");
        this.node = node;
        this.cluster = cluster;
        this.sockets = sockets;
    }

    /** Deletes the slices of the node, as each kubelet does at its start, and looks for drivers. */
    public void start() {
        task.start();
    }

    private void deleteSlices() {
        try {
            String slices = "/apis/resource.k8s.io/v1/resourceslices";
            for (JsonNode slice : cluster.get(slices + "?fieldSelector=spec.nodeName%3D" + node)
                    .document()
                    .path("items")) {
                cluster.delete(slices + "/" + text(slice.path("metadata"), "name"), ApiClient.document());
            }
        } catch (IOException e) {
            LOG.warn("the slices of {} can't be deleted: {}", node, e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void look() {
        if (!cleaned) {
            cleaned = true;
            deleteSlices();
        }
        List<Path> present = new ArrayList<>();
        try {
            Files.createDirectories(registry);
            try (DirectoryStream<Path> files = Files.newDirectoryStream(registry, "*.sock")) {
                files.forEach(present::add);
            }
        } catch (IOException e) {
            LOG.warn("{} can't be read: {}", registry, e.toString());
            return;
        }
        Collections.sort(present);
        synchronized (this) {
            drivers.values().removeIf(driver -> {
                boolean gone =
                        !present.contains(driver.socket()) || !driver.file().equals(file(driver.socket()));
                if (gone) {
                    driver.channel().shutdownNow();
                }
                return gone;
            });
            present.removeIf(socket ->
                    drivers.values().stream().anyMatch(driver -> driver.socket().equals(socket)));
        }
        present.forEach(this::register);
    }

    /** Which file it is: the kubelet's watch sees when a socket is made again under its name. */
    private static Object file(Path socket) {
        try {
            BasicFileAttributes attributes = Files.readAttributes(socket, BasicFileAttributes.class);
            return List.of(
                    String.valueOf(attributes.fileKey()),
                    attributes.lastModifiedTime(),
                    Files.getAttribute(socket, "unix:ctime"));
        } catch (IOException e) {
            return "none";
        }
    }

    private void register(Path socket) {
        Object file = file(socket);
        ManagedChannel channel = sockets.connect(socket);
        try {
            var registration =
                    RegistrationGrpc.newBlockingStub(channel).withDeadlineAfter(CALL_SECONDS, TimeUnit.SECONDS);
            PluginInfo info = registration.getInfo(InfoRequest.getDefaultInstance());
            if (!info.getType().equals("DRAPlugin")
                    || !info.getSupportedVersionsList().contains("v1.DRAPlugin")) {
                return;
            }
            synchronized (this) {
                drivers.put(info.getName(), new Driver(socket, file, sockets.connect(Path.of(info.getEndpoint()))));
            }
            var _ = registration.notifyRegistrationStatus(
                    RegistrationStatus.newBuilder().setPluginRegistered(true).build());
            LOG.info("driver {} registered", info.getName());
        } catch (StatusRuntimeException e) {
            LOG.debug("the driver at {} does not answer yet: {}", socket, e.toString());
        } finally {
            channel.shutdownNow();
        }
    }

    /** Whether the pod names claims. */
    public static boolean has(PodDocument pod) {
        return !pod.document().path("spec").path("resourceClaims").isEmpty();
    }

    /** Lets the drivers prepare the pod's claims; returns the text of the Event of a failure. */
    public Optional<String> prepare(PodDocument pod) {
        Map<String, Prepared> all = new LinkedHashMap<>();
        for (Map.Entry<String, String> claim : PodClaims.of(pod).entrySet()) {
            try {
                ObjectNode document = cluster.get(PodClaims.path(pod.namespace(), claim.getValue()))
                        .document();
                boolean reserved = document.path("status").path("reservedFor").findValuesAsText("uid").stream()
                        .anyMatch(pod.uid()::equals);
                if (!reserved) {
                    return Optional.of(
                            "pod " + pod.title() + " is not allowed to use resource claim " + claim.getValue());
                }
                all.put(claim.getKey(), prepare(document));
            } catch (IOException | StatusRuntimeException e) {
                return Optional.of("Failed to prepare dynamic resources: " + e.getMessage());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return Optional.of("the kubelet ends");
            }
        }
        synchronized (this) {
            prepared.put(pod.uid(), all);
        }
        return Optional.empty();
    }

    private Prepared prepare(ObjectNode claim) throws IOException {
        JsonNode first = claim.path("status")
                .path("allocation")
                .path("devices")
                .path("results")
                .path(0);
        Claim call = call(claim);
        NodePrepareResourceResponse answer = stub(text(first, "driver"))
                .nodePrepareResources(
                        NodePrepareResourcesRequest.newBuilder().addClaims(call).build())
                .getClaimsOrDefault(call.getUid(), NodePrepareResourceResponse.getDefaultInstance());
        if (!answer.getError().isEmpty()) {
            throw new IOException(
                    "NodePrepareResources failed for ResourceClaim " + call.getName() + ": " + answer.getError());
        }
        return new Prepared(text(first, "driver"), call, answer.getDevicesList());
    }

    private static Claim call(ObjectNode claim) {
        JsonNode metadata = claim.path("metadata");
        return Claim.newBuilder()
                .setNamespace(text(metadata, "namespace"))
                .setName(text(metadata, "name"))
                .setUid(text(metadata, "uid"))
                .build();
    }

    private DRAPluginGrpc.DRAPluginBlockingStub stub(String name) throws IOException {
        synchronized (this) {
            Driver driver = drivers.get(name);
            if (driver == null) {
                throw new IOException("DRA driver " + name + " is not registered");
            }
            return DRAPluginGrpc.newBlockingStub(driver.channel()).withDeadlineAfter(CALL_SECONDS, TimeUnit.SECONDS);
        }
    }

    /** The names of the CDI devices of a container. */
    public synchronized List<String> cdi(PodDocument pod, String container) {
        Map<String, Prepared> all = prepared.getOrDefault(pod.uid(), Map.of());
        return PodClaims.uses(pod, container).stream()
                .flatMap(use -> Optional.ofNullable(all.get(use.claim())).stream()
                        .flatMap(claim -> claim.devices().stream())
                        .filter(device -> use.request().isEmpty()
                                || device.getRequestNamesList().contains(use.request())))
                .flatMap(device -> device.getCdiDeviceIdsList().stream())
                .distinct()
                .toList();
    }

    /** Lets the drivers unprepare the claims that no other pod of the node has; returns whether all of them did. */
    public boolean unprepare(PodDocument pod) {
        List<Prepared> due;
        synchronized (this) {
            due = prepared.getOrDefault(pod.uid(), Map.of()).values().stream()
                    .filter(each -> prepared.entrySet().stream()
                            .noneMatch(other -> !other.getKey().equals(pod.uid())
                                    && other.getValue().values().stream()
                                            .anyMatch(its -> its.claim().equals(each.claim()))))
                    .toList();
        }
        for (Prepared each : due) {
            try {
                String error = stub(each.driver())
                        .nodeUnprepareResources(NodeUnprepareResourcesRequest.newBuilder()
                                .addClaims(each.claim())
                                .build())
                        .getClaimsOrThrow(each.claim().getUid())
                        .getError();
                if (!error.isEmpty()) {
                    throw new IOException(error);
                }
            } catch (IOException | StatusRuntimeException e) {
                LOG.info("the claims of {} are not unprepared yet: {}", pod.title(), e.getMessage());
                return false;
            }
        }
        synchronized (this) {
            prepared.remove(pod.uid());
        }
        return true;
    }

    @Override
    public synchronized void close() {
        task.close();
        drivers.values().forEach(driver -> driver.channel().shutdownNow());
    }
}
