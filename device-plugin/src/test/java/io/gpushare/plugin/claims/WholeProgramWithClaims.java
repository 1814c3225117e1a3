package io.gpushare.plugin.claims;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.api.dra.v1.Claim;
import io.gpushare.api.dra.v1.DRAPluginGrpc;
import io.gpushare.api.dra.v1.NodePrepareResourceResponse;
import io.gpushare.api.dra.v1.NodePrepareResourcesRequest;
import io.gpushare.api.dra.v1.NodeUnprepareResourcesRequest;
import io.gpushare.api.pluginregistration.v1.RegistrationGrpc;
import io.gpushare.api.pluginregistration.v1.RegistrationStatus;
import io.gpushare.plugin.WholeProgram;
import io.gpushare.plugin.node.sockets.DomainSockets;
import io.gpushare.simulated.apiserver.store.ApiResource;
import io.gpushare.simulated.patience.Patience;
import io.gpushare.simulated.program.StartedProgram;
import io.grpc.ManagedChannel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** The whole program as a driver of Dynamic Resource Allocation, and the kubelet that calls it. */
public abstract class WholeProgramWithClaims extends WholeProgram {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int LARGEST = 1 << 20;

    private final DomainSockets sockets = new DomainSockets();
    private final List<ManagedChannel> channels = new ArrayList<>();

    @BeforeEach
    void registry() throws IOException {
        Files.createDirectories(dir.resolve("plugins_registry"));
    }

    @AfterEach
    void close() {
        hangUp();
        sockets.close();
    }

    /** Ends the kubelet's connections: a program that ends waits some seconds for them. */
    protected void hangUp() {
        channels.forEach(ManagedChannel::shutdownNow);
        channels.clear();
    }

    protected StartedProgram serve(String... options) throws IOException {
        StartedProgram program = listen(options);
        register();
        return program;
    }

    /** Starts the program; the kubelet does not register it yet. */
    protected StartedProgram listen(String... options) throws IOException {
        StartedProgram program = run(claimOptions(options));
        await().until(() -> Files.exists(registration()));
        return program;
    }

    protected String[] claimOptions(String... more) {
        return Stream.concat(
                        Stream.of(
                                "--serve=dra", "--cdi-dir=" + cdi(), "--static-cdi-dir=" + dir.resolve("etc"), METRICS),
                        Stream.of(more))
                .toArray(String[]::new);
    }

    protected void register() {
        RegistrationGrpc.newBlockingStub(channel(registration()))
                .withDeadlineAfter(Patience.of(Patience.USUAL))
                .withWaitForReady()
                .notifyRegistrationStatus(RegistrationStatus.newBuilder()
                        .setPluginRegistered(true)
                        .build());
    }

    protected void kill(StartedProgram program) throws Exception {
        hangUp();
        program.kill();
        Files.deleteIfExists(registration());
    }

    protected Path cdi() {
        return dir.resolve("cdi");
    }

    protected Path registration() {
        return dir.resolve("plugins_registry/gpushare.io-reg.sock");
    }

    protected ManagedChannel channel(Path socket) {
        ManagedChannel channel = sockets.channel(socket, LARGEST);
        channels.add(channel);
        return channel;
    }

    protected ManagedChannel service() {
        return channel(dir.resolve("plugins/gpushare.io/dra.sock"));
    }

    protected JsonNode slice() {
        await().until(() -> api.all(ApiResource.RESOURCE_SLICES).size() == 1);
        return api.all(ApiResource.RESOURCE_SLICES).getFirst();
    }

    protected static List<String> names(JsonNode slice) {
        return slice.at("/spec/devices")
                .valueStream()
                .map(device -> device.path("name").asText())
                .toList();
    }

    protected static String name(String card) {
        return card.toLowerCase(Locale.ROOT);
    }

    protected NodePrepareResourceResponse call(String name) {
        return call(name, Patience.of(Patience.USUAL));
    }

