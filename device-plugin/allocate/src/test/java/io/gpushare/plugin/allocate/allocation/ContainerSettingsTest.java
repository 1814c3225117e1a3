package io.gpushare.plugin.allocate.allocation;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.api.deviceplugin.v1beta1.CDIDevice;
import io.gpushare.api.deviceplugin.v1beta1.ContainerAllocateResponse;
import io.gpushare.api.deviceplugin.v1beta1.DeviceSpec;
import io.gpushare.api.deviceplugin.v1beta1.Mount;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.plugin.node.container.ContainerEdits;
import io.gpushare.plugin.node.container.ContainerSettings;
import io.gpushare.plugin.node.container.DeviceListStrategy;
import io.gpushare.plugin.node.container.Outcome;
import io.gpushare.plugin.node.container.RefusalKind;
import io.gpushare.plugin.node.isolation.ContainerIsolation;
import io.gpushare.plugin.node.pod.NodePod;
import io.gpushare.plugin.node.pod.TestPods;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

class ContainerSettingsTest {
    private static final CardId A = new CardId("GPU-a");
    private static final CardId B = new CardId("GPU-b");
    private static final Inventory NODE = new Inventory(
            MemoryUnit.GIB,
            null,
            List.of(
                    Card.of("GPU-a", 0, Memory.ofGib(48)),
                    new Card(B, 1, 7, "T4", Memory.ofGib(15), Card.Details.UNKNOWN)));
    private static final NodePod POD =
            TestPods.unannotated("p", 0, TestPods.memory("main", 3), TestPods.memory("other", 4));
    private static final ContainerAllocation WHOLE =
            new ContainerAllocation("main", ContainerRole.APP, TestPods.wholeCards(B, A));

    @Test
    void aMemoryContainerSeesItsCardAndGpusharesVariables() {
        ContainerAllocateResponse given = given(Set.of(DeviceListStrategy.ENVVAR), TestPods.share("main", B, 3));

        assertThat(given.getEnvsMap())
                .containsAllEntriesOf(Map.of(
                        "NVIDIA_VISIBLE_DEVICES", "GPU-b",
                        "ALIYUN_COM_GPU_MEM_IDX", "1",
                        "ALIYUN_COM_GPU_MEM_POD", "7",
                        "ALIYUN_COM_GPU_MEM_CONTAINER", "3",
                        "ALIYUN_COM_GPU_MEM_DEV", "15"))
                .containsEntry("GPUSHARE_MEMORY_MIB", "3072");
        assertThat(given.getCdiDevicesList()).isEmpty();
        assertThat(given.getDevicesList()).isEmpty();
    }

    @Test
    void withoutTheVariablesOfFrameworksItGetsGpusharesOnly() {
        ContainerSettings settings = new ContainerSettings(Set.of(DeviceListStrategy.ENVVAR), false);
        Outcome<ContainerEdits> given =
                settings.of(POD, TestPods.share("main", B, 3), NODE, ContainerIsolation.Settings.NONE);
        assertThat(given instanceof Outcome.Of(var edits) ? edits.environment() : Map.of())
                .containsOnlyKeys(
                        "NVIDIA_VISIBLE_DEVICES",
                        "ALIYUN_COM_GPU_MEM_IDX",
                        "ALIYUN_COM_GPU_MEM_POD",
                        "ALIYUN_COM_GPU_MEM_CONTAINER",
                        "ALIYUN_COM_GPU_MEM_DEV");
    }

    @Test
    void aContainerGetsItsMigInstanceAndNothingElseOfTheCard() {
        Inventory node = new Inventory(
                MemoryUnit.GIB,
                null,
                List.of(TestPods.instance("MIG-1", 1, "1g.10gb", 9), TestPods.instance("MIG-2", 2, "3g.40gb", 39)));
        CardId instance = new CardId("MIG-2");
        ContainerAllocation whole =
                new ContainerAllocation("main", ContainerRole.APP, Map.of(instance, instance.whole()));
        for (ContainerAllocation allocation : List.of(whole, TestPods.share("main", instance, 3))) {
            ContainerAllocateResponse given = new ContainerSettings(Set.of(DeviceListStrategy.values()))
                                    .of(POD, allocation, node, ContainerIsolation.Settings.NONE)
                            instanceof Outcome.Of(var edits)
                    ? AllocateResponse.of(edits)
                    : Assertions.fail();
            assertThat(given.getEnvsMap()).containsEntry("NVIDIA_VISIBLE_DEVICES", "MIG-2");
            assertThat(given.getCdiDevicesList())
                    .extracting(CDIDevice::getName)
                    .containsExactly("nvidia.com/gpu=MIG-2");
            assertThat(given.getDevicesList())
                    .extracting(DeviceSpec::getHostPath)
                    .containsExactly(
                            "/dev/nvidia5",
                            "/dev/nvidia-caps/nvidia-cap2",
                            "/dev/nvidia-caps/nvidia-cap102",
                            "/dev/nvidiactl",
                            "/dev/nvidia-uvm",
                            "/dev/nvidia-uvm-tools");
        }
    }

