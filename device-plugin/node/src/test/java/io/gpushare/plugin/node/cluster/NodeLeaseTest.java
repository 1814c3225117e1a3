package io.gpushare.plugin.node.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.kubernetes.KubernetesException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class NodeLeaseTest {
    private static final int NO_RESPONSE = 0;

    private long nanos = Long.MAX_VALUE - Duration.ofSeconds(20).toNanos(); // the clock may overflow
    private int changes;
    private int released;
    private @Nullable Integer failure;
    private final NodeLease lease = new NodeLease(
            new NodeLease.Calls() {
                @Override
                public void renew() throws KubernetesException {
                    if (failure != null) {
                        throw new KubernetesException(failure, "status " + failure, null);
                    }
                }

                @Override
                public void release() {
                    released++;
                }
            },
            () -> changes++,
            NodeLease.Pace.USUAL,
            () -> nanos);

    @Test
    void theApiServerIsLostAfter15SecondsWithoutAResponseAndFoundWithTheNextOne() {
        assertThat(lease.step()).isEqualTo(Duration.ofSeconds(10));
        failure = NO_RESPONSE;
        pass(10);
        assertThat(lease.step()).isEqualTo(Duration.ofSeconds(2));
        pass(4);
        assertThat(lease.step()).as("until it counts as lost").isEqualTo(Duration.ofSeconds(1));
        assertThat(lease.lost()).isFalse();
        pass(1);
        lease.step();
        assertThat(lease.lost()).isTrue();
        pass(1000);
        assertThat(lease.step()).isEqualTo(Duration.ofSeconds(2));
        assertThat(changes).isEqualTo(1);
        failure = null;
        lease.step();
        assertThat(lease.lost()).isFalse();
        assertThat(changes).isEqualTo(2);
    }

    @Test
    void aPluginThatStartsWithoutTheApiServerHas15Seconds() {
        failure = NO_RESPONSE;
        lease.step();
        assertThat(lease.lost()).isFalse();
        pass(15);
        lease.step();
        assertThat(lease.lost()).isTrue();
    }

    @Test
    void aRefusedRenewalIsAResponseAndAFailingServerIsNone() {
        failure = 403;
        pass(60);
        assertThat(lease.step()).isEqualTo(Duration.ofSeconds(10));
        assertThat(lease.lost()).isFalse();
        failure = 503;
        pass(15);
        lease.step();
        assertThat(lease.lost()).isTrue();
    }

    @Test
    void aPluginThatStopsReleasesTheLease() {
        lease.step();
        lease.close();
        assertThat(released).isEqualTo(1);
    }

    private void pass(int seconds) {
        nanos += Duration.ofSeconds(seconds).toNanos();
    }
}
