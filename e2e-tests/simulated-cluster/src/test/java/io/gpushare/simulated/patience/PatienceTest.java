package io.gpushare.simulated.patience;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class PatienceTest {
    @Test
    void aQuietMachineGetsTheWaitAsItIs() {
        assertThat(Patience.factor("0.20 0.18 0.12 1/80 11206", 2)).isEqualTo(1);
    }

    @Test
    void theLastMinuteCounts() {
        assertThat(Patience.factor("9.00 1.00 0.50 3/400 99", 2)).isEqualTo(4.5);
    }

    @Test
    void aMachineThatBecameBusyJustNowCounts() {
        assertThat(Patience.factor("0.50 0.50 0.50 12/400 99", 2)).isEqualTo(6);
    }

    @Test
    void noMachineIsWaitedForWithoutEnd() {
        assertThat(Patience.factor("900.00 1.00 0.50 3/4000 99", 2)).isEqualTo(10);
        assertThat(Patience.scaled(Duration.ofSeconds(30), 10)).isEqualTo(Duration.ofMinutes(5));
    }

    @Test
    void thisMachineCanBeMeasured() {
        assertThat(Patience.of(Patience.USUAL)).isBetween(Duration.ofSeconds(30), Duration.ofMinutes(5));
    }
}
