package io.gpushare.plugin.allocate.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.api.podresources.v1.ContainerDevices;
import io.gpushare.api.podresources.v1.ContainerResources;
import io.gpushare.api.podresources.v1.ListPodResourcesResponse;
import io.gpushare.model.request.ResourceNames;
import io.gpushare.plugin.allocate.snapshot.PodResourcesList;
import io.gpushare.plugin.node.pod.PodName;
import io.gpushare.plugin.node.sockets.DomainSockets;
import io.gpushare.simulated.kubelet.ScriptedKubelet;
import io.gpushare.simulated.patience.Patience;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PodResourcesIT {
    private static final Duration TIME = Duration.ofSeconds(5);

    @TempDir
    private Path dir;

    private final DomainSockets sockets = new DomainSockets();
    private ScriptedKubelet kubelet;
    private PodResourcesClient client;

    @BeforeEach
    void start() throws Exception {
        kubelet = new ScriptedKubelet(dir).start();
        client = new PodResourcesClient(
                dir.resolve("pod-resources/kubelet.sock"), ResourceNames.DEFAULT.withHami(), sockets);
    }

    @AfterEach
    void end() throws Exception {
        client.close();
        kubelet.close();
        sockets.close();
    }

    @Test
    void oneEntryForEachDeviceBecomesOneSetForEachContainer() {
        kubelet.podResources(pod(ContainerResources.newBuilder()
                .setName("main")
                .addDevices(device("aliyun.com/gpu-mem", "GPU-a::1"))
                .addDevices(device("example.com/nic", "eth0"))
                .addDevices(device("aliyun.com/gpu-mem", "GPU-a::0"))));

        assertThat(client.list(TIME))
                .hasValue(new PodResourcesList(
                        Map.of(new PodName("default", "p"), Map.of("main", Set.of("GPU-a::0", "GPU-a::1")))));
    }

    @Test
    void memoryIdsUnderTheNameOfSlotsAreOfAnotherPlugin() {
        kubelet.podResources(pod(ContainerResources.newBuilder()
                .setName("main")
                .addDevices(device("nvidia.com/gpu", "GPU-a::1"))
                .addDevices(device("nvidia.com/gpu", "GPU-a::s2"))));

        assertThat(client.list(TIME))
                .hasValue(new PodResourcesList(Map.of(
                        new PodName("default", "p"), Map.of("main", Set.of("nvidia.com/gpu=GPU-a::1", "GPU-a::s2")))));
    }

    @Test
    void aPodWithoutDevicesIsListedAsWell() {
        kubelet.podResources(pod(ContainerResources.newBuilder().setName("main")));

        assertThat(client.list(TIME)).hasValue(new PodResourcesList(Map.of(new PodName("default", "p"), Map.of())));
    }

    @Test
    void aResponseAboveGrpcsDefaultLimitIsRead() {
        ContainerResources.Builder container = ContainerResources.newBuilder().setName("main");
        IntStream.range(0, 90_000)
                .forEach(i -> container.addDevices(
                        device("aliyun.com/gpu-mem", "GPU-60805828-8ab0-6124-67c4-9baff56d087b::" + i)));
        kubelet.podResources(pod(container));

        assertThat(client.list(Patience.of(TIME)).orElseThrow().pods().get(new PodName("default", "p")))
                .hasEntrySatisfying("main", ids -> assertThat(ids).hasSize(90_000));
    }

    @Test
    void aRefusedBurstIsRetriedUntilItIsAccepted() {
        kubelet.refuseLists(5);

        assertThat(client.list(TIME)).hasValue(PodResourcesList.EMPTY);
    }

    @Test
    void aBurstThatStaysRefusedTimesOut() {
        kubelet.refuseLists(Integer.MAX_VALUE);

        assertThat(client.list(Duration.ofMillis(200))).isEmpty();
    }

    @Test
    void afterARestartOfTheKubeletTheNextListSucceeds() throws Exception {
        assertThat(client.list(TIME)).isPresent();
        kubelet.stop();
        assertThat(client.list(Duration.ofMillis(200))).isEmpty();

        kubelet.start();

        assertThat(client.list(TIME)).isPresent();
    }

    private static ListPodResourcesResponse pod(ContainerResources.Builder container) {
        var response = ListPodResourcesResponse.newBuilder();
        response.addPodResourcesBuilder().setNamespace("default").setName("p").addContainers(container);
        return response.build();
    }

    private static ContainerDevices device(String resource, String id) {
        return ContainerDevices.newBuilder()
                .setResourceName(resource)
                .addDeviceIds(id)
                .build();
    }
}
