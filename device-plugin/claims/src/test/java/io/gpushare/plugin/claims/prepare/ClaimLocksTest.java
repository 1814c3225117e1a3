package io.gpushare.plugin.claims.prepare;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

class ClaimLocksTest {
    private static final Duration SOON = Duration.ofSeconds(10);

    private final ClaimLocks locks = new ClaimLocks();

    @Test
    void callsForOneClaimFollowEachOtherAndThoseForAnotherDoNotWait() throws Exception {
        List<String> order = new CopyOnWriteArrayList<>();
        Thread second;
        try (ClaimLocks.Held _ = locks.lock("a")) {
            second = Thread.ofPlatform().start(() -> {
                try (ClaimLocks.Held _ = locks.lock("a")) {
                    order.add("second");
                }
            });
            await().until(() -> second.getState() == Thread.State.WAITING);
            try (ClaimLocks.Held _ = locks.lock("b")) {
                order.add("other");
            }
            order.add("first");
        }
        assertThat(second.join(SOON)).isTrue();
        assertThat(order).containsExactly("other", "first", "second");
    }

    @Test
    void nothingIsKeptOfAClaimThatNobodyWorksOn() {
        try (ClaimLocks.Held _ = locks.lock("a")) {
            assertThat(locks.size()).isOne();
        }
        assertThat(locks.size()).isZero();
    }
}
