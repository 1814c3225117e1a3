package io.gpushare.extender.report;

import io.gpushare.extender.feasibility.DemandSummary;
import io.gpushare.extender.feasibility.Reason;
import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.ledger.NodeEntry;
import io.gpushare.extender.ledger.PodEntry;
import io.gpushare.extender.pod.PodPriority;
import io.gpushare.model.Allocation;
import io.gpushare.model.Demand;
import io.gpushare.model.PodRef;
import io.gpushare.model.Share;
import io.gpushare.model.card.CardId;
import io.gpushare.model.ledger.CardOrder;
import io.gpushare.model.ledger.NodeCards;
import io.gpushare.model.ledger.Placement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Which pods kube-scheduler should look at again: it has found no node for them, and now there is one. It hears of many
 * things that make room, but not of all (a card that is well again, a hold that is forgotten), and may look before the
 * ledger knows.
 *
 * <p>It looks at the whole state again and again, so nothing is missed and nothing needs to be remembered over a restart:
 * pods for which there is room, what matters most first, each of which takes its room from the next. So about as many are
 * named as can be bound. One that stays unbound all the same (for a reason that is not ours: a taint, a volume) gives way
 * to the others after a second, and is named again ever more rarely, until some node becomes able to take it that was not
 * before. For one thread.
 */
public final class WaitingPods {
    /** In this time kube-scheduler has often taken the pod by itself. */
    private static final Duration OWN_WAY = Duration.ofMillis(200);
    /** For so long the room is kept for a pod that was named. */
    private static final Duration TURN = Duration.ofSeconds(1);

    private static final Duration LONGEST = Duration.ofMinutes(5);
    private static final int AT_ONCE = 50;

    private final Ledger ledger;
    private final AtomicLong named = new AtomicLong();
    private final Map<String, Told> told = new HashMap<>();
    private Map<String, Place> before = Map.of();
    private volatile Map<WaitReason, Integer> waits = Map.of();

    /** Of a pod for which there is room: how often it was named, and when the last time, or else since when there is. */
    private record Told(Instant at, int times) {
        boolean hasItsTurn(Instant now) {
            return times > 0 && now.isBefore(at.plus(TURN));
        }

        boolean due(Instant now) {
            return !now.isBefore(at.plus(pause()));
        }

        private Duration pause() {
            if (times == 0) {
                return OWN_WAY;
            }
            Duration pause = TURN.multipliedBy(1L << Math.min(times - 1, 20));
            return pause.compareTo(LONGEST) < 0 ? pause : LONGEST;
        }
    }

    public WaitingPods(Ledger ledger) {
        this.ledger = ledger;
    }

    /** The pods to name now. */
    public List<PodRef> due(Instant now) {
        List<PodEntry> pods = ledger.waiting();
        Map<String, Place> nodes = pods.isEmpty() ? Map.of() : places();
        Set<Demand> open = new HashSet<>();
        Set<Demand> opened = new HashSet<>();
        Map<Demand, WaitReason> why = look(pods, nodes, open, opened);
        before = nodes;
        waits = waits(pods, why);
        List<PodEntry> hopeful =
                pods.stream().filter(pod -> open.contains(pod.demand())).toList();
        told.keySet().retainAll(hopeful.stream().map(pod -> pod.ref().uid()).collect(Collectors.toSet()));
        for (PodEntry pod : hopeful) {
            told.merge(
                    pod.ref().uid(),
                    new Told(now, 0),
                    (old, fresh) -> opened.contains(pod.demand()) ? new Told(old.at(), Math.min(old.times(), 1)) : old);
        }
        return named(hopeful, nodes, now);
    }

    private Map<WaitReason, Integer> waits(List<PodEntry> pods, Map<Demand, WaitReason> why) {
        Map<WaitReason, Integer> count = new EnumMap<>(WaitReason.class);
        pods.forEach(pod -> count.merge(Objects.requireNonNull(why.get(pod.demand())), 1, Integer::sum));
        count.put(WaitReason.WRONG, ledger.writtenWrong());
        return Collections.unmodifiableMap(count);
    }

    private Map<String, Place> places() {
        Map<String, Place> places = new HashMap<>();
        ledger.nodeEntries().forEach((name, entry) -> {
            Share offer = ledger.allocatable(name);
            Place old = before.get(name);
            places.put(name, old != null && old.isStill(entry, offer) ? old : Place.of(entry, offer));
        });
        return places;
    }

    /** How often a pod was named. */
    public long named() {
        return named.get();
    }

    /** How many pods waited when this was last looked at, by why; those of which there are none may be missing. */
    public Map<WaitReason, Integer> waits() {
        return waits;
    }

