package io.gpushare.nvml;

import static io.gpushare.nvml.SimulatedDriver.UUID_A;
import static io.gpushare.nvml.SimulatedDriver.UUID_B;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.gpushare.nvml.library.NvmlException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class XidWatchTest {
    private static final String CARD_A = "card kind=T4 uuid=" + UUID_A;
    private static final String CARD_B = "card kind=T4 uuid=" + UUID_B;
    private static final Duration NOW = Duration.ZERO;
    private static final Duration LONG = Duration.ofSeconds(30);

    @RegisterExtension
    private final SimulatedDriver driver = SimulatedDriver.current();

    @Test
    void anXidIsReportedOnceAndAgainWhenItsSequenceChanges() throws Exception {
        driver.write(CARD_A, CARD_B);
        try (Nvml nvml = driver.open();
                XidWatch watch = nvml.watchXids(List.of(UUID_A, UUID_B))) {
            assertThat(watch.unwatched()).isEmpty();
            assertThat(watch.await(NOW)).isEmpty();
            driver.write(CARD_A, CARD_B + " xid=79#1");
            assertThat(watch.await(LONG)).contains(new XidEvent(Optional.of(UUID_B), 79));
            assertThat(watch.await(NOW)).isEmpty();
            driver.write(CARD_A + " temperature=50", CARD_B + " xid=79#1");
            assertThat(watch.await(NOW)).isEmpty();
            driver.write(CARD_A, CARD_B + " xid=79#2");
            assertThat(watch.await(LONG)).contains(new XidEvent(Optional.of(UUID_B), 79));
            assertThat(watch.await(NOW)).isEmpty();
        }
    }

    @Test
    void allXidsOfAllCardsArrive() throws Exception {
        driver.write(CARD_A, CARD_B);
        try (Nvml nvml = driver.open();
                XidWatch watch = nvml.watchXids(List.of(UUID_A, UUID_B))) {
            driver.write(CARD_A + " xid=48#1,63#1", CARD_B + " xid=13#1");
            assertThat(List.of(watch.await(LONG), watch.await(LONG), watch.await(LONG)))
                    .containsExactlyInAnyOrder(
                            Optional.of(new XidEvent(Optional.of(UUID_A), 48)),
                            Optional.of(new XidEvent(Optional.of(UUID_A), 63)),
                            Optional.of(new XidEvent(Optional.of(UUID_B), 13)));
            assertThat(watch.await(NOW)).isEmpty();
        }
    }

    @Test
    void anXidThatReturnsToTheFileIsNew() throws Exception {
        driver.write(CARD_A);
        try (Nvml nvml = driver.open();
                XidWatch watch = nvml.watchXids(List.of(UUID_A))) {
            driver.write(CARD_A + " xid=79#1");
            assertThat(watch.await(LONG)).isPresent();
            driver.write(CARD_A);
            assertThat(watch.await(NOW)).isEmpty();
            driver.write(CARD_A + " xid=79#1");
            assertThat(watch.await(LONG)).isPresent();
        }
    }

    @Test
    void earlierXidsAreNotReportedAndEachWatchIsIndependent() throws Exception {
        driver.write(CARD_A + " xid=79#1");
        try (Nvml nvml = driver.open();
                XidWatch one = nvml.watchXids(List.of(UUID_A));
                XidWatch other = nvml.watchXids(List.of(UUID_A))) {
            assertThat(one.await(NOW)).isEmpty();
            driver.write(CARD_A + " xid=79#1,94#1");
            assertThat(one.await(LONG)).map(XidEvent::xid).contains(94L);
            assertThat(other.await(LONG)).map(XidEvent::xid).contains(94L);
        }
    }

    @Test
    void aCardThatFallsOffTheBusReportsItsXidBeforeTheLoss() throws Exception {
        driver.write(CARD_A);
        try (Nvml nvml = driver.open();
                XidWatch watch = nvml.watchXids(List.of(UUID_A))) {
            driver.write(CARD_A + " xid=79#1 lost");
            assertThat(watch.await(LONG)).contains(new XidEvent(Optional.of(UUID_A), 79));
            assertThatThrownBy(() -> watch.await(LONG)).isInstanceOf(NvmlException.CardLost.class);
            assertThat(watch.await(NOW)).isEmpty();
            driver.write(CARD_A);
            assertThat(watch.await(NOW)).isEmpty();
            driver.write(CARD_A + " xid=94#1");
            assertThat(watch.await(LONG)).map(XidEvent::xid).contains(94L);
        }
    }

    @Test
    void aLateXidOfALostCardNamesIt() throws Exception {
        driver.write(CARD_A, CARD_B);
        try (Nvml nvml = driver.open()) {
            nvml.cards();
            driver.write(CARD_A + " lost", CARD_B);
            try (XidWatch watch = nvml.watchXids(List.of(UUID_B))) {
                driver.write(CARD_A + " lost xid=79#1", CARD_B);
                assertThat(watch.await(LONG)).contains(new XidEvent(Optional.of(UUID_A), 79));
                assertThat(watch.await(NOW)).isEmpty();
            }
        }
    }

    @Test
    void anXidOfACardThatNeverReportedItsUuidNamesNone() throws Exception {
        driver.write(CARD_A + " lost", CARD_B);
        try (Nvml nvml = driver.open();
                XidWatch watch = nvml.watchXids(List.of(UUID_B))) {
            for (String failure : List.of("lost", "lost error=999")) {
                driver.write(CARD_A + " " + failure + " xid=79#" + failure.length(), CARD_B);
                assertThat(watch.await(LONG)).contains(new XidEvent(Optional.empty(), 79));
            }
        }
    }

    @Test
    void aDriverThatDoesNotFindTheNewerWaitIsAskedThroughTheOlder() throws Exception {
        driver.write("driver fails=nvmlEventSetWait_v2:13", CARD_A);
        try (Nvml nvml = driver.open();
                XidWatch watch = nvml.watchXids(List.of(UUID_A))) {
            driver.write("driver fails=nvmlEventSetWait_v2:13", CARD_A + " xid=79#1");
            assertThat(watch.await(LONG)).contains(new XidEvent(Optional.of(UUID_A), 79));
        }
    }

    @Test
    void cardsWithoutEventsAreListed() throws Exception {
        driver.write(CARD_A + " events=off", CARD_B, "card kind=T4 lost");
        try (Nvml nvml = driver.open();
                XidWatch watch = nvml.watchXids(List.of(UUID_A, UUID_B))) {
            assertThat(watch.unwatched()).containsExactly(UUID_A);
            driver.write(CARD_A + " events=off xid=79#1", CARD_B + " xid=95#1");
            assertThat(watch.await(LONG)).contains(new XidEvent(Optional.of(UUID_B), 95));
        }
    }

    @Test
    void anXidWakesAWaitingThread() throws Exception {
        driver.write(CARD_A);
        try (Nvml nvml = driver.open();
                XidWatch watch = nvml.watchXids(List.of(UUID_A))) {
            CompletableFuture<Optional<XidEvent>> waiting = waitIn(watch);
            driver.write(CARD_A + " xid=79#1");
            assertThat(waiting.get(LONG.toSeconds(), TimeUnit.SECONDS)).isPresent();
        }
    }

    @Test
    void closingTheSessionEndsAWaitAndTheWatch() throws Exception {
        driver.write(CARD_A);
        Nvml nvml = driver.open();
        XidWatch watch = nvml.watchXids(List.of(UUID_A));
        CompletableFuture<Optional<XidEvent>> waiting = waitIn(watch);
        nvml.close();
        watch.close();
        nvml.close();
        assertThat(waiting.handle((event, failure) -> failure == null ? event : Optional.empty())
                        .get(LONG.toSeconds(), TimeUnit.SECONDS))
                .isEmpty();
        assertThatThrownBy(() -> watch.await(NOW)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(nvml::cards)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("open another");
    }

    private static CompletableFuture<Optional<XidEvent>> waitIn(XidWatch watch) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return watch.await(LONG);
            } catch (NvmlException e) {
                throw new IllegalStateException(e);
            }
        });
    }
}
