package io.gpushare.time;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.simulated.patience.Patience;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class PeriodicTaskTest {
    private static final Duration LONGEST = Patience.of(Patience.USUAL);

    @Test
    void aFailureEndsOnlyItsRoundAndCloseEndsTheThread() throws InterruptedException {
        CountDownLatch rounds = new CountDownLatch(3);
        PeriodicTask task = PeriodicTask.rounds("test", Duration.ofMillis(1), () -> {
            rounds.countDown();
            throw new IllegalStateException("expected by the test");
        });
        try (task) {
            task.start();
            assertThat(rounds.await(LONGEST.toSeconds(), TimeUnit.SECONDS)).isTrue();
        }
        assertThat(task.end(LONGEST)).isTrue();
    }

    @Test
    void aLongRoundIsFollowedByALongerRest() throws InterruptedException {
        List<Long> began = new CopyOnWriteArrayList<>();
        CountDownLatch rounds = new CountDownLatch(2);
        PeriodicTask task = PeriodicTask.rounds("test", Duration.ZERO, 4, () -> {
            began.add(System.nanoTime());
            rounds.countDown();
            Thread.sleep(50);
        });
        try (task) {
            task.start();
            assertThat(rounds.await(LONGEST.toSeconds(), TimeUnit.SECONDS)).isTrue();
        }
        assertThat(Duration.ofNanos(began.get(1) - began.get(0))).isGreaterThanOrEqualTo(Duration.ofMillis(250));
    }

    @Test
    void requestsThatComeTogetherCauseOneStep() throws InterruptedException {
        AtomicInteger steps = new AtomicInteger();
        try (PeriodicTask task = PeriodicTask.onRequest("test", Duration.ofMillis(50), () -> {
            steps.incrementAndGet();
            return PeriodicTask.ON_REQUEST;
        })) {
            task.runSoon();
            task.start();
            task.runSoon();
            await().until(() -> steps.get() == 1);
            // The step after the next request is the second, so no other one came between.
            task.runSoon();
            await().until(() -> steps.get() > 1);
            assertThat(steps).hasValue(2);
        }
    }

    @Test
    void endLetsTheStepFinishWithoutAnInterruptAndTakesNoOther() throws InterruptedException {
        CountDownLatch began = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        AtomicInteger finished = new AtomicInteger();
        PeriodicTask task = new PeriodicTask("test", () -> {
            began.countDown();
            goOn.await();
            finished.incrementAndGet();
            return Duration.ZERO;
        });
        try (task) {
            task.start();
            assertThat(began.await(LONGEST.toSeconds(), TimeUnit.SECONDS)).isTrue();
            assertThat(task.end(Duration.ofMillis(1))).isFalse();
            goOn.countDown();
            assertThat(task.end(LONGEST)).isTrue();
            assertThat(finished).hasValue(1);
        }
    }

    @Test
    void aTaskThatWasNotStartedEndsAtOnce() {
        try (PeriodicTask task = new PeriodicTask("test", () -> PeriodicTask.ON_REQUEST)) {
            assertThat(task.end(Duration.ZERO)).isTrue();
        }
    }
}
