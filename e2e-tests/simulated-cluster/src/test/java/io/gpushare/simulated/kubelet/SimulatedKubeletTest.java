package io.gpushare.simulated.kubelet;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.api.podresources.v1.ListPodResourcesRequest;
import io.gpushare.api.podresources.v1.ListPodResourcesResponse;
import io.gpushare.api.podresources.v1.PodResourcesListerGrpc;
import io.gpushare.simulated.apiserver.SimulatedApiServer;
import io.gpushare.simulated.client.ApiClient;
import io.gpushare.simulated.client.PodDocument;
import io.gpushare.simulated.kubelet.devices.KubeletVersion;
import io.gpushare.simulated.kubelet.devices.UnixSockets;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SimulatedKubeletTest {
    private static final String PODS = "/api/v1/namespaces/default/pods";

    private final SimulatedApiServer server = SimulatedApiServer.start();
    private final ApiClient cluster = new ApiClient(server.uri());
    private final UnixSockets sockets = new UnixSockets();
    private final KubeletOptions options;
    private final SimulatedKubelet kubelet;

    SimulatedKubeletTest() throws IOException {
        Path directory = Files.createTempDirectory(Path.of("/tmp"), "k");
        options = new KubeletOptions("n1", directory, Map.of(), Duration.ofMillis(50), KubeletVersion.V1_36, 7);
        kubelet = SimulatedKubelet.start(options, server.uri(), InstantSource.system());
    }

    @BeforeEach
    void nodeIsThere() {
        await().until(() -> !allocatable("cpu").isEmpty());
    }

    @AfterEach
    void close() {
        kubelet.close();
        sockets.close();
        cluster.close();
        server.close();
    }

    @Test
    void capacityCountsAllDevicesAndAllocatableTheHealthy() throws IOException {
        try (PluginDouble plugin = register()) {
            assertThat(amount("capacity", PluginDouble.RESOURCE)).isEqualTo("5");
            kubelet.cutListAndWatch(PluginDouble.RESOURCE);
            await().until(() -> allocatable(PluginDouble.RESOURCE).equals("0"));
            assertThat(amount("capacity", PluginDouble.RESOURCE)).isEqualTo("5");
            assertThat(plugin.allocated).isEmpty();
        }
    }

    @Test
    void podsAreAdmittedOneAtATimeInTheOrderOfCreation() throws Exception {
        try (PluginDouble plugin = register()) {
            List<String> atTheDoor = new CopyOnWriteArrayList<>();
            plugin.duringAllocate = () -> atTheDoor.addAll(lacking());
            for (String name : new String[] {"z", "m", "a"}) {
                create(name, "\"containers\":[" + container("c", 1) + "]");
            }
            for (String name : new String[] {"z", "m", "a"}) {
                await().until(() -> pod(name).phase().equals("Running"));
            }
            assertThat(atTheDoor).containsExactly("z", "m", "a");
            assertThat(plugin.allocated.stream().flatMap(List::stream)).doesNotHaveDuplicates();
        }
    }

    @Test
    void thePluginsPreferenceAndEnvironmentReachTheContainer() throws Exception {
        try (PluginDouble plugin = register()) {
            plugin.preferred = List.of("b", "d", "nonsense");
            create("p", "\"containers\":[" + container("c", 3) + "]");
            await().until(() -> pod("p").phase().equals("Running"));
            StartedContainer started = kubelet.started("default", "p", "c").orElseThrow();
            assertThat(started.devices().get(PluginDouble.RESOURCE))
                    .contains("b", "d")
                    .hasSize(3);
            assertThat(started.environment()).containsKey("THINGS");
        }
    }

    @Test
    void anInitContainersDevicesAreUsedAgainWithoutAskingForAPreference() throws Exception {
        try (PluginDouble plugin = register()) {
            create("p", "\"initContainers\":[" + container("i", 2) + "],\"containers\":[" + container("c", 2) + "]");
            await().until(() -> pod("p").phase().equals("Running"));
            assertThat(plugin.preferences).hasSize(1);
            assertThat(plugin.allocated).hasSize(2);
            assertThat(plugin.allocated.get(1)).containsExactlyInAnyOrderElementsOf(plugin.allocated.get(0));
        }
    }

    @Test
    void aRefusalFailsThePodInTheKubeletsWords() throws Exception {
        try (PluginDouble plugin = register()) {
            plugin.refusal = "no such thing";
            create("p", "\"containers\":[" + container("c", 1) + "]");
            await().until(() -> pod("p").phase().equals("Failed"));
            assertThat(pod("p").document().path("status").path("reason").asText())
                    .isEqualTo("UnexpectedAdmissionError");
            assertThat(pod("p").document().path("status").path("message").asText())
                    .isEqualTo("Pod was rejected: Allocate failed due to rpc error: code = FailedPrecondition desc = "
                            + "no such thing, which is unexpected");
        }
    }

    @Test
    void aRestartRemovesSocketsForgetsPluginsAndKeepsWhatPodsHold() throws Exception {
        try (PluginDouble plugin = register()) {
            create("p", "\"containers\":[" + container("c", 4) + "]");
            await().until(() -> pod("p").phase().equals("Running"));
            kubelet.restart();
            assertThat(options.plugins().resolve("p.sock")).doesNotExist();
            await().until(() -> amount("capacity", PluginDouble.RESOURCE).equals("0"));
            assertThat(plugin.allocated).hasSize(1);
        }
        try (PluginDouble again = register()) {
            create("q", "\"containers\":[" + container("c", 1) + "]");
            await().until(() -> pod("q").phase().equals("Failed"));
            assertThat(pod("q").document().path("status").path("message").asText())
                    .contains("requested number of devices unavailable for example.com/thing. Requested: 1, Available:"
                            + " 0");
            assertThat(again.allocated).isEmpty();
        }
    }

    @Test
    void aBootRejectsPodsWithDevicesUntilThePluginIsThere() throws Exception {
        try (PluginDouble plugin = register()) {
            create("p", "\"containers\":[" + container("c", 1) + "]");
            create("without", "\"containers\":[{\"name\":\"c\"}]");
            await().until(() -> pod("without").phase().equals("Running"));
            kubelet.powerOff();
            assertThat(plugin.allocated).hasSize(1);
        }
        kubelet.boot();
        await().until(() -> pod("p").phase().equals("Failed"));
        assertThat(pod("p").document().path("status").path("message").asText())
                .isEqualTo("Pod was rejected: Allocate failed due to no healthy devices present; cannot allocate"
                        + " unhealthy devices example.com/thing, which is unexpected");
        assertThat(pod("without").phase()).isEqualTo("Running");
    }

    @Test
    void aBootBefore125StartsPodsWithTheDevicesOfTheCheckpoint() throws Exception {
        KubeletOptions old = KubeletOptions.of("n2", Files.createTempDirectory(Path.of("/tmp"), "k"))
                .in(KubeletVersion.V1_20);
        List<Map<String, Set<String>>> starts = new CopyOnWriteArrayList<>();
        Containers listener = new Containers() {
            @Override
            public void started(PodDocument pod, Map<String, StartedContainer> containers) {
                starts.add(Objects.requireNonNull(containers.get("c")).devices());
            }

            @Override
            public void ended(PodDocument pod) {
                // Seen by the next start.
            }
        };
        try (SimulatedKubelet second = SimulatedKubelet.start(
                old, new ApiClient(server.uri()), new UnixSockets(), listener, InstantSource.system())) {
            try (PluginDouble plugin = new PluginDouble(old, "p.sock")) {
                await().until(() -> second.allocatable(PluginDouble.RESOURCE) == 4);
                createOn("n2", "p", "\"containers\":[" + container("c", 2) + "]");
                await().until(() -> starts.size() == 1);
                second.powerOff();
                assertThat(plugin.allocated).hasSize(1);
            }
            second.boot();
            await().until(() -> starts.size() == 2);
        }
        assertThat(starts.get(1)).isEqualTo(starts.get(0));
    }

    @Test
    void podsEndByThemselvesOrWhenDeletedAndFreeTheirDevices() throws Exception {
        try (PluginDouble plugin = register()) {
            create("short", "\"containers\":[" + container("c", 2) + "]", "\"sandbox.gpushare.io/run-for\":\"0.1s\"");
            await().until(() -> pod("short").phase().equals("Succeeded"));
            create("p", "\"containers\":[" + container("c", 4) + "]");
            await().until(() -> pod("p").phase().equals("Running"));
            cluster.delete(PODS + "/p", ApiClient.document("{\"gracePeriodSeconds\":1}"));
            await().until(() -> cluster.get(PODS + "/p").code() == 404);
            create("q", "\"containers\":[" + container("c", 4) + "]");
            await().until(() -> pod("q").phase().equals("Running"));
            assertThat(plugin.allocated).hasSize(3);
        }
    }

    @Test
    void theEleventhListAtOnceIsRejected() {
        PodResourcesListerGrpc.PodResourcesListerBlockingStub lister = lister();
        assertThatThrownBy(() -> {
                    for (int i = 0; i < 200; i++) {
                        lister.list(ListPodResourcesRequest.getDefaultInstance());
                    }
                })
                .isInstanceOf(StatusRuntimeException.class)
                .hasMessage("RESOURCE_EXHAUSTED: rejected by rate limit");
        ((ManagedChannel) lister.getChannel()).shutdownNow();
    }

    private PluginDouble register() throws IOException {
        PluginDouble plugin = new PluginDouble(options, "p.sock");
        await().until(() -> allocatable(PluginDouble.RESOURCE).equals("4"));
        return plugin;
    }

    /** The pods that pod-resources currently lists without devices. */
    private List<String> lacking() {
        var lister = lister();
        ListPodResourcesResponse list = lister.list(ListPodResourcesRequest.getDefaultInstance());
        ((ManagedChannel) lister.getChannel()).shutdownNow();
        return list.getPodResourcesList().stream()
                .filter(pod -> pod.getContainers(0).getDevicesCount() == 0)
                .map(pod -> pod.getName())
                .toList();
    }

    private PodResourcesListerGrpc.PodResourcesListerBlockingStub lister() {
        return PodResourcesListerGrpc.newBlockingStub(sockets.connect(options.podResourcesSocket()));
    }

    private static String container(String name, int things) {
        return "{\"name\":\"" + name + "\",\"resources\":{\"limits\":{\"" + PluginDouble.RESOURCE + "\":\"" + things
                + "\"}}}";
    }

    private void create(String name, String containers, String... annotations) throws Exception {
        createOn("n1", name, containers, annotations);
    }

    private void createOn(String node, String name, String containers, String... annotations) throws Exception {
        ObjectNode pod = ApiClient.document("{\"metadata\":{\"name\":\"" + name + "\",\"annotations\":{"
                + String.join(",", annotations) + "}},\"spec\":{\"nodeName\":\"" + node + "\"," + containers + "}}");
        assertThat(cluster.post(PODS, pod).code()).isEqualTo(201);
    }

    private PodDocument pod(String name) throws Exception {
        return new PodDocument(cluster.get(PODS + "/" + name).document());
    }

    private String allocatable(String resource) throws Exception {
        return amount("allocatable", resource);
    }

    private String amount(String side, String resource) throws IOException {
        try {
            return cluster.get("/api/v1/nodes/n1")
                    .document()
                    .path("status")
                    .path(side)
                    .path(resource)
                    .asText("");
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }
}
