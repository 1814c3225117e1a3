package io.gpushare.extender.cluster;

import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.kubernetes.Leases;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides whether this extender may answer: it leads, and its ledger has everything that earlier leaders wrote. A list
 * that is read after the term began proves the latter: an informer may lag behind the last leader's writes.
 */
public final class Leadership {
    private static final Logger LOG = LoggerFactory.getLogger(Leadership.class);
    private static final Duration PERIOD = Duration.ofMillis(100);
    /** The timeout of a call for the Lease: several attempts must fit into the time to renew. */
    public static final Duration CALL = Duration.ofSeconds(3);

    private final @Nullable Election election;
    private final @Nullable LeaderLabel label;
    private final ClusterInformers informers;
    private volatile long current = -1;
    private volatile boolean resigned;
    private volatile boolean ended;

    private Leadership(@Nullable Election election, @Nullable LeaderLabel label, ClusterInformers informers) {
        this.election = election;
        this.label = label;
        this.informers = informers;
    }

    /** The only extender of the cluster, without an election. */
    public static Leadership alone(ClusterInformers informers) {
        return started(new Leadership(null, null, informers));
    }

    /**
     * One of several extenders; the holder of the Lease answers.
     *
     * @param election joined from now on
     * @param label written from now on; null for none
     */
    public static Leadership elected(Membership election, @Nullable LeaderLabel label, ClusterInformers informers) {
        Leadership leadership = new Leadership(election.election, label, informers);
        Thread.ofPlatform().daemon().name("election").start(() -> leadership.hold(election.election));
        if (label != null) {
            Thread.ofPlatform().daemon().name("leader-label").start(() -> leadership.keep(label));
        }
        return started(leadership);
    }

    /** Membership in an election, which also says whether a write is still allowed. */
    public static final class Membership {
        private final Election election;

        /** @param identity unique to this process */
        public Membership(Leases lease, String identity) {
            election = new Election(
                    LeaseStore.of(lease), identity, Election.Timing.ORDINARY, System::nanoTime, InstantSource.system());
        }

        /** Whether a call that ends within 5 s may be sent now. */
        public boolean mayWrite() {
            return election.held();
        }
    }

    private static Leadership started(Leadership leadership) {
        Thread.ofPlatform().daemon().name("catching-up").start(leadership::catchUp);
        return leadership;
    }

    /** Whether this extender leads, even if its ledger is not current yet. */
    public boolean leading() {
        return election == null || election.held();
    }

    /** Why no verb can be answered now, as a sentence for users; empty when it can. */
    public Optional<String> unready() {
        if (resigned) {
            return Optional.of("this GPU share extender is shutting down; the pod is retried");
        }
        if (!leading()) {
            return Optional.of("this GPU share extender is not the leader: another one answers; the pod is retried");
        }
        return current == term()
                ? Optional.empty()
                : Optional.of(
                        "the GPU share extender has not read the cluster's nodes and pods yet; the pod is retried");
    }

    /** Why this extender neither serves requests nor could take over, as a sentence; empty if it does or could. */
    public Optional<String> unavailable() {
        Optional<String> unready = unready();
        if (unready.isPresent()) {
            if (election == null || resigned || leading()) {
                return unready;
            }
            if (!informers.caughtUp()) {
                return Optional.of("this GPU share extender has not read the cluster's nodes and pods yet");
            }
            if (!election.hears()) {
                return Optional.of("this GPU share extender can't read the Lease");
            }
        }
        return label == null ? Optional.empty() : label.problem(unready.isEmpty());
    }

    private long term() {
        return election == null ? 0 : election.term();
    }

    private void hold(Election mine) {
        while (!resigned || mine.held()) {
            mine.step();
            if (!slept(Election.Timing.ORDINARY.retry())) {
                return;
            }
        }
    }

    private void keep(LeaderLabel mine) {
        do {
            try {
                mine.step(unready().isEmpty(), System.nanoTime());
            } catch (RuntimeException e) {
                LOG.error("the label of the leader was not checked; it is checked again", e);
            }
        } while (!ended && slept(PERIOD));
    }

    private void catchUp() {
        long listed = -1;
        CatchUp check = informers.catchUp();
        do {
            long now = term();
            if (!resigned && current != now && leading() && informers.caughtUp()) {
                if (listed != now) {
                    listed = now;
                    check = informers.catchUp();
                }
                if (complete(check)) {
                    current = now;
                    LOG.info("answering: the ledger has all bound pods");
                }
            }
        } while (slept(PERIOD));
    }

    private static boolean complete(CatchUp check) {
        try {
            return check.complete(System.nanoTime());
        } catch (KubernetesException e) {
            LOG.warn("can't check yet whether the ledger has all bound pods: {}", e.getMessage());
            return false;
        } catch (RuntimeException e) {
            LOG.error("can't check yet whether the ledger has all bound pods", e);
            return false;
        }
    }

    private static boolean slept(Duration time) {
        try {
            Thread.sleep(time);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Answers no new request from now on; requests in flight may still write. */
    public void resign() {
        resigned = true;
    }

    /** Gives the Lease back; call it when no request is in flight. */
    public void end() {
        resigned = true;
        ended = true;
        if (election != null) {
            election.end();
        }
    }
}