    /**
     * Why each demand waits.
     *
     * @param open is given the demands that some node could take
     * @param opened is given those of them that one could take that could not when this was last looked at
     */
    private Map<Demand, WaitReason> look(
            List<PodEntry> pods, Map<String, Place> nodes, Set<Demand> open, Set<Demand> opened) {
        Map<Demand, WaitReason> why = new HashMap<>();
        Set<Demand> demands = pods.stream().map(PodEntry::demand).collect(Collectors.toSet());
        for (Demand demand : demands) {
            DemandSummary ask = DemandSummary.of(demand);
            boolean ever = false;
            for (Map.Entry<String, Place> node : nodes.entrySet()) {
                @Nullable Reason refusal = node.getValue().entry().refusal(ask);
                ever |= refusal == null || refusal.curable();
                if (refusal == null && node.getValue().offers(ask)) {
                    open.add(demand);
                    Place old = before.get(node.getKey());
                    if (old == null || !old.takes(ask)) {
                        opened.add(demand);
                        break;
                    }
                }
            }
            why.put(
                    demand,
                    open.contains(demand) ? WaitReason.ROOM : ever ? wait(ask, nodes.values()) : WaitReason.NEVER);
        }
        return why;
    }

    /** Why that waits which no node can take now. */
    private static WaitReason wait(DemandSummary ask, Collection<Place> nodes) {
        long units = (long) ask.units() * ask.split();
        long cards = ask.cards();
        for (Place node : nodes) {
            units -= node.entry().summary().freeUnits(ask);
            cards -= node.entry().summary().freeCards(ask);
            if (units <= 0 && cards <= 0) {
                return WaitReason.PIECES;
            }
        }
        return WaitReason.FULL;
    }

    private List<PodRef> named(List<PodEntry> hopeful, Map<String, Place> nodes, Instant now) {
        Room room = new Room(nodes);
        List<PodRef> named = new ArrayList<>();
        List<PodEntry> inOrder = hopeful.stream()
                .sorted(Comparator.comparing((PodEntry pod) -> !of(pod).hasItsTurn(now))
                        .thenComparingInt(pod -> of(pod).times())
                        .thenComparing(PodEntry::rank, PodPriority.MOST_FIRST))
                .toList();
        for (PodEntry pod : inOrder) {
            Told last = of(pod);
            boolean hasItsTurn = last.hasItsTurn(now);
            boolean due = last.due(now);
            if ((hasItsTurn || due || last.times() == 0) && named.size() < AT_ONCE && room.take(pod) && due) {
                named.add(pod.ref());
                told.put(pod.ref().uid(), new Told(now, last.times() + 1));
            }
        }
        this.named.addAndGet(named.size());
        return named;
    }

    private Told of(PodEntry pod) {
        return Objects.requireNonNull(told.get(pod.ref().uid()));
    }

    /** A node, and what its kubelet can still give: kube-scheduler goes by that, and hears of a change late. */
    private record Place(NodeEntry entry, Share offer, long units, long cards) {
        static Place of(NodeEntry entry, Share offer) {
            long units = offer.units();
            long cards = offer.wholeCards();
            for (NodeCards.Holding holding : entry.cards().holdings()) {
                Allocation held = holding.allocation();
                for (CardId card : held.cards()) {
                    units -= held.shareOn(card).units();
                    cards -= held.shareOn(card).wholeCards();
                }
            }
            return new Place(entry, offer, units, cards);
        }

        @SuppressWarnings(
                "ReferenceEquality") // An entry is replaced by each change, and comparing all it holds takes long.
        boolean isStill(NodeEntry now, Share offered) {
            return entry == now && offer.equals(offered);
        }

        boolean takes(DemandSummary ask) {
            return entry.refusal(ask) == null && offers(ask);
        }

        boolean offers(DemandSummary ask) {
            return (long) ask.units() * ask.split() <= units && ask.cards() <= cards;
        }

        /** The same with that pod on it; empty if no cards of it will do. */
        Optional<Place> taking(PodEntry pod) {
            return entry.cards().place(pod.demand(), CardOrder.BINPACK)
                            instanceof Placement.Placed(Allocation allocation)
                    ? Optional.of(Place.of(entry.with(pod.ref(), allocation), offer))
                    : Optional.empty();
        }
    }

    /** What is free, less what pods of this round would take. */
    private static final class Room {
        private final Map<String, Place> nodes;
        private final List<String> names;
        // Room only shrinks, so who asks for the same need not look at the first nodes again.
        private final Map<Demand, Integer> from = new HashMap<>();

        Room(Map<String, Place> nodes) {
            this.nodes = new HashMap<>(nodes);
            this.names = List.copyOf(nodes.keySet());
        }

        boolean take(PodEntry pod) {
            DemandSummary ask = DemandSummary.of(pod.demand());
            for (int i = from.getOrDefault(pod.demand(), 0); i < names.size(); i++) {
                Place place = Objects.requireNonNull(nodes.get(names.get(i)));
                Optional<Place> less = place.takes(ask) ? place.taking(pod) : Optional.empty();
                if (less.isPresent()) {
                    from.put(pod.demand(), i);
                    nodes.put(names.get(i), less.get());
                    return true;
                }
            }
            from.put(pod.demand(), names.size());
            return false;
        }
    }
}
