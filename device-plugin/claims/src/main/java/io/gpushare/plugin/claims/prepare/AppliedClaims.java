package io.gpushare.plugin.claims.prepare;

import io.gpushare.kubernetes.EventSubject;
import io.gpushare.kubernetes.event.EventRecorder;
import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.PodRef;
import io.gpushare.plugin.node.holdings.Holder;
import io.gpushare.plugin.node.holdings.Holdings;
import io.gpushare.plugin.node.holdings.LatestHoldings;
import io.gpushare.plugin.node.holdings.Offer;
import io.gpushare.plugin.node.monitor.ProcessTable;
import io.gpushare.plugin.node.pod.NodePod;
import io.gpushare.time.PeriodicTask;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at each container that starts with a claim, whether its runtime applied the claim's file: a runtime without
 * CDI, or one that reads another directory, starts the container without an error, without its card and its limit. Such
 * a container is reported. No further claim is prepared while such containers of two namespaces run and none has shown,
 * since the runtime started, that it applies claims: a program may hide its mounts, and one tenant must not close a
 * node.
 *
 * <p>A container that got the edits has the claim's file as a mount point. One whose claim an earlier process prepared
 * is no evidence against the runtime, because an earlier version gave it no mount; nor is one whose processes are not
 * visible.
 */
public final class AppliedClaims implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AppliedClaims.class);
    private static final String REASON = "GpuClaimNotApplied";
    private static final Duration GAP = Duration.ofSeconds(2);
    /** A process is visible before its runtime has made all mounts. */
    private static final int CERTAIN = 3;
    /** A container that shows no process for so long has ended, or runs in a machine of its own. */
    private static final int MOST_LOOKS = 30;

    private final LatestHoldings latest;
    private final NodeClaims claims;
    private final ProcessTable processes;
    private final EventSubject.Node node;
    private final EventRecorder events;
    private final PeriodicTask task = new PeriodicTask("applied-claims", this::look);
    /** The containers, by their IDs, that need no further look. */
    private final Set<String> seen = new HashSet<>();

    private Set<String> runtimes = Set.of();
    /** Containers without their claims that say nothing of the runtime as it runs now. */
    private volatile Set<String> before = Set.of();
    /** Whether a container has shown, since the runtime started, that it applies claims. */
    private volatile boolean shown;

    private final Map<String, Integer> missed = new HashMap<>();
    private final Map<String, Integer> looks = new HashMap<>();
    private volatile Map<String, Started> without = Map.of();

    /**
     * A started container that uses claims.
     *
     * @param here whether this process prepared its claims
     * @param mountPoints one for each request that it uses
     */
    private record Started(PodRef pod, String name, boolean here, Set<String> mountPoints) {
        Started and(Started other) {
            Set<String> both = new HashSet<>(mountPoints);
            both.addAll(other.mountPoints);
            return new Started(pod, name, here && other.here, both);
        }
    }

    /** Looks at nothing before {@link #start}. */
    public AppliedClaims(
            LatestHoldings latest,
            NodeClaims claims,
            ProcessTable processes,
            EventSubject.Node node,
            EventRecorder events) {
        this.latest = latest;
        this.claims = claims;
        this.processes = processes;
        this.node = node;
        this.events = events;
    }

    public AppliedClaims start() {
        task.start();
        return this;
    }

    /** The number of containers that run without what their claims give them. */
    public int without() {
        return without.size();
    }

    /** Why no claim is prepared, as a part of a sentence; empty while the runtime may apply claims. */
    public Optional<String> problem() {
        Map<String, Started> now = new HashMap<>(without);
        now.keySet().removeAll(before);
        long namespaces = now.values().stream()
                .map(each -> each.pod().namespace())
                .distinct()
                .count();
        return now.values().stream()
                .filter(_ -> !shown && namespaces > 1)
                .findFirst()
                .map(found -> "the container runtime of its node does not apply claims (pod " + found.pod()
                        + " runs without what its claim gives it): enable CDI there, and delete that pod");
    }

    private Duration look() {
        if (!processes.ownOnly()) {
            Map<String, Started> started = started(latest.now());
            seen.retainAll(started.keySet());
            missed.keySet().retainAll(started.keySet());
            looks.keySet().retainAll(started.keySet());
            Map<String, Started> still = new HashMap<>(without);
            still.keySet().retainAll(started.keySet());
            without = Map.copyOf(still);
            started.keySet().removeAll(seen);
            evaluate(started);
        }
        return GAP;
    }

    private void evaluate(Map<String, Started> unseen) {
        if (unseen.isEmpty()) {
            return;
        }
        Set<String> now = processes.runtimes();
        if (!now.equals(runtimes)) {
            runtimes = now;
            shown = false;
            before = without.keySet();
        }
        Map<String, Set<String>> mounted = processes.mountPoints(Set.copyOf(unseen.keySet()), CdiDocument.MOUNT_POINTS);
        unseen.forEach((id, container) -> {
            @Nullable Set<String> points = mounted.get(id);
            if (points == null) {
                if (looks.merge(id, 1, Integer::sum) >= MOST_LOOKS) {
                    seen.add(id);
                }
            } else if (points.containsAll(container.mountPoints())) {
                seen.add(id);
                shown = true;
            } else if (missed.merge(id, 1, Integer::sum) >= CERTAIN) {
                seen.add(id);
                if (container.here()) {
                    report(id, container);
                }
            }
        });
    }

    private void report(String id, Started container) {
        Map<String, Started> all = new HashMap<>(without);
        all.put(id, container);
        without = Map.copyOf(all);
        String message = "Container '" + container.name() + "' of pod " + container.pod()
                + " shows nothing of what its claim gives it: it runs without its card, or with other cards, and"
                + " without a limit, unless its program hides its mounts. The container runtime did not apply the"
                + " claim's CDI file. Enable CDI: containerd 1.7 has it off"
                + " (enable_cdi and cdi_spec_dirs in its configuration), Docker needs the feature cdi. Restart the"
                + " runtime and delete the pod."
                + " While pods of two namespaces are without their claims, and none has its own, no further claim is"
                + " prepared on this node.";
        LOG.warn("{}", message);
        events.warn(new EventSubject.Pod(container.pod()), REASON, message);
        events.warn(node, REASON, message);
    }

    /** The started containers that use claims, by their IDs. */
    private Map<String, Started> started(Holdings holdings) {
        Map<String, NodePod> pods = new HashMap<>();
        holdings.pods().forEach(pod -> pods.put(pod.ref().uid(), pod));
        Map<String, Started> started = new HashMap<>();
        for (Holder holder : holdings.by(Offer.CLAIMS).holders()) {
            boolean here = claims.preparedHere(holder.ref().uid());
            for (ContainerAllocation part :
                    holder.allocation().map(Allocation::containers).orElse(List.of())) {
                String point = CdiDocument.mountPoint(holder.ref().uid(), part.name());
                for (Holder.User user : holder.users(part.name())) {
                    Optional.ofNullable(pods.get(user.pod().uid()))
                            .ifPresent(pod -> pod.started().forEach((id, name) -> {
                                if (name.equals(user.container())) {
                                    started.merge(id, new Started(pod.ref(), name, here, Set.of(point)), Started::and);
                                }
                            }));
                }
            }
        }
        return started;
    }

    @Override
    public void close() {
        task.close();
    }
}
