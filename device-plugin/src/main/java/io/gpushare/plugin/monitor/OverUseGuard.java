package io.gpushare.plugin.monitor;

import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.kubernetes.PodEvent;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.CardId;
import io.gpushare.plugin.cluster.PodEventRecorder;
import io.gpushare.plugin.usage.OverUse;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells pods that they use more than they were given, and where that is switched on evicts those that don't stop: of each card
 * the worst first, one at a time, since the others may have room when it has gone.
 */
public final class OverUseGuard {
    /** Evicts a pod. */
    @FunctionalInterface
    public interface Evicting {
        void evict(PodRef pod) throws KubernetesException;
    }

    /** What came of an eviction. */
    enum Outcome {
        EVICTED,
        /** A PodDisruptionBudget forbids it now, or the plugin may not evict. */
        REFUSED,
        /** The API server did not answer, or failed. */
        FAILED;

        String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private record Tried(Outcome outcome, Instant next) {}

    private static final Logger LOG = LoggerFactory.getLogger(OverUseGuard.class);
    /** How long a pod has to end, and how soon one that could not be evicted is tried again. */
    private static final Duration AGAIN = Duration.ofSeconds(60);

    private final String resource;
    private final Optional<Duration> grace;
    private final BiConsumer<PodRef, PodEvent> events;
    private final Evicting api;
    private final InstantSource clock;
    private final Map<OverUse.PodOnCard, Tried> tried = new HashMap<>();
    private final Map<Outcome, Long> counts = new EnumMap<>(Outcome.class);

    /**
     * A guard.
     *
     * @param resource name of the memory resource, as users write it
     * @param grace after so long a pod is evicted; empty: never
     */
    public OverUseGuard(
            String resource,
            Optional<Duration> grace,
            BiConsumer<PodRef, PodEvent> events,
            Evicting api,
            InstantSource clock) {
        this.resource = Objects.requireNonNull(resource);
        this.grace = Objects.requireNonNull(grace);
        this.events = Objects.requireNonNull(events);
        this.api = Objects.requireNonNull(api);
        this.clock = Objects.requireNonNull(clock);
        for (Outcome outcome : Outcome.values()) {
            counts.put(outcome, 0L);
        }
    }

    /** Does what has to be done about this; may wait for the API server. */
    void found(OverUse.Found found) {
        found.news().forEach(this::tell);
        Instant now = clock.instant();
        tried.values().removeIf(last -> !now.isBefore(last.next()));
        grace.ifPresent(time -> {
            Set<CardId> busy = new HashSet<>();
            tried.forEach((pod, last) -> {
                if (last.outcome() == Outcome.EVICTED) {
                    busy.add(pod.card());
                }
            });
            for (OverUse.Offender offender : found.offenders()) {
                boolean due = !now.isBefore(offender.since().plus(time));
                OverUse.PodOnCard pod = new OverUse.PodOnCard(offender.pod(), offender.card());
                if (due && !busy.contains(offender.card()) && !tried.containsKey(pod)) {
                    Outcome outcome = evict(offender, time);
                    tried.put(pod, new Tried(outcome, now.plus(AGAIN)));
                    if (outcome == Outcome.EVICTED) {
                        busy.add(offender.card());
                    }
                }
            }
        });
    }

    private void tell(OverUse.Excess excess) {
        var held = excess.held();
        LOG.warn(
                "pod {} container {}: uses {} MiB of card {}, and was given {} MiB",
                held.pod(),
                held.container(),
                excess.usedBytes() >> 20,
                held.card().id(),
                held.memory().mib());
        events.accept(
                held.pod(),
                new PodEvent(
                        true,
                        PodEventRecorder.COMPONENT,
                        "GpuMemoryOverUse",
                        "Container '" + held.container() + "' uses more memory of card "
                                + held.card().id() + " than it was given, to the harm of other pods there: " + resource
                                + " is " + held.units() + ", and what it uses takes " + excess.neededUnits()
                                + ". Make the program use less, or ask for more."
                                + grace.map(time -> " The pod is evicted if that lasts for " + time.toSeconds() + " s.")
                                        .orElse("")));
    }

    private Outcome evict(OverUse.Offender offender, Duration time) {
        String lasting = "has used more GPU memory than it was given for " + time.toSeconds() + " s (now "
                + Math.ceilDiv(offender.bytes(), 1 << 20) + " MiB more, on card " + offender.card() + ")";
        Outcome outcome;
        try {
            api.evict(offender.pod());
            outcome = Outcome.EVICTED;
            LOG.warn("pod {} is evicted: it {}", offender.pod(), lasting);
            events.accept(
                    offender.pod(),
                    new PodEvent(
                            true,
                            PodEventRecorder.COMPONENT,
                            "GpuMemoryOverUseEvicted",
                            "The pod is evicted: it " + lasting + ". Ask for more of " + resource
                                    + ", or make the program use less."));
        } catch (KubernetesException e) {
            outcome = e.status() / 100 == 4 ? Outcome.REFUSED : Outcome.FAILED;
            LOG.warn(
                    "pod {} {}, and can't be evicted, trying again in {} s: {}",
                    offender.pod(),
                    lasting,
                    AGAIN.toSeconds(),
                    e.getMessage());
        }
        count(outcome);
        return outcome;
    }

    private synchronized void count(Outcome outcome) {
        counts.merge(outcome, 1L, Long::sum);
    }

    /** Evictions so far, by what came of them. */
    public synchronized Map<String, Long> counts() {
        Map<String, Long> labelled = new HashMap<>();
        counts.forEach((outcome, count) -> labelled.put(outcome.label(), count));
        return labelled;
    }
}
