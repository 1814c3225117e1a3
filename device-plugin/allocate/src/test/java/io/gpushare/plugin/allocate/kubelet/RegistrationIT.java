package io.gpushare.plugin.allocate.kubelet;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.gpushare.api.deviceplugin.v1beta1.AllocateRequest;
import io.gpushare.api.deviceplugin.v1beta1.ContainerAllocateRequest;
import io.gpushare.api.deviceplugin.v1beta1.ContainerAllocateResponse;
import io.gpushare.api.deviceplugin.v1beta1.ContainerPreferredAllocationRequest;
import io.gpushare.api.deviceplugin.v1beta1.Device;
import io.gpushare.api.deviceplugin.v1beta1.Empty;
import io.gpushare.api.deviceplugin.v1beta1.PreStartContainerRequest;
import io.gpushare.api.deviceplugin.v1beta1.PreferredAllocationRequest;
import io.gpushare.model.request.ResourceNames;
import io.gpushare.plugin.allocate.devices.DeviceLists;
import io.gpushare.plugin.allocate.devices.DeviceLists.Offered;
import io.gpushare.plugin.allocate.devices.DeviceResource;
import io.gpushare.plugin.node.container.Outcome;
import io.gpushare.plugin.node.container.RefusalKind;
import io.gpushare.plugin.node.sockets.DomainSockets;
import io.gpushare.simulated.kubelet.ScriptedKubelet;
import io.grpc.StatusRuntimeException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RegistrationIT {
    private static final String MEMORY = ResourceNames.DEFAULT.memory();
    private static final String CARDS = ResourceNames.DEFAULT.cards();
    private static final DeviceLists TWO =
            lists(List.of(new Offered("GPU-a::0", true)), List.of(new Offered("GPU-a", false)));

    @TempDir
    private Path dir;

    private final DomainSockets sockets = new DomainSockets();
    private ScriptedKubelet kubelet;
    private KubeletConnection connection;

    private static DeviceLists lists(List<Offered> memory, List<Offered> cards) {
        return new DeviceLists(Map.of(DeviceResource.MEMORY, memory, DeviceResource.CARDS, cards));
    }

    @BeforeEach
    void start() throws Exception {
        kubelet = new ScriptedKubelet(dir);
        connection = new KubeletConnection(
                        dir.resolve("device-plugins"),
                        ResourceNames.DEFAULT,
                        new Script(),
                        new Silent(),
                        Map::of,
                        sockets,
                        InstantSource.system())
                .start();
    }

    @AfterEach
    void end() throws Exception {
        connection.close();
        kubelet.close();
        sockets.close();
    }

    @Test
    void everyResourceIsRegisteredOnceThereIsAListAndTheKubeletWatchesIt() throws Exception {
        kubelet.start();
        connection.offer(TWO);

        awaitLists();
        assertThat(kubelet.registrations()).containsExactlyInAnyOrder(MEMORY, CARDS);
        assertThat(kubelet.devices(CARDS).orElseThrow())
                .containsExactly(Device.newBuilder()
                        .setID("GPU-a")
                        .setHealth("Unhealthy")
                        .build());
        var plugin = kubelet.plugin(MEMORY);
        assertThat(plugin.request().getVersion()).isEqualTo("v1beta1");
        assertThat(plugin.request().getOptions().getGetPreferredAllocationAvailable())
                .isTrue();
        assertThat(plugin.options()).isEqualTo(plugin.request().getOptions());
    }

    @Test
    void aChangeIsSentOnceAndTheSameListIsNotSentAgain() throws Exception {
        kubelet.start();
        connection.offer(TWO);
        awaitLists();

        connection.offer(TWO);
        DeviceLists changed = lists(List.of(new Offered("GPU-a::0", false)), TWO.list(DeviceResource.CARDS));
        connection.offer(changed);

        await().until(() -> kubelet.plugin(MEMORY).lists().size() == 2);
        await().untilAsserted(() -> assertThat(kubelet.healthy(MEMORY)).isEmpty());
        assertThat(kubelet.plugin(CARDS).lists()).hasSize(1);
    }

    @Test
    void aRestartedKubeletReceivesTheRegistrationsAgain() throws Exception {
        kubelet.start();
        connection.offer(TWO);
        awaitLists();

        kubelet.stop();
        kubelet.start();

        awaitLists();
        assertThat(kubelet.registrations()).hasSize(4);
        assertThat(kubelet.registeredBesideAnOpenStream()).isZero();
    }

    @Test
    void aDeletedSocketIsCreatedAndRegisteredAgain() throws Exception {
        kubelet.start();
        connection.offer(TWO);
        awaitLists();

        Files.delete(dir.resolve("device-plugins/gpushare-mem.sock"));

        await().until(() ->
                kubelet.registrations().stream().filter(MEMORY::equals).count() == 2);
        awaitLists();
        assertThat(kubelet.registeredBesideAnOpenStream()).isZero();
    }

    @Test
    void aCancelledStreamIsALostRegistration() throws Exception {
        kubelet.start();
        connection.offer(TWO);
        awaitLists();

        kubelet.cancelStream(CARDS);

        await().until(() ->
                kubelet.registrations().stream().filter(CARDS::equals).count() == 2);
        awaitLists();
        assertThat(kubelet.registrations()).filteredOn(MEMORY::equals).hasSize(1);
    }

    @Test
    void aKubeletThatStartsLateIsAwaited() throws Exception {
        connection.offer(TWO);
        await().during(Duration.ofMillis(700))
                .until(() -> kubelet.registrations().isEmpty());

        kubelet.start();

        awaitLists();
    }

    @Test
    void aListNearTheKubeletsLimitArrives() throws Exception {
        kubelet.start();
        List<Offered> many = IntStream.range(0, 66_000)
                .mapToObj(i -> new Offered("GPU-60805828-8ab0-6124-67c4-9baff56d087b::" + i, true))
                .toList();
        connection.offer(lists(many, TWO.list(DeviceResource.CARDS)));

        awaitLists();
        await().untilAsserted(() -> assertThat(kubelet.healthy(MEMORY)).hasSize(66_000));
    }

    @Test
    void theKubeletsQuestionsReachTheDoorkeeperAndItsAnswersTheKubelet() throws Exception {
        kubelet.start();
        connection.offer(TWO);
        awaitLists();

        var response = kubelet.calls(MEMORY)
                .getPreferredAllocation(PreferredAllocationRequest.newBuilder()
                        .addContainerRequests(ContainerPreferredAllocationRequest.newBuilder()
                                .addAvailableDeviceIDs("GPU-a::0")
                                .addAvailableDeviceIDs("GPU-a::1")
                                .addMustIncludeDeviceIDs("GPU-a::1")
                                .setAllocationSize(1))
                        .build());
        assertThat(response.getContainerResponses(0).getDeviceIDsList()).containsExactly("GPU-a::1");

        ContainerAllocateResponse given =
                kubelet.calls(MEMORY).allocate(allocate("GPU-a::0")).getContainerResponses(0);
        assertThat(given.getEnvsMap()).isEqualTo(Map.of("NVIDIA_VISIBLE_DEVICES", "GPU-a"));
    }

    @Test
    void aRefusalIsAnErrorWithItsSentenceAndAFailureOfOursNeverRejectsAPodThatOnlyWished() throws Exception {
        kubelet.start();
        connection.offer(TWO);
        awaitLists();

        assertThatThrownBy(() -> kubelet.calls(CARDS).allocate(allocate("GPU-a")))
                .isInstanceOf(StatusRuntimeException.class)
                .hasMessage("FAILED_PRECONDITION: the card is taken");
        var response = kubelet.calls(CARDS)
                .getPreferredAllocation(PreferredAllocationRequest.newBuilder()
                        .addContainerRequests(ContainerPreferredAllocationRequest.newBuilder())
                        .build());
        assertThat(response.getContainerResponses(0).getDeviceIDsList()).isEmpty();
    }

    @Test
    void aContainerStartsOnlyWhenTheHandlerLetsIt() throws Exception {
        kubelet.start();
        connection.offer(TWO);
        awaitLists();

        assertThat(kubelet.calls(MEMORY)
                        .getDevicePluginOptions(Empty.getDefaultInstance())
                        .getPreStartRequired())
                .isTrue();
        kubelet.calls(MEMORY).preStartContainer(preStart("GPU-a::0"));
        assertThatThrownBy(() -> kubelet.calls(CARDS).preStartContainer(preStart("GPU-a")))
                .hasMessage("FAILED_PRECONDITION: the card is not ready\\n[GPU-a]");
    }

    private static PreStartContainerRequest preStart(String id) {
        return PreStartContainerRequest.newBuilder().addDevicesIds(id).build();
    }

    @Test
    void atTheEndTheSocketsAreGone() throws Exception {
        kubelet.start();
        connection.offer(TWO);
        awaitLists();

        connection.close();

        assertThat(dir.resolve("device-plugins/gpushare-mem.sock")).doesNotExist();
        assertThat(dir.resolve("device-plugins/gpushare-card.sock")).doesNotExist();
    }

    @Test
    void aPathThatNoSocketCanHaveIsRefusedWithASentence() {
        Path deep = Path.of("/" + "d".repeat(100));

        assertThatThrownBy(() -> new KubeletConnection(
                        deep,
                        ResourceNames.DEFAULT,
                        new Script(),
                        new Silent(),
                        Map::of,
                        sockets,
                        InstantSource.system()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("the path of a Unix socket may have at most 107: choose a shorter --kubelet-dir");
    }

    private void awaitLists() {
        await().until(() ->
                kubelet.devices(MEMORY).isPresent() && kubelet.devices(CARDS).isPresent());
    }

    private static AllocateRequest allocate(String id) {
        return AllocateRequest.newBuilder()
                .addContainerRequests(ContainerAllocateRequest.newBuilder().addDevicesIds(id))
                .build();
    }

    /** Gives memory, refuses cards, and fails when asked which cards it prefers. */
    private static final class Script implements CallHandler {
        @Override
        public List<String> preferred(
                DeviceResource resource, List<String> available, List<String> mustInclude, int size) {
            if (resource.equals(DeviceResource.CARDS)) {
                throw new IllegalStateException("no preference");
            }
            assertThat(available).hasSize(2);
            assertThat(size).isEqualTo(1);
            return mustInclude;
        }

        @Override
        public boolean gatesStart() {
            return true;
        }

        @Override
        public Optional<String> start(DeviceResource resource, List<String> ids) {
            return resource.equals(DeviceResource.CARDS)
                    ? Optional.of("the card is not ready\n" + ids)
                    : Optional.empty();
        }

        @Override
        public Outcome<ContainerAllocateResponse> allocate(DeviceResource resource, List<String> ids) {
            return resource.equals(DeviceResource.CARDS)
                    ? new Outcome.Refused<>(RefusalKind.CARD_IN_USE, "the card is taken")
                    : new Outcome.Of<>(ContainerAllocateResponse.newBuilder()
                            .putEnvs("NVIDIA_VISIBLE_DEVICES", "GPU-a")
                            .build());
        }
    }
}
