package io.gpushare.extender.cluster;

import io.gpushare.extender.ledger.Ledger;
import io.gpushare.kubernetes.KubernetesApi;
import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.time.Machine;
import io.gpushare.time.PeriodicTask;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the Leases of the device plugins periodically, and tells the ledger which nodes have a stale one. It does not
 * watch: a silent watch does not say whether a node or the watch is dead, and lists are no more bytes than all
 * renewals. At 5,000 nodes a list takes 70 ms of processor time.
 */
public final class NodeLeasePoller {
    private static final Logger LOG = LoggerFactory.getLogger(NodeLeasePoller.class);
    private static final Duration PERIOD = Duration.ofSeconds(10);
    private static final int NAMED = 10;
    private static final int NO_FAILURE = -1;

    /** Reads the version of each Lease that is held, by node. */
    @FunctionalInterface
    interface Reader {
        Map<String, String> leases() throws KubernetesException;
    }

    private final Reader reader;
    private final Ledger ledger;
    private final LongSupplier nanos;
    private final InstantSource clock;
    private final NodeRenewals renewals = new NodeRenewals();
    private volatile Instant heard = Instant.EPOCH;

    // Only the thread uses the fields below.
    private Set<String> stale = Set.of();
    // The status of the last failure, which is logged once; 0 for no response.
    private int failure = NO_FAILURE;

    NodeLeasePoller(Reader reader, Ledger ledger, LongSupplier nanos, InstantSource clock) {
        this.reader = reader;
        this.ledger = ledger;
        this.nanos = nanos;
        this.clock = clock;
    }

    /** Reads the Leases in that namespace. */
    public static NodeLeasePoller of(KubernetesApi api, String namespace, Ledger ledger) {
        return new NodeLeasePoller(
                () -> api.nodes().leases(namespace), ledger, Machine.here()::nanos, Machine.here()::now);
    }

    /** Starts to read. */
    public PeriodicTask start() {
        return PeriodicTask.rounds("node-leases", PERIOD, this::step).start();
    }

    /** The time of the last successful reading. */
    public Instant lastHeard() {
        return heard;
    }

    void step() {
        try {
            Set<String> now = renewals.read(reader.leases(), nanos.getAsLong());
            heard = clock.instant();
            failure = NO_FAILURE;
            ledger.updateStale(now);
            log(now);
        } catch (KubernetesException e) {
            if (e.status() != failure) {
                failure = e.status();
                LOG.warn("nodes that lost the API server are not recognized now: {}", e.getMessage());
            }
        }
    }

    private void log(Set<String> now) {
        if (now.equals(stale)) {
            return;
        }
        stale = now;
        if (now.isEmpty()) {
            LOG.info("the device plugins of all nodes renew their Leases again");
        } else {
            LOG.warn(
                    "{} nodes accept no new pods, because their device plugins do not renew their Leases: {}{}",
                    now.size(),
                    String.join(", ", now.stream().sorted().limit(NAMED).toList()),
                    now.size() > NAMED ? ", …" : "");
        }
    }
}
