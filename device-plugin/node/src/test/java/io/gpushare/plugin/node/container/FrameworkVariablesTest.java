package io.gpushare.plugin.node.container;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.CardIsolation;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Isolation;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.Share;
import io.gpushare.model.request.PodVariables;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FrameworkVariablesTest {
    private static final CardId A = new CardId("GPU-a");
    private static final CardId B = new CardId("GPU-b");

    @ParameterizedTest
    @CsvSource({
        // Card, its memory, what its driver keeps (MiB), GiB of the container, the fraction.
        "T4, 15360, 447, 7, 0.4459",
        "A10, 23028, 517, 11, 0.4773",
        "H200, 143771, 616, 8, 0.0536",
        "H200, 143771, 616, 139, 0.9906",
        "a driver that does not report it, 143771, 0, 8, 0.0533",
    })
    void theFractionIsTheLimitLessAContextOfTheTotalThatCudaReports(
            String model, long memory, long reserved, int gib, String fraction) {
        Map<String, String> variables = of(card(A, memory, reserved, Isolation.NONE), Share.memory(gib), false);

        long usable = gib * 1024L - 518;
        assertThat(variables)
                .as(model)
                .isEqualTo(Map.of(
                        "GPUSHARE_MEMORY_MIB",
                        String.valueOf(gib * 1024),
                        "GPUSHARE_MEMORY_FRACTION",
                        fraction,
                        "XLA_PYTHON_CLIENT_MEM_FRACTION",
                        fraction,
                        "XLA_CLIENT_MEM_FRACTION",
                        "",
                        "CUDA_MEMORY_FRACTION",
                        fraction,
                        "FLAGS_fraction_of_gpu_memory_to_use",
                        fraction,
                        "FLAGS_gpu_memory_limit_mb",
                        String.valueOf(usable),
                        "CUPY_GPU_MEMORY_LIMIT",
                        String.valueOf(usable << 20),
                        "TF_FORCE_GPU_ALLOW_GROWTH",
                        "true"));
        // What a program takes by that fraction, and its context, are within the limit, and the next digit is not.
        double total = memory - reserved;
        assertThat(Double.parseDouble(fraction) * total).isLessThanOrEqualTo((double) usable);
        assertThat((Double.parseDouble(fraction) + 0.0001) * total).isGreaterThan((double) usable);
    }

    /** What a container sets itself counts instead, as far as the plugin reads it. */
    @Test
    void eachIsReadOfPods() {
        assertThat(of(card(A, 23028, 0, Isolation.HAMI_CORE), Share.memory(4), false)
                        .keySet())
                .hasSizeGreaterThan(8)
                .allMatch(PodVariables::reads);
    }

    @Test
    void underHamiCoreTheShareIsTheTotal() {
        assertThat(of(card(A, 23028, 0, Isolation.HAMI_CORE), Share.memory(4), false))
                .containsEntry("GPUSHARE_MEMORY_MIB", "4096")
                .containsEntry("GPUSHARE_MEMORY_FRACTION", "0.8735")
                .containsEntry("CUDA_MEMORY_FRACTION", "0.8735");
    }

    @Test
    void underMpsTgiTakesAllThatIsFreeWhichIsTheShare() {
        assertThat(of(card(A, 23028, 0, Isolation.MPS), Share.memory(4), false))
                .containsEntry("XLA_PYTHON_CLIENT_MEM_FRACTION", "0.1553")
                .doesNotContainKey("CUDA_MEMORY_FRACTION");
    }

    @Test
    void aContainerThatSetsJaxsVariableByItsPresentNameGetsNeither() {
        assertThat(of(card(A, 23028, 0, Isolation.NONE), Share.memory(4), true))
                .doesNotContainKeys("XLA_PYTHON_CLIENT_MEM_FRACTION", "XLA_CLIENT_MEM_FRACTION")
                .containsKey("GPUSHARE_MEMORY_FRACTION");
    }

    @Test
    void ofSeveralCardsTheSmallestAmountCounts() {
        Inventory node = new Inventory(
                MemoryUnit.GIB,
                null,
                List.of(
                        card(A, 15360, 0, Isolation.NONE),
                        card(B, 81559, 0, Isolation.NONE).withIndex(1)));
        ContainerAllocation both =
                new ContainerAllocation("main", ContainerRole.APP, Map.of(A, Share.memory(7), B, Share.memory(14)));

        assertThat(FrameworkVariables.of(both, node, false))
                .containsEntry("GPUSHARE_MEMORY_MIB", "7168")
                .containsEntry("GPUSHARE_MEMORY_FRACTION", "0.1694")
                .containsEntry("FLAGS_gpu_memory_limit_mb", "6650");
    }

    @Test
    void aShareThatHasNoRoomForAContextHasNoFraction() {
        Inventory node = new Inventory(MemoryUnit.parse("256MiB"), null, List.of(card(A, 15360, 0, Isolation.NONE)));

        assertThat(FrameworkVariables.of(container(Share.memory(2)), node, false))
                .isEqualTo(Map.of("GPUSHARE_MEMORY_MIB", "512"));
    }

    @Test
    void wholeCardsHaveNoneAndThePartsOfHamisRequestsHaveThem() {
        Card card = card(A, 15360, 0, Isolation.NONE);
        assertThat(of(card, Share.WHOLE_CARD, false)).isEmpty();
        assertThat(of(card, Share.SLOTTED_CARD, false)).isEmpty();
        assertThat(of(card, Share.memory(7).plus(Share.slots(1)), false))
                .containsEntry("GPUSHARE_MEMORY_FRACTION", "0.4329");
    }

    private static Map<String, String> of(Card card, Share share, boolean ownJaxFraction) {
        return FrameworkVariables.of(
                container(share), new Inventory(MemoryUnit.GIB, null, List.of(card)), ownJaxFraction);
    }

    private static ContainerAllocation container(Share share) {
        return new ContainerAllocation("main", ContainerRole.APP, Map.of(A, share));
    }

    private static Card card(CardId id, long memory, long reserved, Isolation isolation) {
        return new Card(
                        id,
                        0,
                        0,
                        "card",
                        Memory.ofMib(memory),
                        Card.Details.UNKNOWN.withReserved(Memory.ofMib(reserved)))
                .withIsolation(CardIsolation.of(isolation));
    }
}
