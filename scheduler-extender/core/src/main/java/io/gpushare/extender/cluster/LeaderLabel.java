package io.gpushare.extender.cluster;

import io.gpushare.kubernetes.KubernetesApi;
import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.kubernetes.Pods;
import java.time.Duration;
import java.util.Collections;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the label that the Service selects on the pod of the extender that serves requests, and on no other pod. Each
 * extender writes it on its own pod. The one that serves requests also removes it from all others: a former leader that
 * is frozen or lost the API server cannot. Which extender may answer does not depend on the label.
 */
public final class LeaderLabel {
    private static final Logger LOG = LoggerFactory.getLogger(LeaderLabel.class);
    /** The key; the value is the name of the Lease. */
    static final String KEY = "gpushare.io/leader";

    // So that a rolling update stops the leader last, and the Lease changes hands once.
    private static final String DELETION_COST = "controller.kubernetes.io/pod-deletion-cost";
    private static final Duration CALL = Duration.ofSeconds(3);
    private static final Duration CHECK = Duration.ofSeconds(10);
    private static final Duration RETRY = Duration.ofSeconds(1);

    /** The pods of the extenders. */
    interface Labelled {
        /** The names of the pods that have the label. */
        Set<String> pods() throws KubernetesException;

        /** Sets the label on that pod, or removes it. */
        void write(String pod, boolean leads) throws KubernetesException;
    }

    private final Labelled labelled;
    private final String own;
    // Only the thread that steps uses the fields below, but for those that are volatile.
    private long due;
    private boolean retries;
    // Whether our pod has the label; null if that is unknown.
    private volatile @Nullable Boolean written;
    private volatile String failure = "";

    /** @param own the name of the pod that this process runs in */
    LeaderLabel(Labelled labelled, String own) {
        this.labelled = labelled;
        this.own = own;
    }

    /** The label of the pods in that namespace. */
    public static LeaderLabel of(KubernetesApi api, String namespace, String lease, String own) {
        Pods pods = api.pods();
        Labelled labelled = new Labelled() {
            @Override
            public Set<String> pods() throws KubernetesException {
                return pods.labelled(namespace, KEY + "=" + lease, CALL);
            }

            @Override
            public void write(String pod, boolean leads) throws KubernetesException {
                // The leader is the last pod that a rolling update stops.
                pods.label(
                        namespace,
                        pod,
                        Collections.singletonMap(KEY, leads ? lease : null),
                        Collections.singletonMap(DELETION_COST, leads ? "1" : null),
                        CALL);
            }
        };
        return new LeaderLabel(labelled, own);
    }

    /** Why the label on our pod is not as it must be, as a sentence; empty if it is. */
    Optional<String> problem(boolean serves) {
        return isWritten(serves)
                ? Optional.empty()
                : Optional.of("the label " + KEY + " of pod " + own + (serves ? " is not written" : " is not removed")
                        + " yet" + (failure.isEmpty() ? "" : ": " + failure));
    }

    private boolean isWritten(boolean serves) {
        return Boolean.valueOf(serves).equals(written);
    }

    /**
     * Writes what has changed; blocks during its calls.
     *
     * @param serves whether this extender serves requests now
     * @param nanos the time now, as of {@link io.gpushare.time.Machine#nanos}
     */
    void step(boolean serves, long nanos) {
        boolean changed = !isWritten(serves);
        boolean waits = nanos - due < 0;
        if (changed ? retries && waits : !serves || waits) {
            return;
        }
        try {
            if (changed) {
                written = null;
                labelled.write(own, serves);
                written = serves;
            }
            if (serves) {
                correct();
            }
            failure = "";
            retries = false;
            due = nanos + CHECK.toNanos();
        } catch (KubernetesException e) {
            String message = String.valueOf(e.getMessage());
            if (!message.equals(failure)) {
                LOG.warn("the label {} can't be written: {}", KEY, message);
            }
            failure = message;
            retries = true;
            due = nanos + RETRY.toNanos();
        }
    }

    /** Corrects what others did: a former leader's label, and ours if somebody removed it. */
    private void correct() throws KubernetesException {
        Set<String> found = labelled.pods();
        if (!found.contains(own)) {
            labelled.write(own, true);
        }
        for (String pod : found) {
            if (!pod.equals(own)) {
                labelled.write(pod, false);
                LOG.info("the label {} is removed from pod {}, which does not lead", KEY, pod);
            }
        }
    }
}
