package io.gpushare.plugin.node.sockets;

import io.gpushare.time.Machine;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads in which the kubelet's calls are handled. A server that has ended has no calls any more, but one that the
 * kubelet has given up may still be handled.
 */
public final class KubeletCalls implements Executor, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(KubeletCalls.class);
    private static final Duration LONGEST_END = Duration.ofSeconds(5);

    private final ExecutorService threads =
            Executors.newThreadPerTaskExecutor(Machine.here().threads("kubelet-call-"));

    @Override
    public void execute(Runnable call) {
        threads.execute(call);
    }

    /** Interrupts what is still handled and waits for its end, as the parts that it needs are closed next. */
    @Override
    public void close() {
        threads.shutdownNow();
        try {
            if (!threads.awaitTermination(LONGEST_END.toMillis(), TimeUnit.MILLISECONDS)) {
                LOG.warn("a call of the kubelet does not end");
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
