package io.gpushare.model.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.gpushare.model.ContainerRole;
import io.gpushare.model.Demand;
import io.gpushare.model.card.Share;
import io.gpushare.model.card.ShareKind;
import io.gpushare.model.codec.Decoded;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DemandCodecTest {
    private static final String MEMORY = ResourceNames.DEFAULT.memory();
    private static final String CARDS = ResourceNames.DEFAULT.cards();
    private static final String CORES = "aliyun.com/gpu-core.percentage";
    private final DemandCodec codec = new DemandCodec(ResourceNames.DEFAULT);
    private final DemandCodec withCores = new DemandCodec(ResourceNames.DEFAULT.with(ShareKind.CORES, CORES));

    @ParameterizedTest
    @CsvSource({"1,1", "1k,1000", "2e3,2000", "1Ki,1024", "3000m,3", "+4,4", "5.0,5"})
    void everyFormOfAWholeNumberIsDecoded(String written, int units) {
        Demand demand = decode(Map.of(MEMORY, written)).valid().orElseThrow();
        assertThat(demand.total().units()).isEqualTo(units);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "-1", "1.5", "1500m", "3000000000", "1Ei", "1e99", "1 ", "0x10", "１"})
    void anythingElseIsRejectedWithTheContainersName(String written) {
        assertThat(decode(Map.of(MEMORY, written)))
                .isInstanceOfSatisfying(
                        Decoded.Malformed.class,
                        malformed -> assertThat(malformed.reason())
                                .contains("'main'")
                                .contains(MEMORY));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "gpushare.io/sellect|a100|annotation 'gpushare.io/sellect' is unknown; did you mean"
                        + " gpushare.io/select?",
                "gpushare.io/memory-per-pod|1|annotation 'gpushare.io/memory-per-pod' is unknown: pods may have"
                        + " gpushare.io/cards, gpushare.io/policy, gpushare.io/select",
                "nvidia.com/use-gputypes|a100|annotation 'nvidia.com/use-gputypes' is unknown; did you mean"
                        + " nvidia.com/use-gputype?",
                "nvidia.com/use-gpumodel|a100|annotation 'nvidia.com/use-gpumodel' is unknown: of these keys there are"
                        + " nvidia.com/use-gputype, nvidia.com/nouse-gputype, nvidia.com/use-gpuuuid,"
                        + " nvidia.com/nouse-gpuuuid, nvidia.com/use-gpuindexes, nvidia.com/nouse-gpuindexes,"
                        + " hami.io/node-scheduler-policy, hami.io/gpu-scheduler-policy, nvidia.com/vgpu-mode",
                "hami.io/gpu-schedular-policy|mutex|annotation 'hami.io/gpu-schedular-policy' is unknown; did you mean"
                        + " hami.io/gpu-scheduler-policy?",
                "nvidia.com/nouse-gpuuid|GPU-1|annotation 'nvidia.com/nouse-gpuuid' is unknown; did you mean"
                        + " nvidia.com/nouse-gpuuuid?",
                "hami.io/node-schedular-policy|spread|annotation 'hami.io/node-schedular-policy' is unknown; did you"
                        + " mean hami.io/node-scheduler-policy?",
                "gpushare.io/select|' '|annotation gpushare.io/select is empty: write a value, or remove the"
                        + " annotation",
                "gpushare.io/cards|''|annotation gpushare.io/cards is empty: write a value, or remove the annotation",
                "gpushare.io/policy|''|annotation gpushare.io/policy is empty: write a value, or remove the annotation",
            })
    void anAnnotationWithoutEffectIsRejected(String key, String value, String reason) {
        assertThat(codec.decode(
                        List.of(new ContainerResources("main", ContainerRole.APP, Map.of(MEMORY, "1"))),
                        Map.of(key, value)))
                .isEqualTo(new Decoded.Malformed<>(reason));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "hami.io/vgpu-node",
                "hami.io/vgpu-time",
                "hami.io/bind-phase",
                "hami.io/bind-time",
                "hami.io/vgpu-devices-to-allocate",
                "nvidia.com/numa-bind",
                "nvidia.com/gpu.deploy.device-plugin"
            })
    void annotationsThatOthersWriteAreNoMistakes(String key) {
        assertThat(codec.decode(
                        List.of(new ContainerResources("main", ContainerRole.APP, Map.of(MEMORY, "1"))),
                        Map.of(key, "x")))
                .isInstanceOf(Decoded.Valid.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " , "})
    void anEmptyListOfHamiHasNoEffectAndIsNoted(String empty) {
        List<ContainerResources> pod = List.of(new ContainerResources("main", ContainerRole.APP, Map.of(MEMORY, "1")));
        Map<String, String> annotations = Map.of("nvidia.com/use-gputype", empty);
        Demand demand = codec.decode(pod, annotations).valid().orElseThrow();
        assertThat(codec.notes(demand, pod, annotations))
                .containsExactly("annotation nvidia.com/use-gputype is empty and has no effect");
    }

    @Test
    void coresThatAreNotOfferedAreNotedWithTheOption() {
        List<ContainerResources> pod = List.of(new ContainerResources(
                "main", ContainerRole.APP, Map.of(MEMORY, "1", "aliyun.com/gpu-core.percentage", "30")));
        assertThat(codec.notes(codec.decode(pod, Map.of()).valid().orElseThrow(), pod, Map.of()))
                .singleElement()
                .asString()
                .contains("which is not offered: set --core-resource=aliyun.com/gpu-core.percentage of both programs");
        assertThat(withCores.notes(withCores.decode(pod, Map.of()).valid().orElseThrow(), pod, Map.of()))
                .isEmpty();
    }

    @Test
    void aContainerThatRequestsBothIsRejected() {
        assertThat(decode(Map.of(MEMORY, "1", CARDS, "1")))
                .isInstanceOfSatisfying(
                        Decoded.Malformed.class,
                        malformed -> assertThat(malformed.reason()).contains("request only one of them"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"nvidia.com/gpumem", "nvidia.com/gpumem-percentage", "nvidia.com/gpucores"})
    void resourcesOfHamiAreNotIgnoredSilently(String hami) {
        DemandCodec mapped = new DemandCodec(new ResourceNames(MEMORY, "nvidia.com/gpu"));
        List<ContainerResources> pod =
                List.of(new ContainerResources("main", ContainerRole.APP, Map.of("nvidia.com/gpu", "1", hami, "50")));
        assertThat(mapped.decode(pod, Map.of()))
                .isEqualTo(new Decoded.Malformed<>("container 'main' requests " + hami
                        + ", which GPU Share does not support: remove it, and request a part of a card in " + MEMORY
                        + " or whole cards in nvidia.com/gpu"));
        assertThat(mapped.decodeBound(pod, Map.of()))
                .as("a bound pod keeps its card")
                .isInstanceOf(Decoded.Valid.class);
        assertThat(codec.decode(pod, Map.of())).as("a pod of HAMi").isInstanceOf(Decoded.Absent.class);
    }

    @Test
    void aResourceOfHamiMayBeTheMemoryResource() {
        DemandCodec mapped = new DemandCodec(new ResourceNames("nvidia.com/gpumem", "nvidia.com/gpu"));
        assertThat(mapped.decode(
                        List.of(new ContainerResources(
                                "main",
                                ContainerRole.APP,
                                Map.of("nvidia.com/gpumem", "3", "nvidia.com/gpucores", "0"))),
                        Map.of()))
                .isInstanceOf(Decoded.Valid.class);
    }

    @Test
    void coresAreCountedWhereTheyAreAResource() {
        List<ContainerResources> pod =
                List.of(new ContainerResources("main", ContainerRole.APP, Map.of(MEMORY, "3", CORES, "30")));
        assertThat(withCores.decode(pod, Map.of()).valid().orElseThrow().total())
                .isEqualTo(Share.memory(3).plus(Share.cores(30)));
        assertThat(codec.decode(pod, Map.of()).valid().orElseThrow().total()).isEqualTo(Share.memory(3));
        assertThat(withCores.allocatable(Map.of(MEMORY, "15", CARDS, "1", CORES, "100")))
                .isEqualTo(Share.memory(15).plus(Share.WHOLE_CARD).plus(Share.cores(100)));
        assertThat(withCores.named(List.of(new ContainerResources("main", ContainerRole.APP, Map.of(CORES, "0")))))
                .isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0|0|30|1|container 'main' requests aliyun.com/gpu-core.percentage without aliyun.com/gpu-mem: it is a"
                        + " part of the card of which the container has memory, request both",
                "0|1|30|1|container 'main' requests aliyun.com/gpu-core.percentage and aliyun.com/gpu-count: a whole"
                        + " card has all its cores, request only one of them",
                "3|0|101|1|the pod requests 101 percent in aliyun.com/gpu-core.percentage: its containers share one"
                        + " card, which has 100",
                "4|0|30|2|annotation gpushare.io/cards: container 'main' requests 30 percent of the cores, which is"
                        + " possible on one card only",
                "3|0|1.5|1|container 'main' requests aliyun.com/gpu-core.percentage: 1.5 is not a whole number",
            })
    void coresThatNoCardCanGiveAreRejected(String memory, String cards, String cores, String split, String reason) {
        assertThat(withCores.decode(
                        List.of(new ContainerResources(
                                "main", ContainerRole.APP, Map.of(MEMORY, memory, CARDS, cards, CORES, cores))),
                        split.equals("1") ? Map.of() : Map.of("gpushare.io/cards", split)))
                .isEqualTo(new Decoded.Malformed<>(reason));
    }

    @Test
    void theCoresOfContainersThatRunTogetherAreAddedUp() {
        ContainerResources one = new ContainerResources("a", ContainerRole.APP, Map.of(MEMORY, "1", CORES, "60"));
        ContainerResources other = new ContainerResources("b", ContainerRole.APP, one.quantities());
        assertThat(withCores.decode(List.of(one, other), Map.of()))
                .isInstanceOfSatisfying(
                        Decoded.Malformed.class,
                        malformed -> assertThat(malformed.reason()).contains("120 percent"));
        ContainerResources init = new ContainerResources("i", ContainerRole.INIT, one.quantities());
        assertThat(withCores
                        .decode(List.of(init, other), Map.of())
                        .valid()
                        .orElseThrow()
                        .total())
                .isEqualTo(Share.memory(1).plus(Share.cores(60)));
    }

    @Test
    void formerNamesCountForBoundPodsOnly() {
        DemandCodec renamed = new DemandCodec(new ResourceNames(MEMORY, "nvidia.com/gpu"));
        List<ContainerResources> former =
                List.of(new ContainerResources("main", ContainerRole.APP, Map.of(CARDS, "2")));
        assertThat(renamed.decode(former, Map.of())).isInstanceOf(Decoded.Absent.class);
        assertThat(renamed.decode(former, Map.of())).isInstanceOf(Decoded.Absent.class);
        assertThat(renamed.decodeBound(former, Map.of())
                        .valid()
                        .orElseThrow()
                        .total()
                        .wholeCards())
                .isEqualTo(2);
        assertThat(renamed.former(former)).containsExactly("main");
        List<ContainerResources> present =
                List.of(new ContainerResources("main", ContainerRole.APP, Map.of("nvidia.com/gpu", "1", "cpu", "1")));
        assertThat(renamed.decodeBound(present, Map.of())).isEqualTo(renamed.decode(present, Map.of()));
        assertThat(renamed.former(present)).isEmpty();
        assertThat(codec.former(former)).isEmpty();
    }

    /** It was found when such a pod closed its node: it held every card, because the kubelet has no record of it. */
    @Test
    void zeroOfAResourceIsNoFormerRequest() {
        DemandCodec withCores =
                new DemandCodec(new ResourceNames(MEMORY, "nvidia.com/gpu").with(ShareKind.CORES, CORES));
        for (String name : List.of(CORES, CARDS)) {
            List<ContainerResources> zero =
                    List.of(new ContainerResources("main", ContainerRole.APP, Map.of(name, "0")));
            assertThat(withCores.former(zero)).as(name).isEmpty();
            assertThat(withCores.decodeBound(zero, Map.of())).isInstanceOf(Decoded.Absent.class);
        }
    }

    @Test
    void zeroIsNotADemand() {
        assertThat(decode(Map.of(MEMORY, "0", CARDS, "0"))).isInstanceOf(Decoded.Absent.class);
        assertThat(decode(Map.of("cpu", "2"))).isInstanceOf(Decoded.Absent.class);
    }

    @ParameterizedTest
    @CsvSource({
        "3221225472, 3Gi, 3", // as the API server stores 3Gi
        "3Gi, 3Gi, 3",
        "1073741824, 1Gi, 1",
        "536870912, 512Mi, 512",
        "4000000000, 4G, 4",
    })
    void anAmountInBytesIsAnsweredByTheNumberToWrite(String written, String meant, String number) {
        for (String resource : new String[] {MEMORY, CARDS}) {
            assertThat(decode(Map.of(resource, written)))
                    .isInstanceOfSatisfying(
                            Decoded.Malformed.class,
                            malformed -> assertThat(malformed.reason())
                                    .startsWith("container 'main' requests " + resource + ": ")
                                    .endsWith(" is " + meant + ", and the amount is a number without a suffix: write "
                                            + number));
        }
    }

    @Test
    void aPodWithoutADemandHearsWhatItMayHaveMeant() {
        assertThat(nearly("aliyun.com/gpu-memory", "3"))
                .isEqualTo(
                        "container 'main' requests aliyun.com/gpu-memory, which GPU Share does not have; did you mean"
                                + " aliyun.com/gpu-mem?");
        assertThat(nearly(CARDS, "0"))
                .isEqualTo("container 'main' requests aliyun.com/gpu-count: 0, which is nothing:"
                        + " write a number from 1 up");
        assertThat(nearly("nvidia.com/gpu", "1")).isEmpty();
        assertThat(nearly("memory", "1Gi")).isEmpty();
    }

    private String nearly(String resource, String amount) {
        return codec.nearly(List.of(new ContainerResources("main", ContainerRole.APP, Map.of(resource, amount))))
                .orElse("");
    }

    @Test
    void aSumBeyondAnyNodeIsRejectedAndDoesNotOverflow() {
        ContainerResources huge =
                new ContainerResources("a", ContainerRole.APP, Map.of(MEMORY, String.valueOf(Integer.MAX_VALUE)));
        ContainerResources more = new ContainerResources("b", ContainerRole.APP, huge.quantities());
        assertThat(codec.decode(List.of(huge, more), Map.of())).isInstanceOf(Decoded.Malformed.class);
    }

    @Test
    void initContainersCountByTheirPeak() {
        Demand demand = codec.decode(
                        List.of(
                                new ContainerResources("init", ContainerRole.INIT, Map.of(MEMORY, "9")),
                                new ContainerResources("proxy", ContainerRole.SIDECAR, Map.of(MEMORY, "1")),
                                new ContainerResources("main", ContainerRole.APP, Map.of(MEMORY, "3"))),
                        Map.of())
                .valid()
                .orElseThrow();
        assertThat(demand.total().units()).isEqualTo(9);
        assertThat(demand.containers()).hasSize(3);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"gpu", "kubernetes.io/gpu", "requests.x.com/gpu", "A.com/gpu", "a.com/", "a.com/g p", "a/b/c"})
    void aNameThatTheKubeletRejectsIsRejected(String name) {
        assertThatThrownBy(() -> new ResourceNames(name, CARDS)).hasMessageContaining("extended resource");
    }

    @Test
    void theTwoResourcesHaveTwoNames() {
        assertThatThrownBy(() -> new ResourceNames(CARDS, CARDS)).hasMessageContaining("different names");
        assertThatThrownBy(() -> ResourceNames.DEFAULT.with(ShareKind.CORES, CARDS))
                .hasMessageContaining("another name");
        assertThatThrownBy(() -> ResourceNames.DEFAULT.with(ShareKind.CORES, "cores"))
                .hasMessageContaining("extended resource");
    }

    @Test
    void annotationsHoldTheCardRequirements() {
        Demand demand = decoded("4", Map.of("gpushare.io/cards", "2", "gpushare.io/select", "memory >= 24Gi"))
                .valid()
                .orElseThrow();
        assertThat(demand.split()).isEqualTo(2);
        assertThat(demand.share().units()).isEqualTo(2);
        assertThat(demand.selector()).hasToString("memory >= 24Gi");
        assertThat(decoded("4", Map.of()).valid().orElseThrow().split()).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "gpushare.io/cards  | 3        | annotation gpushare.io/cards: container 'main' requests 4 units of"
                        + " memory on 3 cards: request a multiple of 3, so that each card gives the same",
                "gpushare.io/cards  | 0        | annotation gpushare.io/cards: write over how many cards the memory is"
                        + " split, from 1 to 64",
                "gpushare.io/cards  | two      | annotation gpushare.io/cards: write over how many cards the memory is"
                        + " split, from 1 to 64",
                "gpushare.io/select | memory=4 | annotation gpushare.io/select: at character 8 ('4'): write an amount"
                        + " of memory: a whole number and Mi, Gi or Ti (of 1024), or M, G or T (of 1000), such as 24Gi",
            })
    void anInvalidRequirementIsMalformedWithItsPosition(String key, String value, String reason) {
        assertThat(decoded("4", Map.of(key, value))).isEqualTo(new Decoded.Malformed<>(reason));
    }

    @Test
    void onlyMemoryIsSplit() {
        assertThat(codec.decode(
                        List.of(new ContainerResources("main", ContainerRole.APP, Map.of(CARDS, "2"))),
                        Map.of("gpushare.io/cards", "2")))
                .isInstanceOfSatisfying(
                        Decoded.Malformed.class,
                        malformed -> assertThat(malformed.reason()).contains("for whole cards write their number in"));
    }

    @Test
    void requirementsOfAPodWithoutADemandAreIgnored() {
        assertThat(decoded("0", Map.of("gpushare.io/cards", "x"))).isInstanceOf(Decoded.Absent.class);
    }

    private Decoded<Demand> decoded(String units, Map<String, String> annotations) {
        return codec.decode(
                List.of(new ContainerResources("main", ContainerRole.APP, Map.of(MEMORY, units))), annotations);
    }

    private Decoded<Demand> decode(Map<String, String> quantities) {
        return codec.decode(List.of(new ContainerResources("main", ContainerRole.APP, quantities)), Map.of());
    }
}
