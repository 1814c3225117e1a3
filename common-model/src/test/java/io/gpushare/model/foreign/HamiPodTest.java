package io.gpushare.model.foreign;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerDemand;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.Demand;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.Share;
import io.gpushare.model.codec.AllocationCodec;
import io.gpushare.model.codec.Decoded;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HamiPodTest {
    private static final CardId A = new CardId("GPU-a");
    private static final CardId B = new CardId("GPU-b");
    private static final Share WHOLE = Share.WHOLE_CARD.plus(Share.slots(1));
    private static final ContainerDemand MAIN =
            container("main", Share.memory(3).plus(Share.cores(30)).plus(Share.slots(1)));
    private static final Inventory NODE = new Inventory(
                    MemoryUnit.GIB,
                    null,
                    List.of(Card.of("GPU-a", 0, Memory.ofMib(15109)), Card.of("GPU-b", 1, Memory.ofMib(15109))))
            .withBeside(Share.cores(100).plus(Share.slots(10)));

    @Test
    void aPodHasWhatItsAnnotationSays() {
        ForeignPod pod = pod("GPU-b,NVIDIA,3000,30:;", MAIN);
        assertThat(pod.bound()).isTrue();
        assertThat(pod.assigned()).isTrue();
        ForeignHolding holding = pod.holding(NODE).orElseThrow();
        assertThat(holding.certain()).isTrue();
        assertThat(holding.allocation())
                .isEqualTo(allocation(has(
                        "main", Map.of(B, Share.memory(3).plus(Share.cores(30)).plus(Share.slots(1))))));
        assertThat(holding.allocation().gives(new Demand(List.of(MAIN)))).isTrue();
        assertThat(pod.chosen(NODE)).isEqualTo(new Decoded.Valid<>(holding.allocation()));
    }

    @ParameterizedTest
    @CsvSource({
        "3000,100,0,1",
        "15109,0,0,1",
        "40000,0,0,1",
        "15000,40,14,0",
        "3073,30,4,0",
        "3072,99,3,0",
    })
    void mibAreRoundedUpToUnitsAndAllOfACardIsTheWholeCard(int mib, int cores, int units, int whole) {
        Share share = Share.memory(units)
                .plus(Share.whole(whole))
                .plus(Share.cores(whole == 1 ? 0 : cores))
                .plus(Share.slots(1));
        assertThat(pod("GPU-a,NVIDIA," + mib + "," + cores + ":;", MAIN).holding(NODE))
                .contains(new ForeignHolding(allocation(has("main", Map.of(A, share))), true));
    }

    @Test
    void aPercentageIsAsManyMibAsHamiWrote() {
        ContainerDemand half = container("main", Share.slots(1).plus(Share.part(50)));
        Allocation allocation =
                pod("GPU-a,NVIDIA,7554,0:;", half).holding(NODE).orElseThrow().allocation();
        assertThat(allocation.shareOn(A)).isEqualTo(Share.memory(8).plus(Share.slots(1)));
        assertThat(allocation.gives(new Demand(List.of(half)))).isTrue();
    }

    @Test
    void containersWithoutCardsAreSkippedWhereverTheyAre() {
        ContainerDemand load =
                new ContainerDemand("load", ContainerRole.INIT, Share.memory(2).plus(Share.slots(1)));
        ContainerDemand two = container("two", Share.whole(2).plus(Share.slots(2)));
        for (String written : List.of(
                "GPU-a,NVIDIA,2048,0:;GPU-a,NVIDIA,15109,100:GPU-b,NVIDIA,15109,100:;",
                ";GPU-a,NVIDIA,2048,0:;;GPU-a,NVIDIA,15109,100:GPU-b,NVIDIA,15109,100:;")) {
            Allocation allocation =
                    pod(written, load, two).holding(NODE).orElseThrow().allocation();
            assertThat(allocation.container("load").orElseThrow().shares())
                    .isEqualTo(Map.of(A, Share.memory(2).plus(Share.slots(1))));
            assertThat(allocation.container("two").orElseThrow().shares()).isEqualTo(Map.of(A, WHOLE, B, WHOLE));
        }
    }

    @Test
    void anUnknownCardIsHeldAndNotChosen() {
        ForeignPod pod = pod("GPU-x,NVIDIA,3000,30:;", MAIN);
        assertThat(pod.holding(NODE).orElseThrow().allocation().cards()).containsExactly(new CardId("GPU-x"));
        assertThat(pod.chosen(NODE))
                .isInstanceOfSatisfying(
                        Decoded.Malformed.class,
                        malformed -> assertThat(malformed.reason()).contains("GPU-x, which this node does not have"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ";",
                "x",
                "GPU-a",
                "GPU-a,NVIDIA,0,30:;",
                "GPU-a,NVIDIA,3000,29:;",
                "GPU-a,NVIDIA,2000,30:;",
                "GPU-a[0-1],NVIDIA,3000,30:;",
                "GPU-a,NVIDIA,3000,30:GPU-b,NVIDIA,3000,30:;",
                "GPU-a,NVIDIA,3000,30:;GPU-b,NVIDIA,3000,30:;",
                "GPU-a,NVIDIA,99999999999999999999,30:;"
            })
    void aMalformedOrForgedAnnotationHoldsEveryCard(String written) {
        assertEveryCard(pod(written, MAIN));
        assertThat(pod(written, MAIN).bound()).isTrue();
        assertThat(pod(written, MAIN).chosen(NODE)).isInstanceOf(Decoded.Malformed.class);
    }

    @Test
    void anAnnotationThatIsTooLongHoldsEveryCard() {
        ForeignPod pod = pod("GPU-a,NVIDIA,3000,30:;" + ";".repeat(33_000), MAIN);
        assertEveryCard(pod);
        assertThat(pod.chosen(NODE))
                .isInstanceOfSatisfying(
                        Decoded.Malformed.class,
                        malformed -> assertThat(malformed.reason()).contains("32768 characters"));
    }

    @Test
    void theSameCardTwiceIsMalformed() {
        ContainerDemand two =
                container("main", Share.memory(6).plus(Share.cores(60)).plus(Share.slots(2)));
        assertEveryCard(pod("GPU-a,NVIDIA,3000,30:GPU-a,NVIDIA,3000,30:;", two));
    }

    @Test
    void anAnnotationOfAnotherNodeOrBesideOursIsNone() {
        String written = "GPU-a,NVIDIA,3000,30:;";
        for (ForeignPod pod : List.of(
                ForeignPod.of(Map.of("hami.io/vgpu-devices-allocated", written), "n1", List.of(), List.of(MAIN)),
                ForeignPod.of(annotations(written), "n2", List.of(), List.of(MAIN)),
                ForeignPod.of(
                        Map.of(
                                "hami.io/vgpu-devices-allocated",
                                written,
                                "hami.io/vgpu-node",
                                "n1",
                                "gpushare.io/allocation",
                                AllocationCodec.encode(allocation(has("main", Map.of(B, WHOLE))))),
                        "n1",
                        List.of(),
                        List.of(MAIN)))) {
            assertThat(pod.bound()).isFalse();
            assertThat(pod.chosen(NODE)).isInstanceOf(Decoded.Absent.class);
            // If the pod runs, it has some card.
            assertEveryCard(pod);
        }
    }

    @Test
    void onlyPodsThatRequestSlotsAreHamis() {
        ContainerDemand memory = container("main", Share.memory(3));
        ForeignPod pod = ForeignPod.of(annotations("GPU-a,NVIDIA,3000,30:;"), "n1", List.of(memory), List.of());
        assertThat(pod.bound()).isFalse();
        assertThat(pod("GPU-a,NVIDIA,3000,30:;", MAIN).holding(Inventory.empty(MemoryUnit.GIB)))
                .isEmpty();
    }

    private static void assertEveryCard(ForeignPod pod) {
        ForeignHolding holding = pod.holding(NODE).orElseThrow();
        assertThat(holding.certain()).isFalse();
        assertThat(holding.allocation().cards()).containsExactlyInAnyOrder(A, B);
        assertThat(holding.allocation().shareOn(A).units()).isEqualTo(3);
    }

    private static ForeignPod pod(String devices, ContainerDemand... containers) {
        return ForeignPod.of(annotations(devices), "n1", List.of(), List.of(containers));
    }

    private static Map<String, String> annotations(String devices) {
        return Map.of(
                "hami.io/vgpu-devices-allocated", devices, "hami.io/vgpu-node", "n1", "hami.io/bind-phase", "success");
    }

    private static ContainerDemand container(String name, Share request) {
        return new ContainerDemand(name, ContainerRole.APP, request);
    }

    private static ContainerAllocation has(String name, Map<CardId, Share> shares) {
        return new ContainerAllocation(name, ContainerRole.APP, shares);
    }

    private static Allocation allocation(ContainerAllocation container) {
        return new Allocation(MemoryUnit.GIB, List.of(container));
    }
}
