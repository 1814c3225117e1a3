package io.gpushare.model.claims;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;

import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.CardIsolation;
import io.gpushare.model.card.ComputeCapability;
import io.gpushare.model.card.Health;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Isolation;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.MigInstance;
import io.gpushare.model.card.NoCards;
import io.gpushare.model.card.Share;
import io.gpushare.model.ledger.NodeCards;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SliceSpecsTest {
    private static final SliceSpecs SPECS = new SliceSpecs("gpu.example.com", "node-1");
    private static final Card A = Card.of("GPU-A", 0, Memory.ofMib(8 * 1024 + 300));
    private static final Card B = Card.of("GPU-B", 1, Memory.ofGib(8));

    @Test
    void aCardIsOneDeviceWhoseMemoryIsCountedInWholeUnits() {
        Map<String, Object> spec = SPECS.of(cards(A), 3, true).getFirst();

        assertThat(spec)
                .containsEntry("driver", "gpu.example.com")
                .containsEntry("nodeName", "node-1")
                .containsEntry("pool", Map.of("name", "node-1", "generation", 3L, "resourceSliceCount", 1));
        assertThat(device(cards(A), "gpu-a"))
                .containsEntry("allowMultipleAllocations", true)
                .containsEntry(
                        "capacity",
                        Map.of(
                                "memory",
                                Map.of(
                                        "value",
                                        "8Gi",
                                        "requestPolicy",
                                        Map.of(
                                                "default",
                                                "8Gi",
                                                "validRange",
                                                Map.of("min", "1Gi", "max", "8Gi", "step", "1Gi")))))
                .doesNotContainKey("taints");
    }

    @Test
    void ofACardOfOneUnitOnlyTheWholeCanBeTaken() {
        NodeCards one = cards(Card.of("GPU-A", 0, Memory.ofGib(1)));

        assertThat(capacity(one, "memory"))
                .isEqualTo(Map.of(
                        "value", "1Gi", "requestPolicy", Map.of("default", "1Gi", "validValues", List.of("1Gi"))));
    }

    @Test
    void aCardOfUnknownMemoryIsOneClaimsAlone() {
        assertThat(device(cards(Card.of("GPU-A", 0, new Memory(0))), "gpu-a"))
                .doesNotContainKeys("allowMultipleAllocations", "capacity");
    }

    @Test
    void coresAreOfferedWhereTheyAreLimitedAndSlotsWhereTheNodeCountsThem() {
        Share beside = Share.ALL_CORES.plus(Share.slots(10));
        NodeCards counted = NodeCards.of(inventory(A).withBeside(beside));
        NodeCards limited = NodeCards.of(
                inventory(A.withIsolation(CardIsolation.of(Isolation.MPS))).withBeside(beside));

        assertThat(capacities(counted)).containsOnlyKeys("memory", "slots");
        assertThat(capacity(limited, "cores"))
                .isEqualTo(Map.of(
                        "value",
                        "100",
                        "requestPolicy",
                        Map.of("default", "0", "validRange", Map.of("min", "0", "max", "100", "step", "1"))));
        assertThat(capacity(limited, "slots"))
                .isEqualTo(Map.of(
                        "value",
                        "10",
                        "requestPolicy",
                        Map.of("default", "1", "validRange", Map.of("min", "1", "max", "10", "step", "1"))));
    }

    @Test
    void aCardHasTheAttributesThatSelectorsNeed() {
        Card card = new Card(
                new CardId("MIG-A"),
                7,
                0,
                "NVIDIA A30",
                Memory.ofGib(6),
                new Card.Details(
                        new ComputeCapability(8, 0),
                        true,
                        1,
                        true,
                        new MigInstance(new CardId("GPU-A"), "1g.6gb+me", 1, 0, List.of()),
                        new Memory(0),
                        "0000:3b:00.0"));
        Inventory node = new Inventory(MemoryUnit.GIB, new Inventory.Driver("580.65.06", "13.0"), List.of(card));

        assertThat(device(NodeCards.of(node), "mig-a").get("attributes"))
                .hasToString("{cudaComputeCapability={version=8.0.0}, cudaDriverVersion={version=13.0.0},"
                        + " driverVersion={version=580.65.6}, ecc={bool=true}, index={int=7},"
                        + " isolation={string=none}, memoryMiB={int=6144}, numaNode={int=1},"
                        + " parentUUID={string=GPU-A}, productName={string=NVIDIA A30},"
                        + " profile={string=1g.6gb+me}, resource.kubernetes.io/numaNode={int=1},"
                        + " resource.kubernetes.io/pciBusID={string=0000:3b:00.0}, type={string=mig},"
                        + " uuid={string=MIG-A}}");
    }

    @Test
    void aCardThatAcceptsNoNewPodsStaysWithTheReasonsAsTaints() {
        Card card = B.withHealth(new Health.Unhealthy("Xid 79")).withCordoned(true);
        Card closed = A.withIsolation(CardIsolation.closed("no MPS"));

        assertThat(keys(cards(A, card), "gpu-b")).containsExactly("gpushare.io/unhealthy", "gpushare.io/cordoned");
        assertThat(keys(cards(A, card), "gpu-a")).isEmpty();
        assertThat(keys(cards(closed), "gpu-a")).containsExactly("gpushare.io/no-isolation");
        assertThat(keys(cards(A.withForeign(Memory.ofGib(1))), "gpu-a")).containsExactly("gpushare.io/foreign-use");
        assertThat(keys(NodeCards.of(inventory(A).withNoCards(new NoCards(NoCards.Cause.OTHER_PLUGIN))), "gpu-a"))
                .containsExactly("gpushare.io/not-offered");
    }

    @Test
    void withoutTaintsAnUnusedCardThatAcceptsNoNewPodsIsLeftOut() {
        NodeCards node = cards(A.withCordoned(true), B.withHealth(new Health.Unhealthy("Xid 79")))
                .with(pod("1"), memory("GPU-B", 2));

        assertThat(SPECS.of(node, 1, false).getFirst().get("devices"))
                .asInstanceOf(LIST)
                .extracting("name")
                .containsExactly("gpu-b");
    }

    @Test
    void aCardThatPodsHaveByTheDevicePluginIsLeftOut() {
        assertThat(names(cards(A.withInUse("pod default/p").withCordoned(true), B)))
                .containsExactly("gpu-b");
        assertThat(SPECS.of(cards(A.withInUse("pod default/p")), 1, true)).isEmpty();
    }

    @Test
    void cardsInUseComeFirstAndTheFullestOfThemAtTheBeginning() {
        NodeCards node = cards(A, B, Card.of("GPU-C", 2, Memory.ofGib(8)), Card.of("GPU-D", 3, Memory.ofGib(4)))
                .with(pod("1"), memory("GPU-B", 2))
                .with(pod("2"), memory("GPU-C", 6));

        assertThat(names(node)).containsExactly("gpu-c", "gpu-b", "gpu-d", "gpu-a");
    }

    @Test
    void manyCardsFillSeveralSlicesOfOnePool() {
        NodeCards many = cards(IntStream.range(0, 130)
                .mapToObj(index -> Card.of("GPU-" + index, index, Memory.ofGib(8)))
                .toArray(Card[]::new));

        List<Map<String, Object>> specs = SPECS.of(many, 1, true);

        assertThat(specs)
                .hasSize(3)
                .allSatisfy(spec -> assertThat(spec.get("pool"))
                        .isEqualTo(Map.of("name", "node-1", "generation", 1L, "resourceSliceCount", 3)));
        assertThat(names(many)).hasSize(130).doesNotHaveDuplicates();
        assertThat(SPECS.of(cards(), 1, true)).isEmpty();
    }

    @Test
    void cardsWhoseUuidIsNoNameAreLeftOut() {
        NodeCards odd =
                cards(A, Card.of("GPU-" + "x".repeat(70), 1, Memory.ofGib(8)), Card.of("gpu-a", 2, Memory.ofGib(8)));

        assertThat(names(odd)).containsExactly("gpu-a");
    }

    @Test
    void quantitiesAreCanonical() {
        assertThat(Capacity.quantity(0)).isEqualTo("0");
        assertThat(Capacity.quantity(1000)).isEqualTo("1000");
        assertThat(Capacity.quantity(1 << 10)).isEqualTo("1Ki");
        assertThat(Capacity.quantity(1536L << 20)).isEqualTo("1536Mi");
        assertThat(Capacity.quantity(1024L << 30)).isEqualTo("1Ti");
    }

    private static NodeCards cards(Card... cards) {
        return NodeCards.of(inventory(cards));
    }

    private static Inventory inventory(Card... cards) {
        return new Inventory(MemoryUnit.GIB, null, List.of(cards));
    }

    private static PodRef pod(String uid) {
        return new PodRef(uid, "default", "pod-" + uid);
    }

    private static Allocation memory(String card, int units) {
        return new Allocation(
                MemoryUnit.GIB,
                List.of(new ContainerAllocation(
                        "main", ContainerRole.APP, Map.of(new CardId(card), Share.memory(units)))));
    }

    private static List<Map<String, Object>> devices(NodeCards node) {
        return SPECS.of(node, 1, true).stream()
                .flatMap(spec -> objects(spec.getOrDefault("devices", List.of())).stream())
                .toList();
    }

    private static List<Object> names(NodeCards node) {
        return devices(node).stream().map(device -> device.get("name")).toList();
    }

    private static Map<String, Object> device(NodeCards node, String name) {
        return devices(node).stream()
                .filter(device -> name.equals(device.get("name")))
                .findFirst()
                .orElseThrow();
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> capacities(NodeCards node) {
        return (Map<String, Object>) device(node, "gpu-a").getOrDefault("capacity", Map.of());
    }

    private static Object capacity(NodeCards node, String name) {
        return capacities(node).getOrDefault(name, "");
    }

    private static List<Object> keys(NodeCards node, String name) {
        return objects(device(node, name).getOrDefault("taints", List.of())).stream()
                .map(taint -> taint.get("key"))
                .toList();
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> objects(Object list) {
        return (List<Map<String, Object>>) list;
    }
}
