package io.gpushare.model.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NearestNameTest {
    private static final List<String> KNOWN = List.of("gpu-mem", "gpu-count", "aaaa");

    @ParameterizedTest
    @CsvSource({
        "gpu-mem, gpu-mem",
        "gpu-memory, gpu-mem",
        "gpu-men, gpu-mem",
        "gup-mem, gpu-mem",
        "xgpu-mexmx, gpu-mem",
        "gpu_counts, gpu-count",
        "aa, aaaa",
        "aaaaaaa, aaaa",
        "baaaab, aaaa",
        "abab, aaaa",
    })
    void theNameWithTheFewestEditsIsNearest(String written, String nearest) {
        assertThat(NearestName.of(written, KNOWN)).contains(nearest);
    }

    @ParameterizedTest
    @CsvSource({"gpu-memories", "mem", "aaaaaaaa", "unrelated", "upg-nnn"})
    void noNameIsNearWithMoreThanThreeEdits(String written) {
        assertThat(NearestName.of(written, KNOWN)).isEmpty();
    }

    @Test
    void anEmptyOrHugeNameIsNearNothing() {
        assertThat(NearestName.of("", KNOWN)).isEmpty();
        assertThat(NearestName.of("g".repeat(250_000), KNOWN)).isEmpty();
    }
}
