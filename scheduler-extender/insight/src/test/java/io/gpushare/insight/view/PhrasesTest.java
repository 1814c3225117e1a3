package io.gpushare.insight.view;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PhrasesTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0 MiB",
        "1023, 1023 MiB",
        "1024, 1.0 GiB",
        "10239999, 10000.0 GiB",
        "10240000, 9.8 TiB",
        "1945600000, 1855.5 TiB",
    })
    void anAmountHasTheUnitInWhichItIsRead(long mib, String text) {
        assertThat(Phrases.size(mib << 20)).isEqualTo(text);
    }
}
