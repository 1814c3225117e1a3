package io.gpushare.e2e.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.e2e.chaos.Fault.Kind;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class InterruptionsTest {
    private final Interruptions interruptions = new Interruptions();

    @Test
    void aPlannedRestartIsNoExcuse() {
        hit(Kind.PLUGIN_REPLACE, 0, 10);
        hit(Kind.LEADER_KILL, 0, 12);
        hit(Kind.PLUGIN_KILL, 1, 15);
        assertThat(on(0, 20)).containsExactly(Kind.PLUGIN_REPLACE);
        assertThat(Interruptions.planned(on(0, 20))).isTrue();
        hit(Kind.NODE_MOVE_BRIEF, 0, 15);
        assertThat(Interruptions.planned(on(0, 20))).isTrue();
        assertThat(Interruptions.planned(on(1, 20))).isFalse();
        hit(Kind.API_KILL, 0, 18);
        assertThat(Interruptions.planned(on(0, 20))).isFalse();
    }

    @Test
    void aFaultIsAnExcuseWhileItLastsAndAMinuteAfterwards() {
        interruptions.add(
                new Fault(Duration.ZERO, Kind.PLUGIN_CUT_OFF, 0, 0, Duration.ofSeconds(30)), Duration.ofSeconds(10));
        assertThat(Interruptions.planned(on(0, 9))).isFalse();
        assertThat(on(0, 100)).containsExactly(Kind.PLUGIN_CUT_OFF);
        assertThat(on(0, 101)).isEqualTo(EnumSet.noneOf(Kind.class));
    }

    private void hit(Kind kind, int node, int second) {
        interruptions.add(new Fault(Duration.ZERO, kind, node, 0, Duration.ZERO), Duration.ofSeconds(second));
    }

    private Set<Kind> on(int node, int second) {
        return interruptions.on(node, Duration.ofSeconds(second));
    }
}
