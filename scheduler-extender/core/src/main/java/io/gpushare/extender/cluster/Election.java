package io.gpushare.extender.cluster;

import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.kubernetes.Leases;
import io.gpushare.time.Machine;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Acquires and renews the Lease step by step, by client-go's rules. The times that another holder wrote are never
 * compared with our clock: a Lease may be taken once it has not changed for its length by our monotonic clock. Our own
 * term ends by that clock too, counted from before the renewing call, and earlier, so that it is over before another
 * holder's begins.
 */
public final class Election {
    private static final Logger LOG = LoggerFactory.getLogger(Election.class);

    /**
     * The durations of an election.
     *
     * @param lease how long nobody else takes the Lease after the last renewal
     * @param renew how long we hold it after the last renewal; the rest of the lease covers calls in flight
     * @param retry the time between two steps
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
    /** Held during calls. */
    private final ReentrantLock turn = new ReentrantLock();
    // Our last write, unless it failed or another holder was seen.
    private Leases.@Nullable State holding;
    private String observedVersion = "";
    private long observedAt;
    // Whether the Lease was not ours at some time since our last term began.
    private boolean lapsed = true;
    private boolean over;
    private final AtomicLong term = new AtomicLong();
    private volatile long until;
    // Until then the last response counts.
    private volatile long heardUntil;

    /**
     * @param identity unique to this process, which is the holder if it finds it in the Lease, whatever response was
     *     lost
     */
    Election(LeaseStore store, String identity, Timing timing, LongSupplier nanos, InstantSource clock) {
        this.store = store;
        this.identity = identity;
        this.timing = timing;
        this.nanos = nanos;
        this.clock = clock;
        this.until = nanos.getAsLong();
        this.heardUntil = until;
    }

    /** The election for that Lease. */
    public static Election of(Leases lease, String identity) {
        return new Election(
                LeaseStore.of(lease), identity, Timing.ORDINARY, Machine.here()::nanos, Machine.here()::now);
    }

    /** Whether the Lease is ours now, so that no other extender acts, and a call that ends within 5 s may be sent. */
    public boolean held() {
        return until - nanos.getAsLong() > 0;
    }

    /** Whether the Lease was read or written within its length: only such a process could acquire it. */
    boolean hears() {
        return heardUntil - nanos.getAsLong() > 0;
    }

    /** A number that increases whenever the Lease becomes ours. */
    long term() {
        return term.get();
    }

    /** Tries once to acquire or renew the Lease; blocks during its calls. */
    void step() {
        turn.lock();
        try {
            tryOnce();
        } finally {
            turn.unlock();
        }
    }

    private void tryOnce() {
        if (over) {
            return;
        }
        boolean before = held();
        try {
            attempt();
            heardUntil = nanos.getAsLong() + timing.lease().toNanos();
        } catch (KubernetesException e) {
            // The next step reads whether it was written.
            holding = null;
            if (e.status() != 409) {
                LOG.warn("{}", e.getMessage());
            }
        }
        if (before != held()) {
            LOG.info(held() ? "leading as {}" : "no longer leading: the lease of {} could not be renewed", identity);
        }
    }

    private void attempt() throws KubernetesException {
        long began = nanos.getAsLong();
        Leases.@Nullable State known = holding;
        if (known == null) {
            known = free();
            if (known == null) {
                return;
            }
        }
        holding = store.hold(known, identity, timing.lease(), clock.instant());
        if (lapsed) {
            lapsed = false;
            term.incrementAndGet();
        }
        until = began + timing.renew().toNanos();
    }

    /** The Lease if it is ours already or may be taken; null if another holds it. */
    private Leases.@Nullable State free() throws KubernetesException {
        Optional<Leases.State> read = store.read();
        if (read.isEmpty()) {
            lapsed = true;
            store.create();
            read = store.read();
        }
        Leases.State found = read.orElse(null);
        if (found == null || found.holder().equals(identity)) {
            return found;
        }
        lapsed = true;
        if (found.holder().isEmpty()) {
            return found;
        }
        long now = nanos.getAsLong();
        until = now; // another holder is in the Lease
        if (!Objects.equals(found.version(), observedVersion)) {
            observedVersion = found.version();
            observedAt = now;
            return null;
        }
        Duration length = Duration.ofSeconds(Math.max(timing.lease().toSeconds(), found.seconds()));
        return now - observedAt >= length.toNanos() ? found : null;
    }

    /** Leaves the election; gives the Lease back if it is ours. */
    void end() {
        turn.lock();
        try {
            leave();
        } finally {
            turn.unlock();
        }
    }

    private void leave() {
        over = true;
        Leases.@Nullable State mine = holding;
        until = nanos.getAsLong();
        if (mine == null) {
            return;
        }
        holding = null;
        try {
            store.release(mine);
            LOG.info("the lease has been given back");
        } catch (KubernetesException e) {
            LOG.warn("the lease expires by itself: {}", e.getMessage());
        }
    }
}
