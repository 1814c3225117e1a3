package io.gpushare.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RoundsTest {
    private static final Duration LONGEST = Duration.ofSeconds(10);

    @Test
    void aFailureEndsOnlyItsRoundAndAnInterruptEndsTheThread() throws InterruptedException {
        CountDownLatch rounds = new CountDownLatch(3);
        Thread thread = Rounds.start("test", Duration.ofMillis(1), () -> {
            rounds.countDown();
            throw new IllegalStateException("expected by the test");
        });
        assertThat(rounds.await(LONGEST.toSeconds(), TimeUnit.SECONDS)).isTrue();
        thread.interrupt();
        assertThat(thread.join(LONGEST)).isTrue();
    }

    @Test
    void aLongRoundIsFollowedByALongerRest() throws InterruptedException {
        List<Long> began = new CopyOnWriteArrayList<>();
        CountDownLatch rounds = new CountDownLatch(2);
        Thread thread = Rounds.start("test", Duration.ZERO, 4, () -> {
            began.add(System.nanoTime());
            rounds.countDown();
            Thread.sleep(50);
        });
        assertThat(rounds.await(LONGEST.toSeconds(), TimeUnit.SECONDS)).isTrue();
        thread.interrupt();
        thread.join();
        assertThat(Duration.ofNanos(began.get(1) - began.get(0))).isGreaterThanOrEqualTo(Duration.ofMillis(250));
    }
}
