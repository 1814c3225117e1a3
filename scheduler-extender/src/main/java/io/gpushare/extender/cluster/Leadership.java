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
 * Whether this extender may answer: it is the one that leads, and its ledger has all that others did before its term. A
 * fresh list proves the latter, read after the term began: an informer may lag behind what the last leader wrote.
 */
public final class Leadership {
    private static final Logger LOG = LoggerFactory.getLogger(Leadership.class);
    private static final Duration LOOK = Duration.ofMillis(100);
    /** A call about the Lease that takes longer is made anew: several must fit into the time to renew. */
    public static final Duration CALL = Duration.ofSeconds(3);

    private final @Nullable Election election;
    private final ClusterInformers watch;
    private volatile long current = -1;
    private volatile boolean resigned;

    private Leadership(@Nullable Election election, ClusterInformers watch) {
        this.election = election;
        this.watch = watch;
    }

    /** The only extender of the cluster, without an election. */
    public static Leadership alone(ClusterInformers watch) {
        return started(new Leadership(null, watch));
    }

    /**
     * One of several, of which the Lease's holder answers.
     *
     * @param election takes part from now on
     */
    public static Leadership elected(Membership election, ClusterInformers watch) {
        Leadership leadership = new Leadership(election.election, watch);
        Thread.ofPlatform().daemon().name("election").start(() -> leadership.hold(election.election));
        return started(leadership);
    }

    /** A place in the election, which also tells whoever writes whether it still may. */
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

    /** Whether this extender leads, be its ledger current or not. */
    public boolean leading() {
        return election == null || election.held();
    }

    /** Why no verb can be answered now, for kube-scheduler and people; empty when it can. */
    public Optional<String> unready() {
        if (resigned) {
            return Optional.of("this GPU share extender is ending; the pod is tried again");
        }
        if (!leading()) {
            return Optional.of(
                    "this GPU share extender is not the leader: another one answers; the pod is tried again");
        }
        return current == term()
                ? Optional.empty()
                : Optional.of(
                        "the GPU share extender has not read the cluster's nodes and pods yet; the pod is tried again");
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

    private void catchUp() {
        do {
            long now = term();
            if (!resigned && current != now && leading() && isCurrent()) {
                current = now;
                LOG.info("answering: the ledger has all that is bound");
            }
        } while (slept(LOOK));
    }

    private boolean isCurrent() {
        try {
            return watch.current();
        } catch (KubernetesException e) {
            LOG.warn("can't tell yet whether all that is bound is known: {}", e.getMessage());
            return false;
        } catch (RuntimeException e) {
            LOG.error("can't tell yet whether all that is bound is known", e);
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

    /** Answers nothing new from now on; what is in flight may still write. */
    public void resign() {
        resigned = true;
    }

    /** Gives the Lease back, when nothing is in flight any more. */
    public void end() {
        resigned = true;
        if (election != null) {
            election.end();
        }
    }
}
