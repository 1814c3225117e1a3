package io.gpushare.plugin.node.isolation.driver;

import io.gpushare.kubernetes.event.EventRecorder;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Isolation;
import io.gpushare.model.card.Memory;
import io.gpushare.plugin.node.holdings.Holder;
import io.gpushare.plugin.node.holdings.Holdings;
import io.gpushare.plugin.node.isolation.ContainerIsolation;
import io.gpushare.plugin.node.isolation.IsolationProvider;
import io.gpushare.plugin.node.isolation.StartingContainer;
import io.gpushare.plugin.node.isolation.driver.MemoryLimits.LimitException;
import io.gpushare.plugin.node.usage.ContainerShare;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Limits the memory of each pod on its shared cards through the driver. The kubelet creates the pod's cgroup before it
 * calls PreStartContainer, or prepares the claims, and the container after it: the limit is there before the
 * container's first instruction. The limit is the pod's and not the container's, so one number holds with every backend
 * of the driver, and needs no container ID.
 */
public final class DriverIsolation implements IsolationProvider {
    private static final Logger LOG = LoggerFactory.getLogger(DriverIsolation.class);
    private static final int FIRST_DRIVER = 615;

    /** For a pod that has nothing by itself: less than any program needs, and not 0, which may stand for no limit. */
    private static final Memory LEAST = Memory.ofMib(1);

    /** A pod on one card. */
    private record PodOnCard(PodRef pod, CardId card) {}

    /** A limit that is in force. */
    private record Kept(Path cgroup, Memory limit) {}

    private final MemoryLimits limits;
    private final PodCgroups cgroups;
    private final EventRecorder events;
    private final Map<PodOnCard, Kept> kept = new HashMap<>();
    private final Map<PodOnCard, String> problems = new HashMap<>();
    private final AtomicLong restored = new AtomicLong();

    public DriverIsolation(MemoryLimits limits, PodCgroups cgroups, EventRecorder events) {
        this.limits = limits;
        this.cgroups = cgroups;
        this.events = events;
    }

    @Override
    public Optional<String> missing(Card card, Inventory inventory) {
        Inventory.Driver driver = inventory.driver();
        if (driver == null) {
            return Optional.of("the driver does not respond");
        }
        if (driver.major() < FIRST_DRIVER) {
            return Optional.of(
                    "driver " + driver.version() + " has no memory limits: they need " + FIRST_DRIVER + " or newer");
        }
        if (Boolean.TRUE.equals(card.details().mig())) {
            return Optional.of("MIG mode is enabled, and the driver limits no memory there");
        }
        if (!cgroups.available()) {
            return Optional.of(cgroups.root() + " is not the node's cgroup file system of version 2: mount it there");
        }
        try {
            limits.read(card.id(), cgroups.root());
        } catch (LimitException e) {
            // Other failures pass; each limit is checked when it is set.
            return e.unsupported()
                    ? Optional.of("the driver has no memory limits: " + e.getMessage())
                    : Optional.empty();
        }
        return Optional.empty();
    }

    /** The limit is of the pod's cgroup, so a container needs nothing. */
    @Override
    public ContainerIsolation settings(StartingContainer container, Map<CardId, ContainerIsolation.Limit> limits) {
        return new ContainerIsolation.Settings(Map.of(), List.of(), limits);
    }

    @Override
    public synchronized Optional<String> enforce(StartingContainer container, Holdings holdings) {
        Set<PodRef> pods = holdings
                .users(container.pod(), container.allocation().name())
                .stream()
                .map(Holder.User::pod)
                .collect(Collectors.toSet());
        if (pods.size() > 1 && !container.sharedCards().isEmpty()) {
            return Optional.of("several pods use it, and the driver limits each pod by itself: make a claim for each,"
                    + " by a ResourceClaimTemplate");
        }
        for (Map.Entry<PodOnCard, Memory> wanted : wanted(holdings).entrySet()) {
            PodOnCard on = wanted.getKey();
            if (pods.contains(on.pod()) && container.allocation().visibleCards().contains(on.card())) {
                Optional<String> problem = enforce(on, limit(wanted.getValue()));
                if (problem.isPresent()) {
                    return problem;
                }
            }
        }
        return Optional.empty();
    }

