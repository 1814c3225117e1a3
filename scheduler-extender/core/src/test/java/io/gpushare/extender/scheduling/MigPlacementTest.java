package io.gpushare.extender.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.placement.PlacementOutcomes;
import io.gpushare.extender.placement.Placer;
import io.gpushare.extender.pod.AnnotationObserver;
import io.gpushare.extender.pod.PodDemand;
import io.gpushare.extender.pod.PolicyKind;
import io.gpushare.extender.pod.SchedulingPod;
import io.gpushare.extender.policy.Policies;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.HostResources;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.CardIsolation;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.MigInstance;
import io.gpushare.model.codec.InventoryCodec;
import io.gpushare.model.request.ContainerResources;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every policy places memory pods on instances, instances by profile, and whole-card pods on full cards only. */
class MigPlacementTest {
    private static final String MEMORY = "aliyun.com/gpu-mem";
    private static final String CARDS = "aliyun.com/gpu-count";
    private static final String LARGE = "nvidia.com/mig-3g.40gb";
    private static final Inventory NODE = new Inventory(
            MemoryUnit.GIB,
            null,
            List.of(
                    Card.of("GPU-full", 0, Memory.ofGib(79)),
                    instance("MIG-3", 1, "3g.40gb", 39),
                    instance("MIG-1a", 2, "1g.10gb", 9),
                    instance("MIG-1b", 3, "1g.10gb", 9)));

    private int pods;

    @ParameterizedTest
    @EnumSource(PolicyKind.class)
    void eachPodGetsACardOfItsKind(PolicyKind policy) {
        Placer placer = placer(policy);
        assertThat(place(placer, MEMORY, "40")).isEqualTo("GPU-full");
        assertThat(place(placer, CARDS, "1")).isEqualTo("refused");
        assertThat(place(placer, LARGE, "1")).isEqualTo("MIG-3");
        assertThat(place(placer, LARGE, "1")).isEqualTo("refused");
        assertThat(place(placer, "nvidia.com/mig-1g.10gb", "1")).startsWith("MIG-1");
        assertThat(place(placer, "nvidia.com/mig-2g.20gb", "1")).isEqualTo("refused");
        for (int units = 0; units < 39 + 9; units += 3) {
            assertThat(place(placer, MEMORY, "3")).isNotEqualTo("MIG-3");
        }
    }

    @ParameterizedTest
    @EnumSource(PolicyKind.class)
    void anInstanceWithoutMemoryForPodsCanBeTakenWhole(PolicyKind policy) {
        Card closed = instance("MIG-3", 1, "3g.40gb", 39).withIsolation(CardIsolation.closed("MPS is not available"));
        for (List<Card> cards : List.of(List.of(closed), List.of(closed, instance("MIG-1", 2, "1g.10gb", 9)))) {
            Placer placer = placer(policy);
            placer.ledger()
                    .updateNode(
                            "n",
                            Map.of(
                                    "gpushare.io/inventory",
                                    InventoryCodec.encode(new Inventory(MemoryUnit.GIB, null, cards))),
                            HostResources.NONE);
            NodeSelection selection = new NodeSelection(placer, new PlacementOutcomes(() -> 0), DecideIn.FILTER);
            assertThat(selection.filter(pod(LARGE, "1"), List.of("n")).passed()).isEqualTo(1);
            assertThat(place(placer, MEMORY, "30")).isEqualTo("refused");
            assertThat(place(placer, LARGE, "1")).isEqualTo("MIG-3");
        }
    }

    @Test
    void anInstanceIsNoWholeCard() {
        Placer placer = placer(PolicyKind.WSP);
        placer.ledger()
                .updateNode(
                        "n",
                        Map.of(
                                "gpushare.io/inventory",
                                InventoryCodec.encode(new Inventory(
                                        MemoryUnit.GIB, null, List.of(instance("MIG-3", 1, "3g.40gb", 39))))),
                        HostResources.NONE);
        assertThat(place(placer, CARDS, "1")).isEqualTo("refused");
    }

    private static Placer placer(PolicyKind policy) {
        Placer placer = new Placer(new Ledger(TestCluster.DEMANDS, AnnotationObserver.none()), new Policies(policy));
        placer.ledger()
                .updateNode("n", Map.of("gpushare.io/inventory", InventoryCodec.encode(NODE)), HostResources.NONE);
        return placer;
    }

    private String place(Placer placer, String resource, String amount) {
        SchedulingPod pod = pod(resource, amount);
        PodDemand.Valid demand = TestCluster.demand(placer.ledger(), pod);
        placer.assume(pod.ref(), demand, "n", TestCluster.NOW);
        return placer.ledger()
                .nodeEntry("n")
                .cards()
                .allocationOf(pod.ref().uid())
                .map(allocation -> allocation.cards().iterator().next().uuid())
                .orElse("refused");
    }

    private SchedulingPod pod(String resource, String amount) {
        pods++;
        return new SchedulingPod(
                new PodRef("uid-" + pods, "lab", "pod-" + pods),
                Map.of(),
                List.of(new ContainerResources("main", ContainerRole.APP, Map.of(resource, amount))));
    }

    private static Card instance(String uuid, int index, String profile, int gib) {
        MigInstance instance = new MigInstance(new CardId("GPU-parent"), profile, index, 0, List.of());
        return new Card(
                new CardId(uuid),
                index,
                1,
                "NVIDIA H100",
                Memory.ofGib(gib),
                new Card.Details(null, null, null, true, instance));
    }
}
