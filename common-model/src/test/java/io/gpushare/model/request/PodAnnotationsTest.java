package io.gpushare.model.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.Share;
import io.gpushare.model.codec.AllocationCodec;
import io.gpushare.model.codec.Decoded;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PodAnnotationsTest {
    private static final String LONG = "x".repeat(250_000);
    private static final Map<String, String> ONE_UNIT = Map.of("aliyun.com/gpu-mem", "1");
    private final DemandCodec demands = new DemandCodec(ResourceNames.DEFAULT);

    @Test
    void onlyTheExactKeysAreRead() {
        assertThat(List.of(
                        "gpushare.io/allocation",
                        "gpushare.io/cards",
                        "nvidia.com/use-gpuuuid",
                        "hami.io/vgpu-devices-allocated"))
                .allMatch(PodAnnotations::reads);
        assertThat(List.of("gpushare.io/x", "gpushare.io/selector", "gpushare.io/room-seen", "other"))
                .noneMatch(PodAnnotations::reads);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "gpushare.io/select",
                "gpushare.io/cards",
                "nvidia.com/use-gputype",
                "nvidia.com/nouse-gputype",
                "nvidia.com/use-gpuuuid",
                "nvidia.com/nouse-gpuuuid"
            })
    void aRequirementThatIsTooLongIsCutAndRejectedByItsName(String key) {
        String cut = PodAnnotations.cut(key, LONG);
        assertThat(cut.length()).isLessThan(5_000);
        assertThat(reason(demands.decode(containers(1, ONE_UNIT), Map.of(key, cut))))
                .contains("annotation " + key);
    }

    @Test
    void theSentenceSaysHowLongAnAnnotationMayBe() {
        assertThat(reason(demands.decode(
                        containers(1, ONE_UNIT),
                        Map.of("gpushare.io/select", PodAnnotations.cut("gpushare.io/select", LONG)))))
                .isEqualTo("annotation gpushare.io/select has more than 4096 characters, the most that are allowed");
        assertThat(reason(AllocationCodec.decode(
                        Map.of("gpushare.io/allocation", PodAnnotations.cut("gpushare.io/allocation", LONG)))))
                .isEqualTo(
                        "annotation gpushare.io/allocation has more than 32768 characters, the most that are allowed");
    }

    @Test
    void theLargestAllocationFits() {
        Map<CardId, Share> shares = IntStream.range(0, 4)
                .boxed()
                .collect(Collectors.toMap(
                        i -> new CardId("GPU-" + "f".repeat(75) + i), _ -> Share.memory(Integer.MAX_VALUE)));
        List<ContainerAllocation> containers = IntStream.range(0, 64)
                .mapToObj(i -> new ContainerAllocation("%063d".formatted(i), ContainerRole.SIDECAR, shares))
                .toList();
        String written = AllocationCodec.encode(new Allocation(MemoryUnit.GIB, containers));
        assertThat(PodAnnotations.cut("gpushare.io/allocation", written)).isEqualTo(written);
    }

    @Test
    void aDemandWithALargerAllocationIsRejectedBeforeItIsBound() {
        Map<String, String> split = Map.of("gpushare.io/cards", "4");
        Map<String, String> fourUnits = Map.of("aliyun.com/gpu-mem", "4");
        assertThat(demands.decode(containers(64, fourUnits), split)).isInstanceOf(Decoded.Valid.class);
        assertThat(reason(demands.decode(containers(65, fourUnits), split))).contains("260", "65", "at most 256 in 64");
        assertThat(reason(demands.decode(containers(4, Map.of("aliyun.com/gpu-count", "65")), Map.of())))
                .contains("260");
        assertThat(demands.decodeBound(containers(65, ONE_UNIT), Map.of()))
                .as("a bound pod has its cards")
                .isInstanceOf(Decoded.Valid.class);
    }

    @Test
    void theValuesOfAllSelectorsAreCountedTogether() {
        Map<String, String> annotations = new HashMap<>();
        for (String key : List.of("use-gputype", "nouse-gputype")) {
            annotations.put("nvidia.com/" + key, "a,".repeat(128));
        }
        assertThat(SelectorCodec.decode(annotations)).isInstanceOf(Decoded.Valid.class);
        annotations.put("nvidia.com/use-gpuuuid", "GPU-1");
        assertThat(reason(SelectorCodec.decode(annotations))).contains("at most 256 values", "257");
    }

    private static List<ContainerResources> containers(int count, Map<String, String> quantities) {
        return IntStream.range(0, count)
                .mapToObj(i -> new ContainerResources("c" + i, ContainerRole.APP, quantities))
                .toList();
    }

    private static String reason(Decoded<?> decoded) {
        return decoded instanceof Decoded.Malformed<?>(String reason) ? reason : "not malformed";
    }
}
