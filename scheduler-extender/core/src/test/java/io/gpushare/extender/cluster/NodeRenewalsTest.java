package io.gpushare.extender.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class NodeRenewalsTest {
    private final NodeRenewals renewals = new NodeRenewals();
    private final Map<String, String> versions = new HashMap<>(Map.of("n1", "1", "n2", "1"));
    private long nanos = Long.MAX_VALUE - Duration.ofSeconds(30).toNanos(); // the clock may overflow

    @Test
    void aNodeWhoseLeaseDoesNotChangeFor40SecondsIsStaleUntilItChanges() {
        assertThat(read()).isEmpty();
        for (int seconds = 10; seconds <= 30; seconds += 10) {
            assertThat(after(10, "n2")).as("after %d s", seconds).isEmpty();
        }
        assertThat(after(10, "n2")).containsExactly("n1");
        assertThat(after(10, "n1", "n2")).isEmpty();
    }

    @Test
    void aNodeWithoutALeaseIsNotStale() {
        read();
        versions.remove("n1");
        assertThat(after(100, "n2")).isEmpty();
        for (int i = 0; i < 10; i++) {
            assertThat(after(10, "n2")).isEmpty();
        }
    }

    @Test
    void afterAnInterruptionEachNodeHasAFreshPeriod() {
        read();
        after(10, "n1", "n2");
        assertThat(after(600)).as("the API server was away for everyone").isEmpty();
        assertThat(after(20)).isEmpty();
        assertThat(after(20)).containsExactlyInAnyOrder("n1", "n2");
    }

    @Test
    void aStaleNodeStaysStaleThroughAnInterruptionUnlessItRenewed() {
        read();
        for (int i = 0; i < 4; i++) {
            after(10);
        }
        assertThat(after(600, "n2")).containsExactly("n1");
    }

    private Set<String> after(int seconds, String... renewed) {
        nanos += Duration.ofSeconds(seconds).toNanos();
        for (String node : renewed) {
            versions.merge(node, "1", String::concat);
        }
        return read();
    }

    private Set<String> read() {
        return renewals.read(versions, nanos);
    }
}
