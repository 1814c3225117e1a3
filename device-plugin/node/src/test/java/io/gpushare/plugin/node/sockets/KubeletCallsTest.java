package io.gpushare.plugin.node.sockets;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class KubeletCallsTest {
    /** Otherwise it would go on with parts that are closed. */
    @Test
    void whatLosesItsInterruptIsWaitedFor() throws InterruptedException {
        KubeletCalls calls = new KubeletCalls();
        CountDownLatch begun = new CountDownLatch(1);
        AtomicBoolean ended = new AtomicBoolean();
        calls.execute(() -> {
            begun.countDown();
            sleep(60_000); // until the interrupt, which it forgets
            sleep(300);
            ended.set(true);
        });
        begun.await();
        calls.close();
        assertThat(ended).isTrue();
    }

    private static void sleep(long millis) {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException _) {
            // As a client's library may do.
        }
    }
}