    private Optional<String> enforce(PodOnCard on, Memory limit) {
        Optional<Path> cgroup = cgroups.of(on.pod().uid());
        if (cgroup.isEmpty()) {
            return Optional.of("the cgroup of pod " + on.pod() + " is not below " + cgroups.root()
                    + ": mount the node's cgroup file system there, and leave the kubelet's cgroupsPerQOS on");
        }
        try {
            Optional<Memory> before = limits.read(on.card(), cgroup.get());
            if (!before.equals(Optional.of(limit))) {
                limits.set(on.card(), cgroup.get(), limit);
                Optional<Memory> now = limits.read(on.card(), cgroup.get());
                if (!now.equals(Optional.of(limit))) {
                    return Optional.of("the driver took the memory limit " + limit + " of card " + on.card()
                            + ", and reports " + now.map(Memory::toString).orElse("none"));
                }
                LOG.info("pod {}: at most {} of card {}", on.pod(), limit, on.card());
                if (before.isEmpty() && kept.containsKey(on)) {
                    reportRestored(on, limit);
                }
            }
        } catch (LimitException e) {
            return Optional.of(
                    "the memory of card " + on.card() + " can't be limited to " + limit + ": " + e.getMessage());
        }
        kept.put(on, new Kept(cgroup.get(), limit));
        return Optional.empty();
    }

    private static Memory limit(Memory wanted) {
        return wanted.bytes() == 0 ? LEAST : wanted;
    }

    /**
     * The memory that each pod may use on each shared card where the driver limits it. Pods may begin to use a claim
     * after it was prepared, when nobody asks: then its share stays one pod's, and the others have 0.
     */
    private static Map<PodOnCard, Memory> wanted(Holdings holdings) {
        Map<PodOnCard, Memory> wanted = new LinkedHashMap<>();
        for (ContainerShare share : ContainerShare.of(holdings)) {
            if (!share.whole() && share.card().isolation().inForce() == Isolation.DRIVER) {
                wanted.put(new PodOnCard(share.pod(), share.card().id()), share.podLimit());
            }
        }
        return wanted;
    }

    @Override
    public synchronized void reconcile(Holdings holdings) {
        Map<PodOnCard, Memory> wanted = wanted(holdings);
        wanted.forEach(this::restore);
        for (PodOnCard on : List.copyOf(kept.keySet())) {
            if (!wanted.containsKey(on)) {
                release(on);
            }
        }
        problems.keySet().retainAll(wanted.keySet());
    }

    private void restore(PodOnCard on, Memory wanted) {
        Memory limit = limit(wanted);
        Kept before = kept.get(on);
        Optional<Path> cgroup = before == null ? cgroups.of(on.pod().uid()) : Optional.of(before.cgroup());
        if (cgroup.isEmpty()) {
            return; // its containers have not been started yet
        }
        try {
            limits.read(on.card(), cgroup.get());
        } catch (LimitException e) {
            return; // the driver does not respond: the scan reports it
        }
        Optional<String> problem = enforce(on, limit);
        if (problem.isPresent()) {
            report(on, "GpuLimitMissing", "No limit: " + problem.get() + ".");
        } else {
            reportOtherPods(on, wanted);
        }
    }

    private void reportRestored(PodOnCard on, Memory limit) {
        restored.incrementAndGet();
        LOG.warn("pod {}: the memory limit {} of card {} was lost and is set again", on.pod(), limit, on.card());
        events.warn(
                on.pod(),
                "GpuLimitRestored",
                "The driver lost the memory limit " + limit + " of card " + on.card()
                        + ", as after a reset, and it is set again. Memory that the pod took in between may not"
                        + " count.");
    }

    private void reportOtherPods(PodOnCard on, Memory wanted) {
        if (wanted.bytes() == 0) {
            report(
                    on,
                    "GpuShareOfOtherPod",
                    "The pod may use " + LEAST + " of card " + on.card() + ": another pod has the share of the claim,"
                            + " and the driver limits each pod by itself. Make a claim for each, by a"
                            + " ResourceClaimTemplate.");
        } else {
            problems.remove(on);
        }
    }

    private void report(PodOnCard on, String reason, String problem) {
        if (!problem.equals(problems.put(on, problem))) {
            LOG.warn("pod {}: {}", on.pod(), problem);
            events.warn(on.pod(), reason, problem);
        }
    }

    /** Removes the limit when the pod's last process has ended: a pod may be deleted before that. */
    private void release(PodOnCard on) {
        Kept before = Objects.requireNonNull(kept.get(on));
        try {
            if (cgroups.populated(before.cgroup())) {
                return;
            }
            if (Files.isDirectory(before.cgroup())) {
                limits.remove(on.card(), before.cgroup());
                LOG.info("pod {}: no limit on card {} any more", on.pod(), on.card());
            }
            kept.remove(on);
        } catch (LimitException e) {
            LOG.debug("the limit of pod {} is removed later", on.pod(), e);
        }
    }

    @Override
    public Map<String, Long> repairs() {
        return Map.of("limit_restored", restored.get());
    }
}
