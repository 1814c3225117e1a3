package io.gpushare.nvml;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.nvml.process.DriverVersion;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DriverVersionTest {
    @Test
    void theFirstTwoNumbersAreRead() {
        assertThat(DriverVersion.parse("535.54.03")).contains(new DriverVersion(535, 54));
        assertThat(DriverVersion.parse(" 610.43")).contains(new DriverVersion(610, 43));
        assertThat(DriverVersion.parse("535.104.05-grid")).contains(new DriverVersion(535, 104));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "N/A", "535", "535.", ".54", "535.x", "v535.54", "99999999999.1", "535.99999999999"})
    void anotherTextIsNoVersion(String text) {
        assertThat(DriverVersion.parse(text)).isEmpty();
    }
}
