package io.gpushare.plugin.node.cluster;

import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.time.PeriodicTask;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Renews this node's Lease, so that the extender knows that the plugin reaches the API server, and reports when it does
 * not: then the kubelet's next pod is unknown to the plugin. A refused renewal is a response too.
 */
public final class NodeLease implements AutoCloseable {
    /**
     * The delays of the renewals.
     *
     * @param renewal after a response
     * @param retry after an attempt without a response
     * @param patience the time without a response after which the API server counts as lost
     */
    public record Pace(Duration renewal, Duration retry, Duration patience) {
        public static final Pace USUAL =
                new Pace(Duration.ofSeconds(10), Duration.ofSeconds(2), Duration.ofSeconds(15));
    }

    /** The calls for the Lease. */
    public interface Calls {
        /** Renews it, or creates it. */
        void renew() throws KubernetesException;

        /** Gives it up, so that no renewal is expected. */
        void release() throws KubernetesException;
    }

    private static final Logger LOG = LoggerFactory.getLogger(NodeLease.class);
    private static final int SERVER_ERROR = 500;

    private final Calls calls;
    private final Runnable changed;
    private final Pace pace;
    private final LongSupplier nanos;
    private final PeriodicTask task = new PeriodicTask("node-lease", this::step);
    private volatile boolean lost;

    // Only the thread uses the fields below.
    private long heard;
    private String refusal = "";

    /**
     * Makes a Lease that is not renewed before {@link #start}.
     *
     * @param changed is run when {@link #lost} changes
     * @param nanos a monotonic clock
     */
    public NodeLease(Calls calls, Runnable changed, Pace pace, LongSupplier nanos) {
        this.calls = calls;
        this.changed = changed;
        this.pace = pace;
        this.nanos = nanos;
        this.heard = nanos.getAsLong();
    }

    /** Starts to renew. */
    public NodeLease start() {
        task.start();
        return this;
    }

    /** Whether the API server has not responded for the time of patience. */
    public boolean lost() {
        return lost;
    }

    /** Renews once; returns the time until the next attempt. */
    Duration step() {
        try {
            calls.renew();
            return responded("");
        } catch (KubernetesException e) {
            String message = String.valueOf(e.getMessage());
            boolean response = e.status() != 0 && e.status() < SERVER_ERROR;
            return response ? responded(message) : silent(message);
        }
    }

    private Duration responded(String refused) {
        heard = nanos.getAsLong();
        if (lost) {
            LOG.info("the API server responds again: free devices are offered");
            lose(false);
        }
        if (!refused.equals(refusal) && !refused.isEmpty()) {
            LOG.warn("this node's Lease can't be renewed; apply the plugin's manifest of this version: {}", refused);
        }
        refusal = refused;
        return pace.renewal();
    }

    private Duration silent(String message) {
        Duration left = pace.patience().minusNanos(nanos.getAsLong() - heard);
        if (!left.isPositive() && !lost) {
            LOG.warn(
                    "the API server has not responded for {} s: free devices are withdrawn until it does; {}",
                    pace.patience().toSeconds(),
                    message);
            lose(true);
        }
        return left.isPositive() && left.compareTo(pace.retry()) < 0 ? left : pace.retry();
    }

    private void lose(boolean now) {
        lost = now;
        changed.run();
    }

    /** Stops, and releases the Lease: gpushare's plugin, which renews none, may follow. */
    @Override
    public void close() {
        task.close();
        try {
            if (!lost) {
                calls.release();
            }
        } catch (KubernetesException e) {
            LOG.warn("this node's Lease is not released: {}", e.getMessage());
        }
    }
}
