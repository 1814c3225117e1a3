package io.gpushare.plugin.node.isolation.mps;

import io.gpushare.kubernetes.event.EventRecorder;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Memory;
import io.gpushare.mps.link.CardReport;
import io.gpushare.mps.link.Phase;
import io.gpushare.plugin.node.holdings.Holdings;
import io.gpushare.plugin.node.usage.Cgroup;
import io.gpushare.plugin.node.usage.ContainerShare;
import io.gpushare.plugin.node.usage.NodeUsage;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records Events on the pods that are concerned when MPS fails on their card, or makes a program wait. Not thread-safe.
 */
final class MpsReporter {
    private static final Logger LOG = LoggerFactory.getLogger(MpsReporter.class);

    private final EventRecorder events;
    private final LongFunction<Optional<Cgroup>> cgroups;
    private final Map<CardId, Phase> phases = new HashMap<>();
    private final Map<CardId, Long> counts = new HashMap<>();
    private final Map<CardId, Set<Long>> waiting = new HashMap<>();

    MpsReporter(EventRecorder events, LongFunction<Optional<Cgroup>> cgroups) {
        this.events = events;
        this.cgroups = cgroups;
    }

    /** Forgets cards that are gone: the UUID of a MIG instance may never return. */
    void retain(Set<CardId> cards) {
        List.of(phases, counts, waiting).forEach(known -> known.keySet().retainAll(cards));
    }

    /** Reports what changed on that card. */
    void report(CardId card, CardReport report, Holdings holdings) {
        boolean failed = switch (report.phase()) {
            case FAULTED, DEAD, BROKEN -> true;
            case OFF, STARTING, READY, DRAINING -> false;
        };
        Long failures = counts.put(card, report.failures());
        // A short failure lies between two reports.
        boolean restarted = failures != null && report.failures() > failures;
        if ((report.phase() != phases.put(card, report.phase()) && failed) || restarted) {
            String message = "MPS of card " + card + " failed: "
                    + (report.why().isEmpty() ? "it was started again" : report.why())
                    + ". Programs that computed there have ended or get errors; no container starts on the card until"
                    + " MPS is ready.";
            LOG.warn("{}", message);
            ContainerShare.of(holdings).stream()
                    .filter(share -> share.card().id().equals(card) && !share.whole())
                    .map(ContainerShare::pod)
                    .distinct()
                    .forEach(pod -> events.warn(pod, "GpuMpsFailed", message));
        }
        Set<Long> known = waiting.computeIfAbsent(card, _ -> new HashSet<>());
        known.retainAll(report.waiting());
        for (long pid : report.waiting()) {
            if (known.add(pid)) {
                cgroups.apply(pid)
                        .flatMap(cgroup -> NodeUsage.pod(cgroup, holdings))
                        .ifPresent(pod -> reportWaiting(pod, card));
            }
        }
    }

    private void reportWaiting(PodRef pod, CardId card) {
        String message = "A program of this pod waits until all programs of another user ID on card " + card
                + " have ended: this node's MPS serves one user ID at a time. Give the pods of a node the same"
                + " runAsUser, or use a driver whose MPS has a multi-user mode.";
        LOG.warn("pod {}: {}", pod, message);
        events.warn(pod, "GpuMpsWaitsForUser", message);
    }

    /** A process of a container over its limit is terminated. */
    void reportTerminated(OverLimit.Victim victim) {
        ContainerShare share = victim.excess().share();
        Memory used = new Memory(victim.excess().usedBytes());
        String message = "Process " + victim.pid() + " of container '" + share.container()
                + "' is terminated: the container's processes together use "
                + used.text(share.memory()) + " of card " + share.card().id() + ", more than its "
                + share.memory().text(used) + ". Run fewer, or request more.";
        reportTerminated(share, message);
    }

    /** A process that computes without MPS is terminated. */
    void reportTerminated(Bypasses.Victim victim) {
        ContainerShare share = victim.share();
        reportTerminated(
                share,
                "Process " + victim.pid() + " of container '" + share.container() + "' is terminated: it computes on"
                        + " card " + share.card().id() + " without MPS, because the control daemon was not running when"
                        + " it started"
                        + (share.card().id().instance()
                                ? ", or it uses another pipe directory. It has no limit."
                                : ". It has no limit, and MPS can't start beside it.")
                        + " Restart the program if the container does not.");
    }

    private void reportTerminated(ContainerShare share, String message) {
        LOG.warn("pod {}: {}", share.pod(), message);
        events.warn(share.pod(), "GpuMpsProcessTerminated", message);
    }
}
