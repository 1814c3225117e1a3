package io.gpushare.insight;

import io.gpushare.extender.Extender;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends the process after a signal: finishes requests in flight, gives the Lease back, keeps the address of its pod for
 * some seconds and exits with 0.
 */
final class Shutdown {
    private static final Logger LOG = LoggerFactory.getLogger(Shutdown.class);
    // The calls of a bind end within this.
    private static final Duration GRACE = Duration.ofSeconds(20);
    // kube-proxy sends connections to a pod until it has read that the pod terminates. While the process runs, they are
    // refused at once. To an address without a pod they wait for kube-scheduler's httpTimeout.
    private static final Duration KUBE_PROXY = Duration.ofSeconds(5);

    private Shutdown() {}

    /** @param inPod whether callers reach this process through a Service */
    static void end(Extender extender, boolean inPod) {
        LOG.info("shutting down: finishing requests in flight");
        int code = 0;
        try {
            extender.stop(GRACE);
            LOG.info("stopped");
        } catch (IOException e) {
            LOG.warn("stopped with requests in flight: {}", e.getMessage());
            code = 1;
        }
        if (inPod) {
            LockSupport.parkNanos(KUBE_PROXY.toNanos());
        }
        // After a signal the JVM would exit with 128 plus its number, whatever its hooks do; a requested end is 0.
        // The informers end with the process: closing them first would only log that they were interrupted.
        Runtime.getRuntime().halt(code);
    }
}
