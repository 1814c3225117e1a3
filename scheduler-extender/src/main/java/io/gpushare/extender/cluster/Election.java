package io.gpushare.extender.cluster;

import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.kubernetes.LeaseState;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Objects;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who holds the Lease, a step at a time, by client-go's rules: what another wrote is only compared, never its clock's time,
 * and it may be taken when it has not changed for the lease's length by our own monotonic clock. Our own hold ends by
 * that clock too, from before the call that renewed it, and earlier: so the old holder has stopped before a new one is.
 */
final class Election {
    private static final Logger LOG = LoggerFactory.getLogger(Election.class);

    /**
     * The lengths of things.
     *
     * @param lease for how long nobody else takes it after the last renewal
     * @param renew for how long we hold it after the last renewal; what is left of the lease is for the calls under way
     * @param retry between two steps
     */
    record Timing(Duration lease, Duration renew, Duration retry) {
        static final Timing ORDINARY =
                new Timing(Duration.ofSeconds(15), Duration.ofSeconds(10), Duration.ofSeconds(2));
    }

    private final LeaseStore store;
    private final String identity;
    private final Timing timing;
    private final LongSupplier nanos;
    private final InstantSource clock;
    // What we wrote last, while nothing speaks against it.
    private @Nullable LeaseState holding;
    private String observedVersion = "";
    private long observedAt;
    // Whether it was not ours at some time since our last term began.
    private boolean lapsed = true;
    private boolean over;
    private volatile long term;
    private volatile long until;

    /** @param identity unique to this process: who finds it in the Lease is its holder, whatever answer got lost */
    Election(LeaseStore store, String identity, Timing timing, LongSupplier nanos, InstantSource clock) {
        this.store = store;
        this.identity = identity;
        this.timing = timing;
        this.nanos = nanos;
        this.clock = clock;
        this.until = nanos.getAsLong();
    }

    /** Whether the Lease is ours now, so that nobody else acts. */
    boolean held() {
        return until - nanos.getAsLong() > 0;
    }

    /** A number that grows whenever it comes to us after it was not ours. */
    long term() {
        return term;
    }

    /** Tries once to get or to renew it; blocks for its calls. */
    synchronized void step() {
        if (over) {
            return;
        }
        boolean before = held();
        try {
            attempt();
        } catch (KubernetesException e) {
            // Whether it was written or not, the next step looks.
            holding = null;
            if (e.status() != 409) {
                LOG.warn("{}", e.getMessage());
            }
        }
        if (before != held()) {
            LOG.info(held() ? "leading as {}" : "not leading any more: the lease of {} could not be renewed", identity);
        }
    }

    private synchronized void attempt() throws KubernetesException {
        long began = nanos.getAsLong();
        @Nullable LeaseState known = holding;
        if (known == null) {
            known = free();
            if (known == null) {
                return;
            }
        }
        holding = store.hold(known, identity, timing.lease(), clock.instant());
        if (lapsed) {
            lapsed = false;
            term++;
        }
        until = began + timing.renew().toNanos();
    }

    /** The Lease if it is ours already or may be taken; null if another holds it. */
    private @Nullable LeaseState free() throws KubernetesException {
        Optional<LeaseState> read = store.read();
        if (read.isEmpty()) {
            lapsed = true;
            store.create();
            read = store.read();
        }
        LeaseState found = read.orElse(null);
        if (found == null || found.holder().equals(identity)) {
            return found;
        }
        lapsed = true;
        if (found.holder().isEmpty()) {
            return found;
        }
        long now = nanos.getAsLong();
        until = now; // what is written says that it is not ours, whatever we thought
        if (!Objects.equals(found.version(), observedVersion)) {
            observedVersion = found.version();
            observedAt = now;
            return null;
        }
        Duration length = Duration.ofSeconds(Math.max(timing.lease().toSeconds(), found.seconds()));
        return now - observedAt >= length.toNanos() ? found : null;
    }

    /** Takes part no more; gives the Lease back if it is ours. */
    synchronized void end() {
        over = true;
        @Nullable LeaseState mine = holding;
        until = nanos.getAsLong();
        if (mine == null) {
            return;
        }
        try {
            store.release(mine);
            LOG.info("the lease is given back");
        } catch (KubernetesException e) {
            LOG.warn("the lease ends by itself: {}", e.getMessage());
        }
    }
}
