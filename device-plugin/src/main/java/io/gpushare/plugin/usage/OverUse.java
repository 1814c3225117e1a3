package io.gpushare.plugin.usage;

import io.gpushare.model.PodRef;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.MemoryUnit;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;

/**
 * Who uses more memory of a shared card than it was given, and since when. A container that does is told so; what counts
 * for a pod is the sum of its containers on the card, so that none within its bounds is ever an offender.
 *
 * @param since by pod and card, from when on each look found it over its bounds
 * @param told by container and card, what was told last
 */
public record OverUse(Map<PodOnCard, Instant> since, Map<NodeUsage.Where, Told> told) {
    /** Nobody is. */
    public static final OverUse NONE = new OverUse(Map.of(), Map.of());

    // An Event lives an hour. One whose need grew may be told sooner, and one that hovers about its bound is not new.
    private static final Duration REMIND = Duration.ofHours(1);
    private static final Duration GREW = Duration.ofMinutes(10);

    /** A pod's share of a card. */
    public record PodOnCard(PodRef pod, CardId card) {}

    /** Bytes that a pod was given on a card, and uses there as far as that is known. */
    private record Share(long given, long used) {}

    /** That a container was told, when, and how many units it would have needed. */
    public record Told(Instant at, long units) {}

    /** A container beyond its bounds on a card: what it was given, and what would hold what it uses. */
    public record Excess(ContainerShare held, long usedBytes, long neededUnits) {
        public Excess {
            Objects.requireNonNull(held);
        }
    }

    /** A pod beyond its bounds on a card, by so many bytes. */
    public record Offender(PodRef pod, CardId card, long bytes, Instant since) {}

    /**
     * What one look found.
     *
     * @param excesses every container that is beyond its bounds now
     * @param news those of them that have to be told now
     * @param offenders every pod that is beyond its bounds now, worst first
     */
    public record Found(OverUse next, List<Excess> excesses, List<Excess> news, List<Offender> offenders) {}

    public OverUse {
        since = Map.copyOf(since);
        told = Map.copyOf(told);
    }

    /** Looks at what containers use now. */
    public Found look(List<ContainerShare> all, NodeUsage load, MemoryUnit unit, Instant now) {
        List<Excess> excesses = new ArrayList<>();
        Map<PodOnCard, Share> pods = new HashMap<>();
        for (ContainerShare held : all) {
            OptionalLong used = load.of(held).map(NodeUsage.Used::bytes).orElse(OptionalLong.empty());
            if (held.whole()) {
                continue;
            }
            pods.merge(
                    new PodOnCard(held.pod(), held.card().id()),
                    new Share(held.ofPod().bytes(), used.orElse(0)),
                    (one, other) -> new Share(one.given(), one.used() + other.used()));
            if (used.isPresent() && used.getAsLong() > held.memory().bytes()) {
                excesses.add(new Excess(
                        held,
                        used.getAsLong(),
                        Math.ceilDiv(used.getAsLong(), unit.size().bytes())));
            }
        }
        Map<PodOnCard, Instant> longer = new HashMap<>();
        List<Offender> offenders = new ArrayList<>();
        pods.forEach((pod, share) -> {
            if (share.used() > share.given()) {
                Instant start = since.getOrDefault(pod, now);
                longer.put(pod, start);
                offenders.add(new Offender(pod.pod(), pod.card(), share.used() - share.given(), start));
            }
        });
        offenders.sort(Comparator.comparingLong(Offender::bytes)
                .reversed()
                .thenComparing(each -> each.pod().uid()));
        List<Excess> news =
                excesses.stream().filter(excess -> isNew(excess, now)).toList();
        Map<NodeUsage.Where, Told> telling = new HashMap<>(told);
        telling.values().removeIf(last -> !now.isBefore(last.at().plus(REMIND)));
        news.forEach(excess -> telling.put(excess.held().where(), new Told(now, excess.neededUnits())));
        return new Found(new OverUse(longer, telling), excesses, news, offenders);
    }

    private boolean isNew(Excess excess, Instant now) {
        Told last = told.get(excess.held().where());
        return last == null
                || !now.isBefore(last.at().plus(REMIND))
                || (excess.neededUnits() > last.units()
                        && !now.isBefore(last.at().plus(GREW)));
    }
}
