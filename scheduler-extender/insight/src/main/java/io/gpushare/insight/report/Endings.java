package io.gpushare.insight.report;

import io.gpushare.extender.ledger.PodEntry;
import io.gpushare.extender.search.Harm;
import io.gpushare.extender.search.LeavingSearch;
import io.gpushare.extender.search.LeavingSearch.Leaving;
import io.gpushare.insight.report.Explanation.NodeVerdict;
import io.gpushare.model.Allocation;
import io.gpushare.model.Demand;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.CardId;
import io.gpushare.model.ledger.NodeCards.Holding;
import io.gpushare.model.ledger.Placement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Which pods of one node must end so that a pod fits there: those that are being deleted, or few and small ones. */
final class Endings {
    /** The most promising nodes are searched: each takes some milliseconds where its cards are shared by many pods. */
    private static final int MOST_NODES = 32;

    private final Subject subject;
    private final List<Holders> nodes;
    private final Function<PodRef, Optional<PodEntry>> pods;
    private final Set<String> staying;

    /**
     * @param nodes those that the pod accepts
     * @param pods the pods of the ledger
     * @param staying the uids of those that need not end
     */
    Endings(Subject subject, List<NodeVerdict> nodes, Function<PodRef, Optional<PodEntry>> pods, Set<String> staying) {
        this.subject = subject;
        this.pods = pods;
        this.staying = staying;
        this.nodes = nodes.stream()
                .filter(node -> node.why() != null && node.why().resolvable())
                .map(this::holders)
                .toList();
    }

    /** A node with the pods on its cards that may end. */
    private record Holders(NodeVerdict node, List<Ending> endings) {}

    /**
     * A pod that ends, with its holding of so many units; the entry is null if the ledger has lost it meanwhile.
     */
    record Ending(Holding holding, @Nullable PodEntry entry, long units) {
        PodRef pod() {
            return holding.holder();
        }

        boolean bound() {
            return entry == null || entry.node() != null || !entry.holdings().isEmpty();
        }

        boolean terminating() {
            return entry != null && entry.priority().terminating();
        }

        @Nullable
        Instant deadline() {
            return entry == null ? null : entry.deadline();
        }
    }

    /**
     * A set of pods that make room together, none of which could stay.
     *
     * @param room where the pod fits then
     */
    record Room(NodeVerdict node, Allocation room, List<Ending> endings, Harm harm, Instant now) {
        /** When all of them will have ended; empty if that is unknown of one. */
        Optional<Instant> by() {
            return endings.stream().allMatch(each -> each.deadline() != null)
                    ? endings.stream()
                            .flatMap(each -> Stream.ofNullable(each.deadline()))
                            .max(Comparator.naturalOrder())
                    : Optional.empty();
        }

        /** How many of them should have ended by now. */
        long late() {
            return endings.stream()
                    .filter(each -> LeavingText.overdue(each.deadline(), now))
                    .count();
        }

        boolean overdue() {
            return late() > 0;
        }
    }

    /** Room that pods leave which are being deleted, and no others; if possible none that are overdue. */
    Optional<Room> terminating() {
        return rooms(Ending::terminating)
                .min(Comparator.comparing(Room::overdue)
                        .thenComparing(room -> room.by().orElse(Instant.MAX)));
    }

    /** Room that pods of the same Deployment take, which wait until this pod runs. */
    Optional<Room> replaced() {
        return least(rooms(ending -> !ending.terminating() && replaced(ending)));
    }

    /** The smallest set of other pods; nobody waits for those that are overdue. */
    Optional<Room> smallest() {
        return least(rooms(this::other));
    }

    /** The set whose deadlines end it first. */
    Optional<Room> first() {
        return rooms(ending -> ending.deadline() != null && other(ending))
                .min(Comparator.comparing(room -> room.by().orElse(Instant.MAX)));
    }

    private static Optional<Room> least(Stream<Room> rooms) {
        return rooms.min(Comparator.comparing(Room::harm));
    }

    private boolean other(Ending ending) {
        return !replaced(ending) && !LeavingText.overdue(ending.deadline(), subject.now());
    }

    private boolean replaced(Ending ending) {
        return ending.entry() != null
                && subject.replaces(ending.pod(), ending.entry().controller());
    }

    private Demand demand() {
        return subject.demand().cards();
    }

    /** The sets of such pods on the most promising nodes: those where the fewest units leave the cheapest cards. */
    private Stream<Room> rooms(Predicate<Ending> which) {
        return nodes.stream()
                .map(node -> new Holders(
                        node.node(), node.endings().stream().filter(which).toList()))
                .filter(node -> !node.endings().isEmpty())
                .map(node -> Map.entry(promise(node), node))
                .sorted(Map.Entry.comparingByKey())
                .limit(MOST_NODES)
                .flatMap(node -> rooms(node.getValue()));
    }

    private Holders holders(NodeVerdict node) {
        List<Ending> endings = new ArrayList<>();
        for (Holding holding : node.cards().holdings()) {
            if (!staying.contains(holding.holder().uid())) {
                endings.add(new Ending(
                        holding,
                        pods.apply(holding.holder()).orElse(null),
                        node.cards().units(holding.allocation())));
            }
        }
        return new Holders(node, endings);
    }

    private long promise(Holders holders) {
        Map<CardId, Long> units = new HashMap<>();
        for (Ending each : holders.endings()) {
            if (!each.terminating()) {
                each.holding().allocation().cards().forEach(card -> units.merge(card, each.units(), Long::sum));
            }
        }
        return holders.node().cards().cards().stream()
                .filter(state -> state.card().placeable())
                .mapToLong(state -> units.getOrDefault(state.card().id(), 0L))
                .sorted()
                .limit(demand().cards())
                .sum();
    }

    private Stream<Room> rooms(Holders holders) {
        NodeVerdict node = holders.node();
        Map<String, Ending> endings = holders.endings().stream()
                .collect(Collectors.toMap(each -> each.pod().uid(), Function.identity()));
        Map<String, Harm> mayLeave = endings.entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey,
                        each -> each.getValue().terminating()
                                ? Harm.NONE
                                : Harm.ofMove(Math.toIntExact(each.getValue().units()))));
        List<Room> rooms = new ArrayList<>();
        for (Leaving leaving : LeavingSearch.sets(node.cards(), demand(), mayLeave)) {
            Set<String> uids = new HashSet<>(leaving.uids());
            if (!uids.isEmpty()
                    && node.cards().without(uids).place(demand()) instanceof Placement.Placed(Allocation room)) {
                rooms.add(new Room(
                        node,
                        room,
                        leaving.uids().stream()
                                .map(uid -> Objects.requireNonNull(endings.get(uid)))
                                .toList(),
                        leaving.harm(),
                        subject.now()));
            }
        }
        return rooms.stream();
    }
}
