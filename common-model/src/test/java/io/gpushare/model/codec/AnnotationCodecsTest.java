package io.gpushare.model.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerDemand;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.Demand;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.CardIsolation;
import io.gpushare.model.card.CardIsolation.CoreCap;
import io.gpushare.model.card.CardLink;
import io.gpushare.model.card.CardLinks;
import io.gpushare.model.card.ComputeCapability;
import io.gpushare.model.card.Health;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Isolation;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.NoCards;
import io.gpushare.model.card.Share;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class AnnotationCodecsTest {
    private static final CardId CARD = new CardId("GPU-60805828-8ab0-6124-67c4-9baff56d087b");
    private static final Card T4 = new Card(
                    CARD,
                    1,
                    3,
                    "Tesla T4",
                    Memory.ofMib(15360),
                    new Card.Details(new ComputeCapability(7, 5), true, 0, false))
            .withHealth(new Health.Unhealthy("Xid 79"));
    private static final Inventory NODE =
            new Inventory(MemoryUnit.GIB, new Inventory.Driver("580.95.05", "13.0"), List.of(T4));

    @Test
    void anInventorySurvivesItsTextForm() {
        String written = InventoryCodec.encode(NODE);
        assertThat(InventoryCodec.decode(Map.of(AnnotationKeys.INVENTORY, written)))
                .isEqualTo(new Decoded.Valid<>(NODE));
    }

    /** A version that does not know the field must not offer the card: it reads that the card is cordoned. */
    @Test
    void aCardThatIsInUseSaysByWhomAndIsCordonedForOlderVersions() {
        for (boolean cordoned : List.of(false, true)) {
            Inventory node = NODE.withCordoned(cordoned ? Set.of(T4.id()) : Set.of())
                    .withInUse(Map.of(T4.id(), "pod default/p"));
            String written = InventoryCodec.encode(node);
            assertThat(written)
                    .contains("\"cordoned\":true,\"inUse\":{\"by\":\"pod default/p\",\"cordoned\":" + cordoned + "}");
            assertThat(InventoryCodec.decode(Map.of(AnnotationKeys.INVENTORY, written)))
                    .isEqualTo(new Decoded.Valid<>(node));
            assertThat(node.card(T4.id()).orElseThrow().placeable()).isFalse();
        }
    }

    @Test
    void whatTheDriverReservesIsPartOfTheInventoryIfItIsKnown() {
        Card reserving =
                new Card(T4.id(), 0, 0, T4.model(), T4.memory(), T4.details().withReserved(Memory.ofMib(447)));
        Inventory node = new Inventory(MemoryUnit.GIB, null, List.of(reserving));
        String written = InventoryCodec.encode(node);
        assertThat(written).contains("\"memoryMiB\":15360,\"reservedMiB\":447,");
        assertThat(InventoryCodec.decode(Map.of(AnnotationKeys.INVENTORY, written)))
                .isEqualTo(new Decoded.Valid<>(node));
        assertThat(reserving.usableMemory()).isEqualTo(Memory.ofMib(14913));
        assertThat(InventoryCodec.encode(NODE)).doesNotContain("reservedMiB");
    }

    @Test
    void whatIsUsedBeyondAllocationsIsPartOfTheInventory() {
        Inventory node = NODE.withForeign(Map.of(T4.id(), Memory.ofMib(3328)));
        String written = InventoryCodec.encode(node);
        assertThat(written).contains("\"foreignMiB\":3328");
        assertThat(InventoryCodec.decode(Map.of(AnnotationKeys.INVENTORY, written)))
                .isEqualTo(new Decoded.Valid<>(node));
        assertThat(InventoryCodec.encode(NODE)).doesNotContain("foreignMiB");
    }

    @Test
    void whatIsKeptOfACardAndTheCapOfItsCoresArePartOfTheInventory() {
        CardIsolation mps =
                CardIsolation.of(Isolation.MPS).withHeadroom(Memory.ofMib(617)).withCoreCap(CoreCap.parse("memory*2"));
        Inventory node = NODE.withIsolation(Map.of(T4.id(), mps));
        String written = InventoryCodec.encode(node);
        assertThat(written).contains("\"isolation\":\"mps\",\"headroomMiB\":617,\"defaultCores\":\"memory*2\"");
        assertThat(InventoryCodec.decode(Map.of(AnnotationKeys.INVENTORY, written)))
                .isEqualTo(new Decoded.Valid<>(node));
        assertThat(node.capacityOf(node.cards().getFirst()).units()).isEqualTo(14);

        Inventory closed = NODE.withIsolation(
                Map.of(T4.id(), CardIsolation.closed("no MPS").withHeadroom(Memory.ofMib(617))));
        assertThat(InventoryCodec.decode(Map.of(AnnotationKeys.INVENTORY, InventoryCodec.encode(closed))))
                .isEqualTo(new Decoded.Valid<>(closed));
        // Of a version that knows other caps.
        String later = written.replace("memory*2", "fair");
        assertThat(InventoryCodec.decode(Map.of(AnnotationKeys.INVENTORY, later))
                        .valid()
                        .orElseThrow()
                        .cards()
                        .getFirst()
                        .isolation()
                        .coreCap())
                .isEqualTo(CoreCap.NONE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "1.5", "\"447\"", "99999999999", "[]"})
    void anAmountReservedThatIsNoNumberIsRefused(String amount) {
        String wrong = InventoryCodec.encode(NODE).replace("\"mig\":false", "\"reservedMiB\":" + amount);
        assertThat(InventoryCodec.decode(Map.of(AnnotationKeys.INVENTORY, wrong)))
                .isInstanceOf(Decoded.Malformed.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"12", "[12,\"13\"]", "[1.5]", "{\"a\":1}"})
    void deviceFilesThatAreNoNumbersAreRefused(String caps) {
        String cut = InventoryCodec.encode(NODE)
                .replace(
                        "\"mig\":false",
                        "\"profile\":\"1g.10gb\",\"parent\":\"GPU-a\",\"gi\":1,\"ci\":0,\"caps\":" + caps);
        assertThat(InventoryCodec.decode(Map.of(AnnotationKeys.INVENTORY, cut)))
                .isInstanceOfSatisfying(
                        Decoded.Malformed.class,
                        malformed ->
                                assertThat(malformed.reason()).contains("'caps' must be an array of whole numbers"));
    }

    @Test
    void aNodeThatOffersCoresSaysSo() {
        String written = InventoryCodec.encode(NODE.withBeside(Share.ALL_CORES));
        assertThat(written).endsWith(",\"cores\":true}");
        assertThat(InventoryCodec.decode(Map.of(AnnotationKeys.INVENTORY, written)))
                .isEqualTo(new Decoded.Valid<>(NODE.withBeside(Share.ALL_CORES)));
        assertThat(InventoryCodec.encode(NODE)).doesNotContain("cores");
    }

    @Test
    void theCoresOfAContainerAreBesideItsMemory() {
        Allocation allocation = new Allocation(
                MemoryUnit.GIB,
                List.of(
                        new ContainerAllocation(
                                "a",
                                ContainerRole.APP,
                                Map.of(CARD, Share.memory(3).plus(Share.cores(30)))),
                        new ContainerAllocation("b", ContainerRole.APP, Map.of(CARD, Share.memory(4)))));
        String written = AllocationCodec.encode(allocation);
        assertThat(written).contains("\"cores\":{\"" + CARD + "\":30}").containsOnlyOnce("cores");
        assertThat(AllocationCodec.decode(Map.of(AnnotationKeys.ALLOCATION, written)))
                .isEqualTo(new Decoded.Valid<>(allocation));
        assertThat(allocation.withoutExcessPercents(new Demand(List.of(
                        new ContainerDemand("a", ContainerRole.APP, Share.memory(3)),
                        new ContainerDemand("b", ContainerRole.APP, Share.memory(4))))))
                .isEqualTo(new Allocation(
                        MemoryUnit.GIB,
                        List.of(
                                new ContainerAllocation("a", ContainerRole.APP, Map.of(CARD, Share.memory(3))),
                                new ContainerAllocation("b", ContainerRole.APP, Map.of(CARD, Share.memory(4))))));
    }

    @ParameterizedTest
    @MethodSource("isolations")
    void theIsolationOfACardSurvivesItsTextForm(CardIsolation isolation) {
        Inventory isolated = NODE.withIsolation(Map.of(CARD, isolation));

        String written = InventoryCodec.encode(isolated);

        assertThat(InventoryCodec.decode(Map.of(AnnotationKeys.INVENTORY, written)))
                .isEqualTo(new Decoded.Valid<>(isolated));
    }

    static List<CardIsolation> isolations() {
        return List.of(
                CardIsolation.of(Isolation.DRIVER),
                CardIsolation.of(Isolation.MPS),
                CardIsolation.counted("MIG mode is enabled"),
                CardIsolation.closed("driver 580.95.05 has no memory limits"));
    }

    @Test
    void anIsolationOfANewerVersionCountsAsNone() {
        String written = InventoryCodec.encode(NODE.withIsolation(Map.of(CARD, CardIsolation.of(Isolation.MPS))));

        assertThat(InventoryCodec.decode(Map.of(AnnotationKeys.INVENTORY, written.replace("mps", "enclave"))))
                .isEqualTo(new Decoded.Valid<>(NODE));
    }

    @Test
    void aCardWithoutAMinorNumberSurvivesItsTextForm() {
        Inventory unnumbered = new Inventory(
                MemoryUnit.GIB, null, List.of(new Card(CARD, 0, null, "T4", Memory.ofGib(15), Card.Details.UNKNOWN)));
        String written = InventoryCodec.encode(unnumbered);
        assertThat(written).doesNotContain("minor");
        assertThat(InventoryCodec.decode(Map.of(AnnotationKeys.INVENTORY, written)))
                .isEqualTo(new Decoded.Valid<>(unnumbered));
    }

    @Test
    void linksAreSmallAndSurviveTheirTextForm() {
        List<Card> cards = List.of(Card.of("GPU-c", 0, Memory.ofGib(1)), T4, Card.of("GPU-a", 2, Memory.ofGib(1)));
        Inventory linked = new Inventory(MemoryUnit.GIB, null, cards)
                .withLinks(new CardLinks(Map.of(
                        new CardLinks.Pair(new CardId("GPU-c"), CARD), CardLink.parse("NV12"),
                        new CardLinks.Pair(new CardId("GPU-c"), new CardId("GPU-a")), CardLink.parse("SYS"))));
        String written = InventoryCodec.encode(linked);
        assertThat(written).endsWith(",\"links\":[\"NV12\",\"SYS -\"]}");
        assertThat(InventoryCodec.decode(Map.of(AnnotationKeys.INVENTORY, written)))
                .isEqualTo(new Decoded.Valid<>(linked));
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "[1]", "[\"NV0\"]", "[\"NV1 NV1\"]", "[\"NV1\",\"NV1\"]", "[\"\"]"})
    void invalidLinksAreMalformed(String links) {
        String written = InventoryCodec.encode(NODE)
                .replace(
                        "]}",
                        ",{\"uuid\":\"GPU-b\",\"index\":2,\"minor\":2,\"model\":\"x\"," + "\"memoryMiB\":1}],\"links\":"
                                + links + "}");
        assertThat(InventoryCodec.decode(Map.of(AnnotationKeys.INVENTORY, written)))
                .isInstanceOfSatisfying(
                        Decoded.Malformed.class,
                        malformed -> assertThat(malformed.reason()).contains("link"));
    }

    @Test
    void theReasonOfANodeWithoutCardsIsWrittenAndReadAlsoThatOfANewerPlugin() {
        Inventory none =
                Inventory.empty(MemoryUnit.GIB).withNoCards(new NoCards(NoCards.Cause.DRIVER_NOT_LOADED, "two\nlines"));
        String written = InventoryCodec.encode(none);
        assertThat(written).endsWith("\"noCards\":{\"reason\":\"driver_not_loaded\",\"detail\":\"two\\\\nlines\"}}");
        assertThat(InventoryCodec.decode(Map.of(AnnotationKeys.INVENTORY, written)))
                .isEqualTo(new Decoded.Valid<>(none));
        assertThat(InventoryCodec.decode(
                        Map.of(AnnotationKeys.INVENTORY, written.replace("driver_not_loaded", "a_new_one"))))
                .isInstanceOfSatisfying(
                        Decoded.Valid.class,
                        valid -> assertThat(((Inventory) valid.value()).noCards())
                                .extracting(NoCards::cause)
                                .isEqualTo(NoCards.Cause.UNKNOWN));
    }

    @Test
    void anUnhealthyCardHasItsReason() {
        String written = "{\"version\":1,\"unitMiB\":1024,\"cards\":[{\"uuid\":\"GPU-a\",\"index\":0,\"minor\":0,"
                + "\"model\":\"T4\",\"memoryMiB\":15360,\"unhealthy\":\"Xid 79\"}]}";
        Inventory read = InventoryCodec.decode(Map.of(AnnotationKeys.INVENTORY, written))
                .valid()
                .orElseThrow();
        assertThat(read.cards().getFirst().health()).isEqualTo(new Health.Unhealthy("Xid 79"));
        assertThat(InventoryCodec.encode(read)).isEqualTo(written);
    }

    @Test
    void unknownFieldsOfANewerPluginAreSkipped() {
        String written = InventoryCodec.encode(NODE).replace("\"cards\"", "\"later\":[1],\"cards\"");
        assertThat(InventoryCodec.decode(Map.of(AnnotationKeys.INVENTORY, written)))
                .isEqualTo(new Decoded.Valid<>(NODE));
    }

    @Test
    void gpusharesAnnotationsAreWrittenToo() {
        Allocation allocation = new Allocation(
                MemoryUnit.GIB,
                List.of(
                        new ContainerAllocation("a", ContainerRole.APP, Map.of(CARD, Share.memory(3))),
                        new ContainerAllocation("b", ContainerRole.APP, Map.of(CARD, Share.memory(4)))));
        Map<String, String> annotations = AllocationCodec.annotations(
                allocation, NODE, "n1", List.of(), Instant.ofEpochSecond(1795188859L, 314269638));
        assertThat(annotations)
                .containsEntry("ALIYUN_COM_GPU_MEM_IDX", "1")
                .containsEntry("ALIYUN_COM_GPU_MEM_DEV", "15")
                .containsEntry("ALIYUN_COM_GPU_MEM_POD", "7")
                .containsEntry("ALIYUN_COM_GPU_MEM_ASSIGNED", "false")
                .containsEntry("ALIYUN_COM_GPU_MEM_ASSUME_TIME", "1795188859314269638");
        assertThat(AllocationCodec.decode(annotations)).isEqualTo(new Decoded.Valid<>(allocation));
    }

    @Test
    void aMissingAnnotationIsAbsentAndNotMalformed() {
        assertThat(AllocationCodec.decode(Map.of())).isInstanceOf(Decoded.Absent.class);
        assertThat(InventoryCodec.decode(Map.of())).isInstanceOf(Decoded.Absent.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "null",
                "[]",
                "{",
                "{}{}",
                "{\"version\":2}",
                "{\"version\":1,\"unitMiB\":1024}",
                "{\"version\":1,\"unitMiB\":0,\"containers\":[]}",
                "{\"version\":1,\"unitMiB\":1024,\"containers\":[]}",
                "{\"version\":1,\"unitMiB\":1024,\"containers\":[1]}",
                "{\"version\":1,\"unitMiB\":1024,\"containers\":[{\"name\":\"a\"}]}",
                "{\"version\":1,\"unitMiB\":1024,\"containers\":[{\"name\":\"a\",\"memory\":{\"GPU-1\":0}}]}",
                "{\"version\":1,\"unitMiB\":1024,\"containers\":[{\"name\":\"a\",\"memory\":{\"GPU-1\":-1}}]}",
                "{\"version\":1,\"unitMiB\":1024,\"containers\":[{\"name\":\"a\",\"memory\":{\"GPU-1\":1e99}}]}",
                "{\"version\":1,\"unitMiB\":1024,\"containers\":[{\"name\":\"a\",\"memory\":{\"\":1}}]}",
                "{\"version\":1,\"unitMiB\":1024,\"containers\":[{\"name\":\"a\",\"cards\":[\"GPU-1\",\"GPU-1\"]}]}",
                "{\"version\":1,\"unitMiB\":1024,\"containers\":[{\"name\":\"a\",\"cards\":[1]},{\"name\":\"a\",\"cards\":[2]}]}",
                "{\"version\":1,\"unitMiB\":1024,\"containers\":[{\"name\":\"a\",\"role\":\"x\",\"cards\":[\"GPU-1\"]}]}",
                "{\"version\":1,\"unitMiB\":1024,\"containers\":[{\"name\":\"a\",\"cards\":[\"GPU-1\"],\"memory\":{\"GPU-1\":1}}]}",
                "{\"version\":1,\"unitMiB\":1024,\"containers\":[{\"name\":\"a\",\"cards\":[\"GPU-1\"],\"cores\":{\"GPU-1\":1}}]}",
                "{\"version\":1,\"unitMiB\":1024,\"containers\":[{\"name\":\"a\",\"cores\":{\"GPU-1\":1}}]}",
                "{\"version\":1,\"unitMiB\":1024,\"containers\":[{\"name\":\"a\",\"memory\":{\"GPU-1\":1},\"cores\":{\"GPU-2\":1}}]}",
                "{\"version\":1,\"unitMiB\":1024,\"containers\":[{\"name\":\"a\",\"memory\":{\"GPU-1\":1},\"cores\":{\"GPU-1\":-1}}]}",
                "{\"version\":1,\"unitMiB\":1024,\"containers\":[{\"name\":\"a\",\"memory\":{\"GPU-1\":1},\"cores\":30}]}",
            })
    void aForgedAllocationIsMalformedWithAReason(String written) {
        assertThat(AllocationCodec.decode(Map.of(AnnotationKeys.ALLOCATION, written)))
                .isInstanceOfSatisfying(
                        Decoded.Malformed.class,
                        malformed -> assertThat(malformed.reason())
                                .startsWith("annotation gpushare.io/allocation: ")
                                .doesNotEndWith(": ")
                                .doesNotEndWith("null"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"version\":1,\"unitMiB\":1024,\"cards\":[{}]}",
                "{\"version\":1,\"unitMiB\":1024,\"cards\":[{\"uuid\":\"GPU-1\",\"index\":-1}]}",
                "{\"version\":1,\"unitMiB\":1024,\"cards\":[{\"uuid\":\"GPU-1\",\"index\":0,\"minor\":0,\"model\":\"x\",\"memoryMiB\":1,\"compute\":\"x\"}]}",
            })
    void aBrokenInventoryIsMalformed(String written) {
        assertThat(InventoryCodec.decode(Map.of(AnnotationKeys.INVENTORY, written)))
                .isInstanceOf(Decoded.Malformed.class);
    }

    @Property
    void anyAllocationSurvivesItsTextForm(@ForAll("allocations") Allocation allocation) {
        assertThat(AllocationCodec.decode(Map.of(AnnotationKeys.ALLOCATION, AllocationCodec.encode(allocation))))
                .isEqualTo(new Decoded.Valid<>(allocation));
    }

    @Property
    void anyTextIsDecodedWithoutAnException(@ForAll String written) {
        assertThat(AllocationCodec.decode(Map.of(AnnotationKeys.ALLOCATION, written)))
                .isInstanceOf(Decoded.Malformed.class);
        assertThat(InventoryCodec.decode(Map.of(AnnotationKeys.INVENTORY, written)))
                .isInstanceOf(Decoded.Malformed.class);
    }

    @Provide
    Arbitrary<Allocation> allocations() {
        Arbitrary<CardId> cards =
                Arbitraries.strings().withCharRange('a', 'z').ofLength(8).map(text -> new CardId("GPU-" + text));
        Arbitrary<String> names =
                Arbitraries.strings().withCharRange('a', 'z').ofMinLength(1).ofMaxLength(5);
        Arbitrary<ContainerRole> roles = Arbitraries.of(ContainerRole.values());
        Arbitrary<ContainerAllocation> memory = Combinators.combine(
                        names,
                        roles,
                        Arbitraries.maps(
                                        cards,
                                        Combinators.combine(
                                                        Arbitraries.integers().between(1, 500),
                                                        Arbitraries.of(0, 0, 30))
                                                .as((units, cores) ->
                                                        Share.memory(units).plus(Share.cores(cores))))
                                .ofMinSize(1)
                                .ofMaxSize(3))
                .as(ContainerAllocation::new);
        Arbitrary<ContainerAllocation> whole = Combinators.combine(
                        names,
                        roles,
                        Arbitraries.maps(cards, Arbitraries.just(Share.WHOLE_CARD))
                                .ofMinSize(1)
                                .ofMaxSize(4))
                .as(ContainerAllocation::new);
        return Combinators.combine(
                        Arbitraries.integers().between(1, 4096),
                        Arbitraries.oneOf(memory, whole)
                                .list()
                                .uniqueElements(ContainerAllocation::name)
                                .ofMinSize(1)
                                .ofMaxSize(4))
                .as((mib, containers) -> new Allocation(
                        MemoryUnit.ofMib(mib),
                        containers.stream()
                                .sorted(Comparator.comparing(container -> container.role() == ContainerRole.APP))
                                .toList()));
    }
}
