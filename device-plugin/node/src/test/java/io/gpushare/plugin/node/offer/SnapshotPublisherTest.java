package io.gpushare.plugin.node.offer;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.plugin.node.offer.SnapshotPublisher.Source;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SnapshotPublisherTest {

    private final AtomicInteger published = new AtomicInteger();

    @Test
    void nothingIsPublishedBeforeEverySourceWasRead() {
        try (SnapshotPublisher publisher = new SnapshotPublisher()) {
            publisher.read(Source.CARDS);
            publisher.read(Source.POD_RESOURCES);
            publisher.changed();
            publisher.start(published::incrementAndGet);
            assertThat(published).hasValue(0);

            publisher.read(Source.CORDONS);
            await().until(() -> published.get() == 1);
        }
    }

    @Test
    void changesThatComeTogetherArePublishedOnce() throws Exception {
        CountDownLatch first = new CountDownLatch(1);
        Semaphore pause = new Semaphore(0);
        try (SnapshotPublisher publisher = new SnapshotPublisher()) {
            for (Source source : Source.values()) {
                publisher.read(source);
            }
            publisher.start(() -> {
                published.incrementAndGet();
                first.countDown();
                pause.acquireUninterruptibly();
            });
            first.await();
            for (int i = 0; i < 100; i++) {
                publisher.changed();
            }
            pause.release(2);
            await().until(() -> published.get() == 2 && pause.availablePermits() == 0);
        }
        assertThat(published).hasValue(2);
    }
}
