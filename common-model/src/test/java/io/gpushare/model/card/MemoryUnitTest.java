package io.gpushare.model.card;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MemoryUnitTest {
    @ParameterizedTest
    @CsvSource({"GiB,1024,GiB", "MiB,1,1MiB", "256MiB,256,256MiB", "1024MiB,1024,GiB"})
    void unitsSurviveTheirTextForm(String text, long mib, String written) {
        MemoryUnit unit = MemoryUnit.parse(text);
        assertThat(unit.size()).isEqualTo(Memory.ofMib(mib));
        assertThat(unit).hasToString(written);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Mib", "MiB/", "gib", "0MiB", "-1MiB", "1.5MiB", "2GiB", "99999999999MiB"})
    void unitsThatGpushareSilentlyReadAsGibAreRejected(String text) {
        assertThatThrownBy(() -> MemoryUnit.parse(text)).hasMessageContaining("write GiB, or a number of MiB");
    }

    @Test
    void onlyWholeUnitsOfACardAreOffered() {
        assertThat(MemoryUnit.GIB.unitsIn(Memory.ofMib(15109))).isEqualTo(14);
        assertThat(MemoryUnit.GIB.unitsIn(Memory.ofMib(16130))).isEqualTo(15);
    }

    @Test
    void anAmountOfUnitsIsReadInGib() {
        assertThat(MemoryUnit.ofMib(256).amount(151)).isEqualTo("37.8 GiB");
        assertThat(MemoryUnit.GIB.amount(8)).isEqualTo("8 GiB");
        assertThat(MemoryUnit.ofMib(999_999_999).amount(Integer.MAX_VALUE)).isEqualTo("8589934592.0 GiB");
    }

    @Test
    void unitsOfAnotherSizeAreRoundedUp() {
        assertThat(MemoryUnit.GIB.unitsCovering(3, MemoryUnit.ofMib(256))).isEqualTo(1);
        assertThat(MemoryUnit.ofMib(256).unitsCovering(3, MemoryUnit.GIB)).isEqualTo(12);
        assertThat(MemoryUnit.ofMib(1).unitsCovering(Integer.MAX_VALUE, MemoryUnit.GIB))
                .isEqualTo(Integer.MAX_VALUE);
        assertThat(MemoryUnit.ofMib(1).unitsCovering(Integer.MAX_VALUE, MemoryUnit.ofMib(999_999_999)))
                .isEqualTo(Integer.MAX_VALUE);
    }
}
