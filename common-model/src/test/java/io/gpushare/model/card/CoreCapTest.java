package io.gpushare.model.card;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.gpushare.model.card.CardIsolation.CoreCap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a container may use of a card's cores if it requests none. */
class CoreCapTest {
    @ParameterizedTest
    @CsvSource({
        "none, 7, 14, 0",
        "30, 1, 14, 30",
        "100%, 1, 14, 100",
        "memory, 14, 14, 100",
        "memory, 7, 14, 50",
        "memory, 8, 14, 57",
        "memory, 6, 14, 42",
        "memory, 1, 14, 10",
        "memory*2, 1, 14, 14",
        "memory*2, 8, 14, 100",
        "memory*1.5, 4, 14, 42",
        "memory*0.5, 14, 14, 50",
        "memory*0.01, 14, 14, 10",
        "memory, 15, 14, 100",
    })
    void theCapFollowsTheOptionAndTheMemory(String option, int units, int capacity, int percent) {
        CardIsolation mps = CardIsolation.of(Isolation.MPS).withCoreCap(CoreCap.parse(option));
        assertThat(mps.coresOf(Share.memory(units), Share.memory(capacity))).isEqualTo(percent);
    }

    @Test
    void theCapsOfAFullCardComeToAtMostOneHundred() {
        CardIsolation mps = CardIsolation.of(Isolation.MPS).withCoreCap(CoreCap.MEMORY);
        for (int capacity = 10; capacity <= 140; capacity++) {
            int least = Math.ceilDiv(capacity, 10);
            for (int one = least; one <= capacity - least; one++) {
                Share all = Share.memory(capacity);
                int sum = mps.coresOf(Share.memory(one), all) + mps.coresOf(Share.memory(capacity - one), all);
                assertThat(sum).isBetween(99, 100);
            }
        }
    }

    @Test
    void aRequestCountsInstead() {
        CardIsolation mps = CardIsolation.of(Isolation.MPS).withCoreCap(CoreCap.MEMORY);
        assertThat(mps.coresOf(Share.memory(14).plus(Share.cores(5)), Share.memory(14)))
                .isEqualTo(5);
        assertThat(mps.coresOf(Share.WHOLE_CARD, Share.memory(14))).isZero();
    }

    @Test
    void nothingIsCappedWhereCoresAreNotLimited() {
        assertThat(CardIsolation.of(Isolation.DRIVER)
                        .withCoreCap(CoreCap.MEMORY)
                        .coresOf(Share.memory(1), Share.memory(14)))
                .isZero();
        assertThat(CardIsolation.closed("no MPS").withCoreCap(CoreCap.MEMORY).coreCap())
                .isEqualTo(CoreCap.NONE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "30", "100", "memory", "memory*2", "memory*1.5", "memory*0.25", "memory*100"})
    void itIsWrittenAsItIsRead(String option) {
        assertThat(CoreCap.parse(option)).hasToString(option);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "0",
                "101",
                "-1",
                "1e9",
                "memory*",
                "memory*0",
                "memory*0.001",
                "memory*101",
                "memory*-1",
                "Memory",
                "memory*2x",
                "memory * 2",
                "99999999999",
                "30 %"
            })
    void anythingElseIsRefusedWithASentence(String option) {
        assertThatThrownBy(() -> CoreCap.parse(option))
                .hasMessageStartingWith("'" + option + "' is not understood: write none, a percentage from 1 to 100,"
                        + " memory, or memory*<factor>");
    }
}
