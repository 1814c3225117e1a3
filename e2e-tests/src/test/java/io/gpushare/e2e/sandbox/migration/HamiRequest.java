package io.gpushare.e2e.sandbox.migration;

import io.gpushare.simulated.client.PodDocument;
import java.math.BigDecimal;
import java.util.List;

/**
 * What a container requests in HAMi's words.
 *
 * @param cards the number of cards
 * @param mib the memory of each; 0 if not given
 * @param percentage the same in percent; 0 if not given
 * @param cores the percent of the cores of each; 0 if not given
 */
record HamiRequest(int cards, int mib, int percentage, int cores) {
    static final String CARDS = "nvidia.com/gpu";
    static final String MEMORY = "nvidia.com/gpumem";
    static final String PERCENTAGE = "nvidia.com/gpumem-percentage";
    static final String CORES = "nvidia.com/gpucores";
    static final List<String> NAMES = List.of(CARDS, MEMORY, PERCENTAGE, CORES);

    private static final int ALL = 100;

    static HamiRequest of(PodDocument.Container container) {
        int[] amounts = NAMES.stream()
                .mapToInt(name ->
                        container.limits().getOrDefault(name, BigDecimal.ZERO).intValue())
                .toArray();
        return new HamiRequest(amounts[0], amounts[1], amounts[2], amounts[3]);
    }

    /** The memory of a card of that size. */
    int mibOf(int card) {
        if (mib > 0) {
            return mib;
        }
        return percentage > 0 ? card * percentage / ALL : card;
    }

    /** The percent of the cores of a card: HAMi's webhook gives all of them with all of the memory. */
    int coresOf(int card) {
        return cores == 0 && mibOf(card) == card ? ALL : cores;
    }
}
