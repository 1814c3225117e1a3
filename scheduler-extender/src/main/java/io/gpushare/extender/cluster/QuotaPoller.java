package io.gpushare.extender.cluster;

import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.model.Quota;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lists the ResourceQuotas periodically while this extender leads, if it has the optional permission. It does not
 * watch: what they count changes with every pod, and is shown to users only.
 */
public final class QuotaPoller {
    private static final Logger LOG = LoggerFactory.getLogger(QuotaPoller.class);
    private static final Duration PERIOD = Duration.ofSeconds(15);
    // Whether the permission was granted meanwhile.
    private static final Duration CHECK_AGAIN = Duration.ofMinutes(1);
    private static final int FORBIDDEN = 403;
    private static final int NONE = -1;

    /** Reads the quotas. */
    @FunctionalInterface
    public interface Reader {
        List<Quota> quotas() throws KubernetesException;
    }

    private final Reader reader;
    private final BooleanSupplier ready;
    private volatile List<Quota> quotas = List.of();
    // The status of the last failure, which is logged once; 0 for no response. Only the thread uses it.
    private int failure = NONE;

    /** @param ready whether this extender leads and its ledger is current */
    public QuotaPoller(Reader reader, BooleanSupplier ready) {
        this.reader = reader;
        this.ready = ready;
    }

    /** The quotas as last read; empty without the permission. */
    public List<Quota> quotas() {
        return quotas;
    }

    /** Starts a thread that ends with the process, or when it is interrupted. */
    public Thread start() {
        return Thread.ofVirtual().name("quotas").start(this::run);
    }

    private void run() {
        try {
            while (true) {
                Thread.sleep(step());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Reads once, and returns the time until it has to read again. */
    Duration step() {
        if (!ready.getAsBoolean()) {
            quotas = List.of();
            return Duration.ofSeconds(1);
        }
        try {
            quotas = reader.quotas();
            failure = NONE;
            return PERIOD;
        } catch (KubernetesException e) {
            if (e.status() == FORBIDDEN) {
                quotas = List.of();
            }
            if (e.status() != failure) {
                failure = e.status();
                LOG.info(
                        "{}",
                        e.status() == FORBIDDEN
                                ? "quotas of namespaces are not shown: apply deploy/quotas to"
                                        + " allow this program to list them"
                                : "quotas are not read now: " + e.getMessage());
            }
            return e.status() == FORBIDDEN ? CHECK_AGAIN : PERIOD;
        } catch (RuntimeException e) {
            LOG.error("reading the quotas failed; the next round tries again", e);
            return CHECK_AGAIN;
        }
    }
}
