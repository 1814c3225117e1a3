package io.gpushare.plugin.node.monitor;

import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.kubernetes.event.EventRecorder;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Memory;
import io.gpushare.plugin.node.part.Counts;
import io.gpushare.plugin.node.usage.ContainerShare;
import io.gpushare.plugin.node.usage.OverUse;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records Events on pods above their limit and, if enabled, evicts those that stay above it. On each card it evicts the
 * pod with the largest excess first, one at a time: the others may fit when that one has ended. Events are about
 * containers; these share the card of their pod, so only a pod above the sum of its limits is evicted.
 */
public final class OverUseGuard {
    /** Evicts a pod. */
    @FunctionalInterface
    public interface Evicting {
        void evict(PodRef pod) throws KubernetesException;
    }

    /** The outcome of an eviction. */
    public enum Outcome {
        EVICTED,
        /** A PodDisruptionBudget forbids it now, or the plugin lacks the permission. */
        REFUSED,
        /** The API server did not respond, or failed. */
        FAILED
    }

    private record Attempt(Outcome outcome, Instant next) {}

    private static final Logger LOG = LoggerFactory.getLogger(OverUseGuard.class);
    /** The time that an evicted pod has to end, and the time until a failed eviction is retried. */
    private static final Duration RETRY = Duration.ofSeconds(60);

    private final String resource;
    private final Optional<Duration> grace;
    private final EventRecorder events;
    private final Evicting api;
    private final InstantSource clock;
    private final Map<OverUse.PodOnCard, Attempt> attempts = new HashMap<>();
    private final Counts<Outcome> counts = new Counts<>(List.of(Outcome.values()));

    /**
     * Makes a guard.
     *
     * @param resource the name of the memory resource, for messages
     * @param grace the time above the limit after which a pod is evicted; empty for never
     */
    public OverUseGuard(
            String resource, Optional<Duration> grace, EventRecorder events, Evicting api, InstantSource clock) {
        this.resource = resource;
        this.grace = grace;
        this.events = events;
        this.api = api;
        this.clock = clock;
    }

    /** Reports and evicts; waits for the API server. */
    void handle(OverUse.Found found) {
        found.unreported().forEach(this::report);
        Instant now = clock.instant();
        attempts.values().removeIf(last -> !now.isBefore(last.next()));
        grace.ifPresent(time -> {
            Set<CardId> busy = new HashSet<>();
            attempts.forEach((pod, last) -> {
                if (last.outcome() == Outcome.EVICTED) {
                    busy.add(pod.card());
                }
            });
            for (OverUse.Offender offender : found.offenders()) {
                boolean due = !now.isBefore(offender.since().plus(time));
                OverUse.PodOnCard pod = new OverUse.PodOnCard(offender.pod(), offender.card());
                if (due && !busy.contains(offender.card()) && !attempts.containsKey(pod)) {
                    Outcome outcome = evict(offender, time);
                    attempts.put(pod, new Attempt(outcome, now.plus(RETRY)));
                    if (outcome == Outcome.EVICTED) {
                        busy.add(offender.card());
                    }
                }
            }
        });
    }

    private void report(OverUse.Excess excess) {
        ContainerShare share = excess.share();
        Memory used = new Memory(excess.usedBytes());
        LOG.warn(
                "pod {} container {}: uses {} of card {}, over its limit of {}",
                share.pod(),
                share.container(),
                used.text(share.memory()),
                share.card().id(),
                share.memory().text(used));
        events.warn(
                share.pod(),
                "GpuMemoryOverUse",
                "Container '" + share.container() + "' uses more memory of card "
                        + share.card().id() + " than it requested and takes it from other pods: " + resource
                        + " is " + share.units() + ", but the container uses " + excess.neededUnits()
                        + ". Make the program use less, or request more."
                        + grace.map(time -> " The pod is evicted if this lasts for " + time.toSeconds()
                                        + " s, unless a PodDisruptionBudget or an admission policy forbids it.")
                                .orElse(""));
    }

    private Outcome evict(OverUse.Offender offender, Duration time) {
        String lasting = "has used more GPU memory than it requested for " + time.toSeconds() + " s (now "
                + Memory.ofMib(Math.ceilDiv(offender.bytes(), 1 << 20)).text() + " more, on card " + offender.card()
                + ")";
        Outcome outcome;
        try {
            api.evict(offender.pod());
            outcome = Outcome.EVICTED;
            LOG.warn("pod {} is evicted: it {}", offender.pod(), lasting);
            events.warn(
                    offender.pod(),
                    "GpuMemoryOverUseEvicted",
                    "The pod is evicted: it " + lasting + ". Request more " + resource
                            + ", or make the program use less.");
        } catch (KubernetesException e) {
            outcome = e.status() / 100 == 4 ? Outcome.REFUSED : Outcome.FAILED;
            LOG.warn(
                    "pod {} {} and can't be evicted, next attempt in {} s: {}",
                    offender.pod(),
                    lasting,
                    RETRY.toSeconds(),
                    e.getMessage());
        }
        counts.count(outcome);
        return outcome;
    }

    /** The number of evictions so far, by outcome. */
    public Map<Outcome, Long> counts() {
        return counts.all();
    }
}
