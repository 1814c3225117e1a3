package io.gpushare.insight.report;

import io.gpushare.extender.ledger.PodEntry;
import io.gpushare.extender.search.Harm;
import io.gpushare.extender.search.LeavingSearch;
import io.gpushare.extender.search.LeavingSearch.Leaving;
import io.gpushare.insight.report.Explanation.NodeVerdict;
import io.gpushare.model.Allocation;
import io.gpushare.model.Demand;
import io.gpushare.model.PodRef;
import io.gpushare.model.ledger.NodeCards;
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
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Which pods of one node must end so that a pod fits there: those that are being deleted, or few and small ones. */
final class Endings {
    /** The most promising nodes are searched: a search takes up to some milliseconds. */
    private static final int MOST_NODES = 100;

    private final Subject subject;
    private final List<NodeVerdict> nodes;
    private final Function<PodRef, Optional<PodEntry>> pods;

    /**
     * @param nodes those that the pod accepts
     * @param pods the pods of the ledger
     */
    Endings(Subject subject, List<NodeVerdict> nodes, Function<PodRef, Optional<PodEntry>> pods) {
        this.subject = subject;
        this.nodes = nodes.stream()
                .filter(node -> node.why() != null && node.why().resolvable())
                .toList();
        this.pods = pods;
    }

    /** A pod that ends, with its holding; the entry is null if the ledger has lost it meanwhile. */
    record Ending(Holding holding, @Nullable PodEntry entry) {
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
    record Room(NodeVerdict node, Allocation room, List<Ending> endings, Harm harm) {
        /** When all of them will have ended; empty if that is unknown of one. */
        Optional<Instant> by() {
            return endings.stream().allMatch(each -> each.deadline() != null)
                    ? endings.stream()
                            .flatMap(each -> Stream.ofNullable(each.deadline()))
                            .max(Comparator.naturalOrder())
                    : Optional.empty();
        }
    }

    /** Room that pods leave which are being deleted, and no others. */
    Optional<Room> terminating() {
        return rooms(Ending::terminating)
                .min(Comparator.comparing(room -> room.by().orElse(Instant.MAX)));
    }

    /** Room that pods of the same Deployment take, which wait until this pod runs. */
    Optional<Room> replaced() {
        return least(rooms(ending -> !ending.terminating() && replaced(ending)));
    }

    /** The smallest set of other pods. */
    Optional<Room> smallest() {
        return least(rooms(ending -> !replaced(ending)));
    }

    /** The set whose deadlines end it first. */
    Optional<Room> first() {
        return rooms(ending -> ending.deadline() != null && !replaced(ending))
                .min(Comparator.comparing(room -> room.by().orElse(Instant.MAX)));
    }

    private static Optional<Room> least(Stream<Room> rooms) {
        return rooms.min(Comparator.comparing(Room::harm));
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
        record Searched(NodeVerdict node, Map<String, Ending> endings, long promise) {}
        return nodes.stream()
                .map(node -> {
                    Map<String, Ending> endings = endings(node, which);
                    return new Searched(node, endings, promise(node.cards(), endings));
                })
                .filter(node -> !node.endings().isEmpty())
                .sorted(Comparator.comparingLong(Searched::promise))
                .limit(MOST_NODES)
                .flatMap(node -> rooms(node.node(), node.endings()));
    }

    private Map<String, Ending> endings(NodeVerdict node, Predicate<Ending> which) {
        Map<String, Ending> endings = new HashMap<>();
        for (Holding holding : node.cards().holdings()) {
            Ending ending = new Ending(holding, pods.apply(holding.holder()).orElse(null));
            if (which.test(ending)) {
                endings.put(holding.holder().uid(), ending);
            }
        }
        return endings;
    }

    private long promise(NodeCards cards, Map<String, Ending> endings) {
        return cards.cards().stream()
                .filter(state -> state.card().placeable())
                .flatMapToLong(state -> LongStream.of(endings.values().stream()
                        .filter(each -> !each.terminating()
                                && each.holding()
                                        .allocation()
                                        .cards()
                                        .contains(state.card().id()))
                        .mapToLong(each -> cards.units(each.holding().allocation()))
                        .sum()))
                .sorted()
                .limit(demand().cards())
                .sum();
    }

    private Stream<Room> rooms(NodeVerdict node, Map<String, Ending> endings) {
        Map<String, Harm> mayLeave = endings.entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey,
                        each -> each.getValue().terminating()
                                ? Harm.NONE
                                : Harm.ofMove(Math.toIntExact(node.cards()
                                        .units(each.getValue().holding().allocation())))));
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
                        leaving.harm()));
            }
        }
        return rooms.stream();
    }
}
