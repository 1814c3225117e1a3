package io.gpushare.extender.cluster;

import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.time.Machine;
import io.gpushare.time.PeriodicTask;
import io.gpushare.time.StartedParts;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides whether this extender may answer: it leads, and its ledger has everything that earlier leaders wrote. A list
 * that is read after the term began proves the latter: an informer may lag behind the last leader's writes.
 */
public final class Leadership implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Leadership.class);
    private static final Duration PERIOD = Duration.ofMillis(100);
    /** The timeout of a call for the Lease: several attempts must fit into the time to renew. */
    public static final Duration CALL = Duration.ofSeconds(3);

    private final @Nullable Election election;
    private final @Nullable LeaderLabel label;
    private final ClusterInformers informers;
    private final Runnable prepare;
    private final StartedParts tasks = new StartedParts();
    private volatile long current = -1;
    private volatile boolean resigned;
    // Only the thread that catches up uses the fields below: the term of the check, and the check.
    private long listed = -1;
    private CatchUp check;

    private Leadership(
            @Nullable Election election, @Nullable LeaderLabel label, ClusterInformers informers, Runnable prepare) {
        this.election = election;
        this.label = label;
        this.informers = informers;
        this.prepare = prepare;
        check = informers.catchUp();
    }

    /**
     * Starts to catch up, and joins the election.
     *
     * @param election one of several extenders, of which the holder of the Lease answers; null for the only extender
     * @param label written from now on; null for none
     * @param prepare what requests need of the ledger, before the first of each term
     */
    public static Leadership start(
            @Nullable Election election, @Nullable LeaderLabel label, ClusterInformers informers, Runnable prepare) {
        Leadership leadership = new Leadership(election, label, informers, prepare);
        if (election != null) {
            leadership.run("election", Election.Timing.ORDINARY.retry(), () -> leadership.hold(election));
        }
        if (label != null) {
            leadership.run(
                    "leader-label",
                    PERIOD,
                    () -> label.step(
                            leadership.unready().isEmpty(), Machine.here().nanos()));
        }
        leadership.run("catching-up", PERIOD, leadership::catchUp);
        return leadership;
    }

    private void run(String name, Duration rest, PeriodicTask.Round round) {
        tasks.add(PeriodicTask.rounds(name, rest, round)).start();
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
        if (!resigned || mine.held()) {
            mine.step();
        }
    }

    private void catchUp() {
        long now = term();
        if (!resigned && current != now && leading() && informers.caughtUp()) {
            if (listed != now) {
                listed = now;
                check = informers.catchUp();
            }
            try {
                if (check.complete(Machine.here().nanos())) {
                    prepare.run();
                    current = now;
                    LOG.info("answering: the ledger has all bound pods");
                }
            } catch (KubernetesException e) {
                LOG.warn("can't check yet whether the ledger has all bound pods: {}", e.getMessage());
            }
        }
    }

    /** Answers no new request from now on; requests in flight may still write. */
    public void resign() {
        resigned = true;
    }

    /** Gives the Lease back; call it when no request is in flight. */
    public void end() {
        resigned = true;
        if (election != null) {
            election.end();
        }
    }

    /** Gives the Lease back, and ends the threads. */
    @Override
    public void close() {
        end();
        tasks.close();
    }
}
