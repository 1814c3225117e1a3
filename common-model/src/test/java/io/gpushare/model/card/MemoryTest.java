package io.gpushare.model.card;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MemoryTest {
    /** The page's test has the same amounts. */
    @ParameterizedTest
    @CsvSource({
        "0, 0 MiB",
        "1023, 1023 MiB",
        "1024, 1 GiB",
        "1025, 1.0 GiB",
        "14080, 13.8 GiB",
        "81920, 80 GiB",
        "84480, 82.5 GiB",
        "10239999, 10000.0 GiB",
        "10240000, 10000 GiB",
        "1945600000, 1900000 GiB",
    })
    void anAmountHasTheUnitInWhichItIsRead(long mib, String text) {
        assertThat(Memory.ofMib(mib).text()).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({
        "38656, 194560, 37.8/190 GiB",
        "0, 15360, 0/15 GiB",
        "512, 15360, 0.5/15 GiB",
        "512, 768, 512/768 MiB",
        "5120000, 10240000, 5000/10000 GiB",
    })
    void aPartHasTheUnitOfTheWhole(long mib, long whole, String text) {
        assertThat(Memory.ofMib(mib).of(Memory.ofMib(whole), "/")).isEqualTo(text);
    }

    @Test
    void aDifferenceIsNotRoundedAway() {
        Memory has = Memory.ofMib(81_900);
        Memory needed = Memory.ofMib(81_910);
        assertThat(has.text(needed) + " < " + needed.text(has)).isEqualTo("81900 MiB < 81910 MiB");
        assertThat(has.text(has)).isEqualTo("80.0 GiB");
        assertThat(Memory.ofMib(14_080).text(Memory.ofMib(14_336))).isEqualTo("13.8 GiB");
    }
}