    @Test
    void aWholeCardContainerSeesItsCardsOnly() {
        assertThat(given(Set.of(DeviceListStrategy.ENVVAR), WHOLE).getEnvsMap())
                .isEqualTo(Map.of("NVIDIA_VISIBLE_DEVICES", "GPU-b,GPU-a"));
    }

    @Test
    void strategiesCanBeCombined() {
        ContainerAllocateResponse given =
                given(Set.of(DeviceListStrategy.CDI_CRI, DeviceListStrategy.DEVICE_SPECS), WHOLE);

        assertThat(given.getEnvsMap()).isEqualTo(Map.of("NVIDIA_VISIBLE_DEVICES", "void"));
        assertThat(given.getCdiDevicesList())
                .extracting(CDIDevice::getName)
                .containsExactly("nvidia.com/gpu=GPU-b", "nvidia.com/gpu=GPU-a");
        assertThat(given.getDevicesList())
                .extracting(DeviceSpec::getHostPath)
                .containsExactly(
                        "/dev/nvidia7", "/dev/nvidia0", "/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools");
    }

    @Test
    void aCardWithoutADeviceFileIsRefusedOnlyWhereDeviceFilesAreListed() {
        Card unnumbered = new Card(B, 1, null, "T4", Memory.ofGib(15), Card.Details.UNKNOWN);
        Inventory node =
                new Inventory(MemoryUnit.GIB, null, List.of(Card.of("GPU-a", 0, Memory.ofGib(48)), unnumbered));

        assertThat(sees(Set.of(DeviceListStrategy.DEVICE_SPECS), WHOLE, node))
                .isEqualTo(new Outcome.Refused<>(
                        RefusalKind.NO_DEVICE_FILE,
                        "the driver does not report the device file of card GPU-b, which"
                                + " --device-list-strategy=device-specs needs: use envvar or cdi-cri",
                        Optional.of(POD.ref())));
        assertThat(sees(Set.of(DeviceListStrategy.DEVICE_SPECS), TestPods.share("main", A, 3), node))
                .isInstanceOf(Outcome.Of.class);
        assertThat(sees(Set.of(DeviceListStrategy.ENVVAR, DeviceListStrategy.CDI_CRI), WHOLE, node))
                .isInstanceOf(Outcome.Of.class);
    }

    @Test
    void theDirectoriesAndVariablesOfItsIsolationAreAddedAndDeviceFilesHaveTheirPathOnTheHost() {
        ContainerIsolation.Settings isolation = new ContainerIsolation.Settings(
                Map.of("CUDA_MPS_PIPE_DIRECTORY", "/tmp/nvidia-mps"),
                List.of(new ContainerIsolation.Mount("/run/mps/a", "/tmp/nvidia-mps", true)),
                Map.of());
        ContainerSettings settings = new ContainerSettings(Set.of(DeviceListStrategy.DEVICE_SPECS));

        assertThat(settings.of(POD, WHOLE, NODE, isolation).then(edits -> new Outcome.Of<>(AllocateResponse.of(edits))))
                .isInstanceOfSatisfying(
                        Outcome.Of.class,
                        response -> assertThat(response.value())
                                .isInstanceOfSatisfying(ContainerAllocateResponse.class, given -> {
                                    assertThat(given.getEnvsMap())
                                            .containsEntry("CUDA_MPS_PIPE_DIRECTORY", "/tmp/nvidia-mps");
                                    assertThat(given.getMountsList())
                                            .containsExactly(Mount.newBuilder()
                                                    .setHostPath("/run/mps/a")
                                                    .setContainerPath("/tmp/nvidia-mps")
                                                    .setReadOnly(true)
                                                    .build());
                                    assertThat(given.getDevices(0))
                                            .isEqualTo(DeviceSpec.newBuilder()
                                                    .setHostPath("/dev/nvidia7")
                                                    .setContainerPath("/dev/nvidia7")
                                                    .setPermissions("rw")
                                                    .build());
                                }));
    }

    private static ContainerAllocateResponse given(Set<DeviceListStrategy> strategies, ContainerAllocation allocation) {
        return sees(strategies, allocation, NODE) instanceof Outcome.Of<ContainerAllocateResponse>(var given)
                ? given
                : Assertions.fail("refused");
    }

    private static Outcome<ContainerAllocateResponse> sees(
            Set<DeviceListStrategy> strategies, ContainerAllocation allocation, Inventory node) {
        return new ContainerSettings(strategies)
                .of(POD, allocation, node, ContainerIsolation.Settings.NONE)
                .then(edits -> new Outcome.Of<>(AllocateResponse.of(edits)));
    }
}