    protected NodePrepareResourceResponse call(String name, Duration deadline) {
        Claim claim = Claim.newBuilder()
                .setNamespace("default")
                .setName(name)
                .setUid("uid-" + name)
                .build();
        return DRAPluginGrpc.newBlockingStub(service())
                .withDeadlineAfter(deadline)
                .withWaitForReady()
                .nodePrepareResources(NodePrepareResourcesRequest.newBuilder()
                        .addClaims(claim)
                        .build())
                .getClaimsOrThrow("uid-" + name);
    }

    protected NodePrepareResourceResponse prepare(String name) {
        NodePrepareResourceResponse answer = call(name);
        assertThat(answer.getError()).isEmpty();
        return answer;
    }

    protected String error(String name) {
        return call(name).getError();
    }

    protected String unprepare(String name) {
        Claim claim = Claim.newBuilder()
                .setNamespace("default")
                .setName(name)
                .setUid("uid-" + name)
                .build();
        return DRAPluginGrpc.newBlockingStub(service())
                .nodeUnprepareResources(NodeUnprepareResourcesRequest.newBuilder()
                        .addClaims(claim)
                        .build())
                .getClaimsOrThrow("uid-" + name)
                .getError();
    }

    protected List<String> environment(String claim) throws IOException {
        return edits(claim).path("env").valueStream().map(JsonNode::asText).toList();
    }

    /** What the runtime adds to a container that uses the first request of that claim. */
    protected JsonNode edits(String claim) throws IOException {
        JsonNode file = JSON.readTree(
                cdi().resolve("gpushare.io-claim_uid-" + claim + ".json").toFile());
        return file.at("/devices/0/containerEdits");
    }

    protected static ObjectNode object(String json) throws IOException {
        return (ObjectNode) JSON.readTree(json);
    }

    protected List<String> files() throws IOException {
        if (!Files.exists(cdi())) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(cdi())) {
            return files.map(file -> String.valueOf(file.getFileName())).toList();
        }
    }

    /** A device that is not shared. */
    protected static ObjectNode result(String request, String card) {
        return JSON.createObjectNode()
                .put("request", request)
                .put("driver", "gpushare.io")
                .put("pool", "n1")
                .put("device", name(card));
    }

    protected static ObjectNode result(String request, String card, String memory, String shareId) {
        ObjectNode result = result(request, card).put("shareID", shareId);
        result.putObject("consumedCapacity").put("memory", memory);
        return result;
    }

    protected void claim(String name, ObjectNode... results) {
        claim(name, "uid-" + name, results);
    }

    /** A claim that is allocated, and reserved for the pod of its name. */
    protected void claim(String name, String uid, ObjectNode... results) {
        api.put(document(name, uid, results));
    }

    protected static ObjectNode document(String name, String uid, ObjectNode... results) {
        ObjectNode claim =
                JSON.createObjectNode().put("apiVersion", "resource.k8s.io/v1").put("kind", "ResourceClaim");
        claim.putObject("metadata")
                .put("name", name)
                .put("namespace", "default")
                .put("uid", uid);
        ObjectNode status = claim.putObject("status");
        status.putObject("allocation").putObject("devices").putArray("results").addAll(List.of(results));
        status.putArray("reservedFor")
                .addObject()
                .put("resource", "pods")
                .put("name", name)
                .put("uid", "uid-pod-" + name);
        return claim;
    }

    protected void pod(String containers) throws IOException {
        pod("two", containers);
    }

    protected void pod(String name, String containers) throws IOException {
        pod(name, "", containers);
    }

    protected void pod(String name, String initContainers, String containers) throws IOException {
        api.put(object("""
            {"apiVersion": "v1", "kind": "Pod",
             "metadata": {"name": "%s", "namespace": "default", "uid": "uid-pod-%s"},
             "spec": {"nodeName": "n1", "initContainers": [%s], "containers": [%s],
                      "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "t"},
                                         {"name": "more", "resourceClaimName": "two"}]},
             "status": {"resourceClaimStatuses": [{"name": "gpu", "resourceClaimName": "%s"}]}}
            """.formatted(name, name, initContainers, containers, name)));
    }
}
