package io.gpushare.insight.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class LeavingTextTest {
    private static final Instant DEADLINE = Instant.parse("2026-11-20T12:05:00Z");

    /** The kubelet kills the containers at the deadline, and the pod is gone seconds later. */
    @Test
    void aPodIsOverdueAMinuteAfterItsDeadline() {
        assertThat(LeavingText.ofPod(DEADLINE, DEADLINE.plusSeconds(59), "n1", null))
                .isEqualTo("It is being deleted, by 12:05:00 UTC at the latest.");
        assertThat(LeavingText.ofPod(DEADLINE, DEADLINE.plusSeconds(60), "n1", null))
                .startsWith("It is being deleted, and overdue since 12:05:00 UTC: the kubelet of node n1");
    }
}
