package io.gpushare.simulated.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class QuantitiesTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0, 0",
        "2k, 2k, 2000",
        "2000, 2k, 2000",
        "1500, 1500, 1500",
        "1.5k, 1500, 1500",
        "3000m, 3, 3",
        "0.5, 500m, 0.5",
        "-1, -1, -1",
        "2e3, 2e3, 2000",
        "1e2, 100, 100",
        "1024Mi, 1Gi, 1073741824",
        "1.5Gi, 1536Mi, 1610612736",
        "0.5Ki, 512, 512",
        "1e-12, 1e-9, 0.000000001",
    })
    void haveTheCanonicalFormOfTheApiServer(String text, String canonical, String amount) {
        assertThat(Quantities.canonical(text)).isEqualTo(canonical);
        assertThat(Quantities.parse(text)).isEqualByComparingTo(amount);
        assertThat(Quantities.parse(canonical)).isEqualByComparingTo(amount);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "two", "2 k", "2kB", "1.2.3", "k", "1e999999999"})
    void otherTextsAreNone(String text) {
        assertThatThrownBy(() -> Quantities.canonical(text)).hasMessage("not a quantity: " + text);
    }
}
