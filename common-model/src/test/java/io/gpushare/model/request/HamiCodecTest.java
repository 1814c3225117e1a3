package io.gpushare.model.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.Demand;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.NoCards;
import io.gpushare.model.card.Share;
import io.gpushare.model.codec.AllocationCodec;
import io.gpushare.model.codec.AnnotationKeys;
import io.gpushare.model.codec.Decoded;
import io.gpushare.model.selector.CardSelector;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HamiCodecTest {
    private static final ResourceNames NAMES = ResourceNames.DEFAULT.withHami();
    private final DemandCodec codec = new DemandCodec(NAMES, MemoryUnit.ofMib(256));

    /** Requests as {@code gpu 2, gpumem 3000}, and over all cards: units, whole cards, cores, slots, percentage. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "gpu 1                                      | 0  | 1 | 0   | 1 | 0",
                "gpu 2                                      | 0  | 2 | 0   | 2 | 0",
                "gpu 1, gpumem 3000                         | 12 | 0 | 0   | 1 | 0",
                "gpu 1, gpumem 3073                         | 13 | 0 | 0   | 1 | 0",
                "gpu 1, gpumem 3k                           | 12 | 0 | 0   | 1 | 0",
                "gpu 2, gpumem 3000                         | 24 | 0 | 0   | 2 | 0",
                "gpu 2, gpumem 1024, gpucores 30            | 8  | 0 | 60  | 2 | 0",
                "gpu 1, gpumem-percentage 50                | 0  | 0 | 0   | 1 | 50",
                "gpu 3, gpumem-percentage 50, gpucores 20   | 0  | 0 | 60  | 3 | 150",
                "gpu 1, gpumem 1024, gpumem-percentage 50   | 4  | 0 | 0   | 1 | 0",
                "gpu 1, gpumem 0, gpumem-percentage 50      | 0  | 0 | 0   | 1 | 50",
                "gpu 1, gpumem-percentage 0                 | 0  | 1 | 0   | 1 | 0",
                "gpu 1, gpumem-percentage 100               | 0  | 1 | 0   | 1 | 0",
                "gpu 1, gpumem-percentage 100, gpucores 50  | 0  | 1 | 0   | 1 | 0",
                "gpu 1, gpucores 50                         | 0  | 1 | 0   | 1 | 0",
                "gpu 1, gpumem 1024, gpucores 100           | 0  | 1 | 0   | 1 | 0",
                "gpu 1, gpumem 1024, gpucores 170           | 0  | 1 | 0   | 1 | 0",
                "gpu 17                                     | 0  | 17 | 0  | 17 | 0",
            })
    void requestsAreDecodedWithHamisDefaults(String request, int units, int whole, int cores, int slots, int part) {
        assertThat(decode(codec, request).valid().orElseThrow().total())
                .isEqualTo(Share.memory(units)
                        .plus(Share.whole(whole))
                        .plus(Share.cores(cores))
                        .plus(Share.slots(slots))
                        .plus(Share.part(part)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "gpumem 3000 | requests nvidia.com/gpumem and no nvidia.com/gpu: add nvidia.com/gpu: 1",
                "gpu 0, gpucores 10 | requests nvidia.com/gpucores and no nvidia.com/gpu",
                "gpu 1, gpumem-percentage 101 | requests 101 in nvidia.com/gpumem-percentage: write 1 to 100",
                "gpu 1, gpumem-percentage 50% | is not a quantity",
                "gpu 1, gpumem-percentage -1 | is not a quantity",
                "gpu 1.5 | is not a whole number",
                "gpu 3Gi | write 3",
                "gpu 2000000000, gpumem 100000 | requests more than any node could have",
                "gpu 257 | at most 256",
            })
    void invalidRequestsAreRejectedWithASentence(String request, String sentence) {
        assertThat(decode(codec, request))
                .isInstanceOfSatisfying(
                        Decoded.Malformed.class,
                        malformed -> assertThat(malformed.reason()).contains(sentence));
    }

    @Test
    void bothVocabulariesInOnePodAreRejected() {
        assertThat(codec.decode(containers("gpu 1", "mem 2"), Map.of()))
                .isEqualTo(new Decoded.Malformed<>("the pod requests nvidia.com/gpu in one container and"
                        + " aliyun.com/gpu-mem or aliyun.com/gpu-count in another: request all its cards in"
                        + " nvidia.com/gpu, or none"));
        assertThat(codec.decode(containers("gpu 1, mem 2"), Map.of()))
                .isEqualTo(new Decoded.Malformed<>("container 'c0' requests nvidia.com/gpu and aliyun.com/gpu-mem:"
                        + " request its cards in only one of them"));
        assertThat(codec.decode(containers("gpu 1, gpumem 10"), Map.of("gpushare.io/cards", "2")))
                .isInstanceOfSatisfying(
                        Decoded.Malformed.class,
                        malformed -> assertThat(malformed.reason()).contains("remove the annotation"));
    }

    @Test
    void containersHaveCardsOfTheirOwn() {
        Demand demand = codec.decode(containers("gpu 2, gpumem 1024", "gpu 1, gpumem-percentage 60"), Map.of())
                .valid()
                .orElseThrow();
        assertThat(demand.parts()).extracting(Demand::split).containsExactly(2, 1);
        assertThat(demand.share())
                .isEqualTo(Share.memory(4).plus(Share.slots(1)).plus(Share.part(60)));
        assertThat(demand.cards()).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"gpu 0", "cpu 3", "gpu 0, gpumem 0"})
    void noCardsAreNoDemand(String request) {
        assertThat(decode(codec, request)).isEqualTo(new Decoded.Absent<>());
    }

    @Test
    void withoutTheOptionAPodKeepsTheSlotsThatItHas() {
        DemandCodec without = new DemandCodec(ResourceNames.DEFAULT, MemoryUnit.ofMib(256));
        List<ContainerResources> pod = containers("gpu 1, gpumem 1024");
        Allocation allocation = new Allocation(
                MemoryUnit.ofMib(256),
                List.of(new ContainerAllocation(
                        "c0",
                        ContainerRole.APP,
                        Map.of(new CardId("GPU-a"), Share.memory(4).plus(Share.slots(1))))));
        Map<String, String> annotations = Map.of(AnnotationKeys.ALLOCATION, AllocationCodec.encode(allocation));
        assertThat(AllocationCodec.decode(annotations)).isEqualTo(new Decoded.Valid<>(allocation));
        assertThat(without.decodeBound(pod, annotations)).isEqualTo(codec.decodeBound(pod, annotations));
        assertThat(without.decodeBound(pod, Map.of())).isEqualTo(new Decoded.Absent<>());
    }

    @Test
    void whatHasAnotherEffectIsTold() {
        List<ContainerResources> pod = containers("gpu 1, gpumem 100, priority 1", "gpu 1, gpumem 5000, gpucores 120");
        assertThat(codec.notes(
                        codec.decode(pod, Map.of()).valid().orElseThrow(),
                        pod,
                        Map.of("hami.io/vulkan", "true", "hami.io/node-scheduler-policy", "spread")))
                .containsExactly(
                        "container 'c0' gets 256 MiB for the 100 of nvidia.com/gpumem: the cluster counts memory in"
                                + " units of 256MiB",
                        "container 'c0' requests nvidia.com/priority, which has no effect here: it orders programs in"
                                + " HAMi's preload library",
                        "container 'c1' requests all cores of its cards, and gets their memory too: nobody else can"
                                + " use it",
                        "container 'c1' requests 120 in nvidia.com/gpucores, and gets 100: a card has no more",
                        "annotation hami.io/vulkan has no effect here");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "binpack               |        | binpack |",
                "spread, topology-aware|        | spread  |",
                "topology-aware        |        |         |",
                "spread                | spread | spread  |",
                "binpack               | spread | spread  | 'binpack' has no effect here, policy 'spread' chooses",
                "numa                  |        |         | 'numa' has no effect here",
                "mutex,spread          |        | spread  | mutex gives the pod its cards alone, until it ends",
            })
    void aPolicyForCardsIsFollowedOrTold(String cards, String nodes, String policy, String told) {
        Map<String, String> annotations = new HashMap<>(Map.of("hami.io/gpu-scheduler-policy", cards));
        if (nodes != null) {
            annotations.put("hami.io/node-scheduler-policy", nodes);
        }
        assertThat(codec.policy(codec.decode(containers("gpu 1, gpumem 1024"), annotations), annotations)
                        .map(NamedPolicy::name))
                .isEqualTo(Optional.ofNullable(policy));
        assertThat(String.join(". ", notes("gpu 1, gpumem 1024", annotations))).satisfies(notes -> {
            if (told == null) {
                assertThat(notes).isEmpty();
            } else {
                assertThat(notes)
                        .startsWith("annotation hami.io/gpu-scheduler-policy: ")
                        .contains(told);
            }
        });
    }

    private List<String> notes(String request, Map<String, String> annotations) {
        List<ContainerResources> pod = containers(request);
        return codec.notes(codec.decode(pod, Map.of()).valid().orElseThrow(), pod, annotations);
    }

    @Test
    void mutexIsACardAlone() {
        Map<String, String> mutex = Map.of("hami.io/gpu-scheduler-policy", "spread,mutex");
        List<ContainerResources> pod = containers("gpu 2, gpumem 1024, gpucores 30", "cpu 1");
        assertThat(codec.decode(pod, mutex).valid().orElseThrow().total())
                .isEqualTo(Share.whole(2).plus(Share.slots(2)));
        assertThat(codec.decodeBound(pod, mutex).valid().orElseThrow().total())
                .isEqualTo(Share.whole(2).plus(Share.slots(2)));
        assertThat(codec.decode(containers("mem 2"), mutex)
                        .valid()
                        .orElseThrow()
                        .total())
                .isEqualTo(Share.memory(2));
    }

    @Test
    void aNodeThatCountsInAnotherWayIsTold() {
        Inventory without = Inventory.empty(MemoryUnit.ofMib(256));
        Inventory slots = without.withBeside(Share.slots(10));
        assertThat(codec.difference(slots)).isEmpty();
        assertThat(codec.difference(without).orElseThrow())
                .contains("its device plugin lacks --hami, and the extender has it");
        assertThat(codec.difference(without.withNoCards(new NoCards(NoCards.Cause.SERVES_CLAIMS))))
                .as("a node that serves claims")
                .isEmpty();
        assertThat(codec.difference(Inventory.empty(MemoryUnit.GIB).withBeside(Share.slots(10)))
                        .orElseThrow())
                .contains("set the same --memory-unit for both");
        DemandCodec other = new DemandCodec(ResourceNames.DEFAULT);
        assertThat(other.difference(slots).orElseThrow())
                .contains("its device plugin has --hami, and the extender lacks it");
        assertThat(other.difference(without)).isEmpty();
    }

    @Test
    void theModeMigSelectsInstancesForMemoryAndRefusesWholeCardsWithASentence() {
        Map<String, String> mig = Map.of("nvidia.com/vgpu-mode", "mig");
        List<ContainerResources> memory = containers("gpu 1, gpumem 100");
        Demand demand = codec.decode(memory, mig).valid().orElseThrow();
        assertThat(demand.selector()).isEqualTo(SelectorCodec.parse("mig = on"));
        assertThat(codec.notes(demand, memory, mig)).anyMatch(note -> note.contains("other pods may share them"));
        assertThat(codec.decode(
                                memory,
                                Map.of("nvidia.com/vgpu-mode", "mig", "gpushare.io/select", "profile = 3g.40gb"))
                        .valid()
                        .map(Demand::selector))
                .hasValue(SelectorCodec.parse("profile = 3g.40gb, mig = on"));
        assertThat(codec.decode(containers("gpu 1"), mig))
                .isInstanceOfSatisfying(
                        Decoded.Malformed.class,
                        malformed -> assertThat(malformed.reason()).contains("request nvidia.com/gpumem, or"));
        assertThat(codec.decode(containers("gpu 2, gpumem 100"), mig))
                .isInstanceOfSatisfying(
                        Decoded.Malformed.class,
                        malformed -> assertThat(malformed.reason()).contains("a program sees only one"));
        assertThat(codec.decode(memory, Map.of("nvidia.com/vgpu-mode", "mps"))
                        .valid()
                        .map(Demand::selector))
                .hasValue(CardSelector.ANY);
    }

    @Test
    void theNameOfItsCardsIsTaken() {
        ResourceNames mapped = new ResourceNames("aliyun.com/gpu-mem", "nvidia.com/gpu");
        assertThatThrownBy(mapped::withHami).hasMessageContaining("--hami needs nvidia.com/gpu");
    }

    private static Decoded<Demand> decode(DemandCodec codec, String request) {
        return codec.decode(containers(request), Map.of());
    }

    private static List<ContainerResources> containers(String... requests) {
        List<ContainerResources> containers = new java.util.ArrayList<>();
        for (String request : requests) {
            Map<String, String> quantities = new HashMap<>();
            Arrays.stream(request.split(", "))
                    .map(each -> each.strip().split(" "))
                    .forEach(each -> {
                        String name = switch (each[0]) {
                            case "mem" -> NAMES.memory();
                            case "cpu" -> "cpu";
                            default -> "nvidia.com/" + each[0];
                        };
                        quantities.put(name, each[1]);
                    });
            containers.add(new ContainerResources("c" + containers.size(), ContainerRole.APP, quantities));
        }
        return containers;
    }
}
