package io.gpushare.e2e.load;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ProcessorsTest {
    @Test
    void rangesAndSingleOnes() {
        assertThat(Processors.each("3")).containsExactly(3);
        assertThat(Processors.each("0-3,7,9-10")).containsExactly(0, 1, 2, 3, 7, 9, 10);
    }

    @Test
    void thisProgramMayRunSomewhere() throws Exception {
        assertThat(Processors.each(Processors.allowed()))
                .hasSizeGreaterThanOrEqualTo(Runtime.getRuntime().availableProcessors());
    }
}
