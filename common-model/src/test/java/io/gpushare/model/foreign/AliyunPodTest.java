package io.gpushare.model.foreign;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerDemand;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.Share;
import io.gpushare.model.codec.Decoded;
import io.gpushare.model.ledger.CardState;
import io.gpushare.model.ledger.NodeCards;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AliyunPodTest {
    private static final CardId A = new CardId("GPU-a");
    private static final CardId B = new CardId("GPU-b");
    private static final List<ContainerDemand> TEN = List.of(memory("main", 10));
    private static final Inventory TWO = inventory(MemoryUnit.GIB, card(A, 0, 0, 15), card(B, 1, 1, 15));
    /** NVML's card 0 is /dev/nvidia1. */
    private static final Inventory SWAPPED = inventory(MemoryUnit.GIB, card(A, 0, 1, 15), card(B, 1, 0, 15));

    @Test
    void theAnnotatedCardIsHeldAndCertain() {
        ForeignHolding holding = holding(pod("1", "15"), TWO);

        assertThat(holding.certain()).isTrue();
        assertThat(holding.allocation()).isEqualTo(on(MemoryUnit.GIB, B));
    }

    @Test
    void bothCardsAreHeldWhereMinorNumbersAndIndicesDiffer() {
        ForeignHolding holding = holding(pod("1", "15"), SWAPPED);

        assertThat(holding.certain()).isFalse();
        assertThat(held(holding, SWAPPED)).isEqualTo(Map.of(A, 10, B, 10));
    }

    @Test
    void aWaitingPodGetsTheCardOfThatIndex() {
        assertThat(pod("1", "15").chosen(SWAPPED).valid()).contains(on(MemoryUnit.GIB, B));
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "2", "", " 1", "1e0", "99999999999999999999", "one", "１"})
    void everyCardIsHeldWhereTheIndexNamesNone(String index) {
        ForeignHolding holding = holding(pod(index, "15"), TWO);

        assertThat(holding.certain()).isFalse();
        assertThat(held(holding, TWO)).isEqualTo(Map.of(A, 10, B, 10));
        assertThat(pod(index, "15").chosen(TWO))
                .isInstanceOfSatisfying(
                        Decoded.Malformed.class,
                        malformed -> assertThat(malformed.reason()).contains("ALIYUN_COM_GPU_MEM_IDX"));
    }

    @Test
    void onANodeWithOneCardAPodWithoutAnIndexHasThatCard() {
        Inventory one = inventory(MemoryUnit.GIB, card(A, 0, 0, 15));
        ForeignHolding holding = holding(AliyunPod.of(Map.of(), TEN), one);

        assertThat(holding.certain()).isTrue();
        assertThat(holding.allocation()).isEqualTo(on(MemoryUnit.GIB, A));
    }

    @Test
    void unitsOfTheFirstCardAreUnderstoodForEveryCard() {
        Inventory mixed = inventory(MemoryUnit.GIB, card(A, 0, 0, 24), card(B, 1, 1, 48));
        assertThat(holding(pod("1", "24"), mixed).certain()).isTrue();
        // gpushare's extender beside our device plugin divides the node's memory by its cards.
        assertThat(holding(pod("1", "36"), mixed).certain()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"14", "0", "-15", "x", "", "99999999999999999999"})
    void aCardOfAnotherSizeIsHeldButNotCertain(String cardUnits) {
        ForeignHolding holding = holding(pod("1", cardUnits), TWO);

        assertThat(holding.certain()).isFalse();
        assertThat(holding.allocation()).isEqualTo(on(MemoryUnit.GIB, B));
    }

    @Test
    void unitsOfGpushareThatDifferFromTheNodesAreConverted() {
        Inventory fine = inventory(MemoryUnit.ofMib(256), card(A, 0, 0, 15), card(B, 1, 1, 15));
        assertThat(held(holding(pod("1", "15"), fine), fine)).isEqualTo(Map.of(B, 40));
        // 60 units of 256 MiB: the pod came after the change.
        assertThat(held(holding(pod("1", "60"), fine), fine)).isEqualTo(Map.of(B, 10));
        // An unknown unit counts as GiB.
        assertThat(held(holding(pod("1", "7"), fine), fine)).isEqualTo(Map.of(B, 40));
        assertThat(holding(pod("1", "15360"), TWO).allocation()).isEqualTo(on(MemoryUnit.ofMib(1), B));
    }

    @Test
    void everyContainerIsOnTheCard() {
        AliyunPod pod = AliyunPod.of(
                Map.of("ALIYUN_COM_GPU_MEM_IDX", "1", "ALIYUN_COM_GPU_MEM_DEV", "15"),
                List.of(
                        new ContainerDemand("load", ContainerRole.INIT, Share.memory(5)),
                        memory("a", 3),
                        memory("b", 4)));

        assertThat(held(holding(pod, TWO), TWO)).isEqualTo(Map.of(B, 7));
    }

    @Test
    void nothingIsHeldWithoutMemoryOrCards() {
        assertThat(AliyunPod.of(Map.of("ALIYUN_COM_GPU_MEM_IDX", "0"), List.of())
                        .holding(TWO))
                .isEmpty();
        assertThat(pod("0", "15").holding(Inventory.empty(MemoryUnit.GIB))).isEmpty();
        assertThat(AliyunPod.of(Map.of(), TEN).chosen(TWO)).isInstanceOf(Decoded.Absent.class);
    }

    private static AliyunPod pod(String index, String cardUnits) {
        return AliyunPod.of(Map.of("ALIYUN_COM_GPU_MEM_IDX", index, "ALIYUN_COM_GPU_MEM_DEV", cardUnits), TEN);
    }

    private static ForeignHolding holding(AliyunPod pod, Inventory inventory) {
        return pod.holding(inventory).orElseThrow();
    }

    /** The units that the ledger counts, by card. */
    private static Map<CardId, Integer> held(ForeignHolding holding, Inventory inventory) {
        NodeCards cards = NodeCards.of(inventory).with(new PodRef("u", "default", "p"), holding.allocation());
        return cards.cards().stream()
                .filter(state -> !state.unused())
                .collect(Collectors.toMap(
                        state -> state.card().id(),
                        (CardState state) -> state.allocated().units()));
    }

    private static Allocation on(MemoryUnit unit, CardId card) {
        return new Allocation(
                unit, List.of(new ContainerAllocation("main", ContainerRole.APP, Map.of(card, Share.memory(10)))));
    }

    private static ContainerDemand memory(String name, int units) {
        return new ContainerDemand(name, ContainerRole.APP, Share.memory(units));
    }

    private static Card card(CardId id, int index, int minor, int gib) {
        return new Card(id, index, minor, "Tesla T4", Memory.ofGib(gib), Card.Details.UNKNOWN);
    }

    private static Inventory inventory(MemoryUnit unit, Card... cards) {
        return new Inventory(unit, null, Arrays.asList(cards));
    }
}
