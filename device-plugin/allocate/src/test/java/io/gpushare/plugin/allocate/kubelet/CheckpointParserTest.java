package io.gpushare.plugin.allocate.kubelet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.gpushare.api.deviceplugin.v1beta1.CDIDevice;
import io.gpushare.api.deviceplugin.v1beta1.ContainerAllocateResponse;
import io.gpushare.api.deviceplugin.v1beta1.DeviceSpec;
import io.gpushare.model.card.CardId;
import io.gpushare.model.request.ResourceNames;
import io.gpushare.plugin.allocate.snapshot.KubeletCheckpoint;
import io.gpushare.plugin.allocate.snapshot.KubeletCheckpoint.NamedCard;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CheckpointParserTest {
    private static final String UUID = "GPU-60805828-8ab0-6124-67c4-9baff56d087b";

    @Test
    void anEntryHasTheDevicesOfAllNumaNodesAndTheCardsOfTheResponse() throws IOException {
        String entry = entry("{\"-1\":[\"" + UUID + "::0\"],\"1\":[\"" + UUID + "::1\"]}", visible(UUID));
        assertThat(parse(file(entry)).pods())
                .containsOnlyKeys("uid-1")
                .hasEntrySatisfying(
                        "uid-1",
                        entries -> assertThat(entries)
                                .containsExactly(new KubeletCheckpoint.Entry(
                                        "uid-1",
                                        "main",
                                        "aliyun.com/gpu-mem",
                                        Set.of(UUID + "::0", UUID + "::1"),
                                        List.of(new NamedCard.ByUuid(new CardId(UUID))))));
    }

    @Test
    void beforeKubernetes120TheDevicesAreAnArray() throws IOException {
        String devices = "[\"" + UUID + "-_-0\",\"" + UUID + "-_-1\"]";
        KubeletCheckpoint.Entry entry = only(entry(devices, visible("3")));
        assertThat(entry.ids()).containsExactlyInAnyOrder(UUID + "-_-0", UUID + "-_-1");
        assertThat(entry.cards()).containsExactly(new NamedCard.ByIndex(3));
    }

    @Test
    void cardsAreNamedByVariableCdiNameOrDeviceFile() throws IOException {
        assertThat(cards(visible(UUID + ",GPU-b")))
                .containsExactly(new NamedCard.ByUuid(new CardId(UUID)), new NamedCard.ByUuid(new CardId("GPU-b")));
        assertThat(cards(visible("void").toBuilder()
                        .addCdiDevices(CDIDevice.newBuilder().setName("nvidia.com/gpu=" + UUID))
                        .build()))
                .containsExactly(new NamedCard.ByUuid(new CardId(UUID)));
        assertThat(cards(visible("void").toBuilder()
                        .addDevices(DeviceSpec.newBuilder().setHostPath("/dev/nvidia4"))
                        .addDevices(DeviceSpec.newBuilder().setHostPath("/dev/nvidiactl"))
                        .build()))
                .containsExactly(new NamedCard.ByMinor(4));
    }

    @Test
    void memoryIdsUnderTheNameOfSlotsAreOfAnotherPlugin() throws IOException {
        String entry = entry("{\"-1\":[\"GPU-a::0\",\"GPU-a::s1\"]}", visible("GPU-a"));
        assertThat(only(entry.replace("aliyun.com/gpu-mem", "nvidia.com/gpu")).ids())
                .containsExactlyInAnyOrder("nvidia.com/gpu=GPU-a::0", "GPU-a::s1");
        assertThat(only(entry).ids()).containsExactlyInAnyOrder("GPU-a::0", "GPU-a::s1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "void", "all", "no-gpu-has-3GiB-to-run", "GPU-a,nonsense", "MIG-1"})
    void aResponseThatNamesNoCardIsSkipped(String visible) throws IOException {
        assertThat(parse(file(entry("{\"-1\":[\"x\"]}", visible(visible)))).pods())
                .isEmpty();
    }

    @Test
    void aPodWithDevicesOfWhichNoResponseNamesTheCardsIsKnown() throws IOException {
        String nameless = entry("{\"-1\":[\"x\"]}", visible("void"));
        assertThat(parse(file(nameless)).unnamed()).containsExactly("uid-1");
        assertThat(parse(file(nameless.replace("aliyun.com/gpu-mem", "nvidia.com/mig-1g.5gb")))
                        .unnamed())
                .containsExactly("uid-1");
        assertThat(parse(file(nameless + "," + entry("{\"-1\":[\"y\"]}", visible(UUID))))
                        .unnamed())
                .as("another call for the same container names them")
                .isEmpty();
        assertThat(parse(file(nameless.replace("aliyun.com/gpu-mem", "rdma/hca")))
                        .unnamed())
                .isEmpty();
        ContainerAllocateResponse refusal = visible("no-gpu-has-3GiB-to-run").toBuilder()
                .putEnvs("ALIYUN_COM_GPU_MEM_IDX", "-1")
                .build();
        assertThat(parse(file(entry("{\"-1\":[\"x\"]}", refusal))).unnamed()).isEmpty();
    }

    @Test
    void anotherPluginsResponseAndFieldsOfNewerKubeletsAreIgnored() throws IOException {
        String rdma = "{\"PodUID\":\"u\",\"ContainerName\":\"c\",\"ResourceName\":\"rdma/hca\",\"DeviceIDs\":null,"
                + "\"AllocResp\":null,\"New\":{\"deep\":[1,{}]}}";
        assertThat(parse(file(rdma + "," + entry("{}", visible(UUID)))).pods()).containsOnlyKeys("uid-1");
        assertThat(parse("{\"Data\":{\"PodDeviceEntries\":null,\"RegisteredDevices\":{}},\"Checksum\":7}")
                        .pods())
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "null",
                "[]",
                "{\"Data\":{\"PodDeviceEntries\":[",
                "{\"Data\":{\"PodDeviceEntries\":{}}}",
                "{\"Data\":{\"PodDeviceEntries\":[7]}}",
                "{\"Data\":{\"PodDeviceEntries\":[{\"PodUID\":{}}]}}",
                "{\"Data\":{\"PodDeviceEntries\":[{\"AllocResp\":\"%\"}]}}",
                "{\"Data\":{\"PodDeviceEntries\":[{\"AllocResp\":\"CgM=\"}]}}",
                "Data"
            })
    void aMalformedFileIsAnError(String text) {
        assertThatThrownBy(() -> parse(text)).isInstanceOf(IOException.class);
    }

    @Test
    void theNumberOfEntriesAndTheSizeAreBounded() {
        String entries = "{},".repeat(CheckpointParser.MOST_ENTRIES) + "{}";
        assertThatThrownBy(() -> parse(file(entries))).hasMessageContaining("10000 entries");
        String large = "{\"Data\":{\"RegisteredDevices\":{\"a\":["
                + "\"0123456789\",".repeat(CheckpointParser.LARGEST / 12) + "\"\"]}}}";
        assertThatThrownBy(() -> parse(large)).isInstanceOf(IOException.class);
    }

    private static List<NamedCard> cards(ContainerAllocateResponse response) throws IOException {
        return only(entry("{\"-1\":[\"x\"]}", response)).cards();
    }

    private static KubeletCheckpoint.Entry only(String entry) throws IOException {
        return Objects.requireNonNull(parse(file(entry)).pods().get("uid-1")).getFirst();
    }

    private static ContainerAllocateResponse visible(String cards) {
        return ContainerAllocateResponse.newBuilder()
                .putEnvs("NVIDIA_VISIBLE_DEVICES", cards)
                .build();
    }

    private static String entry(String devices, ContainerAllocateResponse response) {
        return "{\"PodUID\":\"uid-1\",\"ContainerName\":\"main\",\"ResourceName\":\"aliyun.com/gpu-mem\",\"DeviceIDs\":"
                + devices + ",\"AllocResp\":\"" + Base64.getEncoder().encodeToString(response.toByteArray()) + "\"}";
    }

    private static String file(String entries) {
        return "{\"Data\":{\"PodDeviceEntries\":[" + entries + "],\"RegisteredDevices\":{\"aliyun.com/gpu-mem\":[\""
                + UUID + "::0\"]}},\"Checksum\":2347102843}";
    }

    private static KubeletCheckpoint parse(String text) throws IOException {
        return CheckpointParser.parse(
                new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), ResourceNames.DEFAULT.withHami());
    }
}
