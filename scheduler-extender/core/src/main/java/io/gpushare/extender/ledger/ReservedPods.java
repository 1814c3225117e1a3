package io.gpushare.extender.ledger;

import io.gpushare.extender.ledger.Reservation.Source;
import io.gpushare.model.Allocation;
import io.gpushare.model.PodRef;
import io.gpushare.model.ledger.NodeCards;
import io.gpushare.model.ledger.Placement;
import io.gpushare.model.pod.PodPriority;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What reservations mean for each pod: which of them count against it, and what they leave of a node. */
final class ReservedPods {
    private final Function<String, NodeEntry> nodes;
    private final Reservations reservations;
    private final Function<String, Optional<PodEntry>> pods;

    /**
     * What they mean on these nodes.
     *
     * @param nodes by name
     * @param pods by uid
     */
    ReservedPods(
            Function<String, NodeEntry> nodes, Reservations reservations, Function<String, Optional<PodEntry>> pods) {
        this.nodes = nodes;
        this.reservations = reservations;
        this.pods = pods;
    }

    /** The nodes that are not the same for that pod as for all: see {@link #available}. */
    Map<String, NodeEntry> nodesApart(String uid, int priority) {
        Map<String, List<Reserved>> apart = before(uid, priority).collect(Collectors.groupingBy(Reserved::node));
        pods.apply(uid).stream()
                .flatMap(entry -> entry.holdings().stream())
                .forEach(holding -> apart.putIfAbsent(holding.node(), List.of()));
        Set<String> leaving = apart.isEmpty() ? Set.of() : reservations.leaving();
        Map<String, NodeEntry> available = new HashMap<>();
        apart.forEach(
                (node, reserved) -> available.put(node, available(node, nodes.apply(node), uid, reserved, leaving)));
        return available;
    }

    /** The node as that pod may use it: without the pod's own holding, and without what is reserved before it. */
    NodeEntry available(String node, NodeEntry entry, String uid, int priority) {
        List<Reserved> reserved =
                before(uid, priority).filter(each -> each.node().equals(node)).toList();
        return available(node, entry, uid, reserved, reservations.leaving());
    }

    private NodeEntry available(
            String node, NodeEntry entry, String uid, List<Reserved> reserved, Set<String> leaving) {
        NodeEntry available = entry.without(uid);
        // What the pod itself was promised has its rank among them: those after it go beside it.
        Stream<Reserved> own = reserved(reservations.ofFilter(uid, node).stream());
        List<Reserved> all = Stream.concat(own, reserved.stream()).toList();
        for (Map.Entry<PodRef, Allocation> pod :
                expected(available.cards(), all, leaving).entrySet()) {
            if (!pod.getKey().uid().equals(uid)) {
                available = available.with(pod.getKey(), pod.getValue());
            }
        }
        return available;
    }

    /** Whether something is reserved for the pod, and it will fit there once the terminating pods are gone. */
    boolean awaitsCards(PodRef pod) {
        return reserved(reservations.of(pod.uid()).stream())
                .filter(own -> nodes.apply(own.node()).unavailable() == null)
                .anyMatch(own -> expected(
                                nodes.apply(own.node()).cards(),
                                reserved(reservations.ofPods())
                                        .filter(each -> each.node().equals(own.node()))
                                        .toList(),
                                reservations.leaving())
                        .containsKey(pod));
    }

    /** A waiting pod for which something is reserved. One that holds cards counts by these. */
    private record Reserved(Reservation reservation, PodEntry pod) {
        // Of two with the same priority, the one whose cards filter chose beside the other, then the one for which pods
        // were evicted, even if the other is older. Of two for which filter chose cards, the later choice: it goes
        // beside the earlier one, or took what a more important pod had left of it, and that pod may be gone again.
        private static final Comparator<Reserved> FIRST = Comparator.comparingInt(
                        (Reserved each) -> each.pod().priority().value())
                .reversed()
                .thenComparing(each -> each.reservation().source() != Source.FILTER)
                .thenComparing(Reserved::promisedUntil, Comparator.reverseOrder())
                .thenComparing(each -> !each.reservation().source().evicted())
                .thenComparing(each -> each.pod().priority(), PodPriority.HIGHEST_FIRST)
                .thenComparing(each -> each.pod().ref().uid());

        String node() {
            return reservation.node();
        }

        /** Filter promises for the same time always: the later is what was promised later. */
        private Instant promisedUntil() {
            Instant until = reservation.until();
            return reservation.source() == Source.FILTER && until != null ? until : Instant.MIN;
        }
    }

    private Stream<Reserved> reserved(Stream<Reservation> of) {
        return of.flatMap(each -> pods
                .apply(each.pod())
                .filter(pod -> pod.node() == null
                        && !pod.priority().terminating()
                        && pod.holdings().isEmpty())
                .map(pod -> new Reserved(each, pod))
                .stream());
    }

    /**
     * What counts against that pod: the reservations of pods that are more or as important. Of two pods that expect
     * the same node only one counts against the other, or neither would get the card. Those that filter named the node
     * all fit there together, and each counts.
     */
    private Stream<Reserved> before(String uid, int priority) {
        @Nullable
        Reserved own = reserved(reservations.expected(uid).stream()).findFirst().orElse(null);
        return reserved(reservations.ofPods())
                .filter(each -> !each.pod().ref().uid().equals(uid))
                .filter(each -> (own != null
                                && own.node().equals(each.node())
                                && each.reservation().source() != Source.FILTER)
                        ? Reserved.FIRST.compare(each, own) < 0
                        : each.pod().priority().value() >= priority);
    }

    /**
     * Where such pods fit on their node once the terminating pods are gone, the most important first: on the cards that
     * they were promised, or on any. A pod that does not fit then is omitted: no card waits for it.
     *
     * @param leaving the pods that this extender evicts
     */
    private Map<PodRef, Allocation> expected(NodeCards cards, List<Reserved> which, Set<String> leaving) {
        Map<PodRef, Allocation> expected = new LinkedHashMap<>();
        NodeCards later = which.isEmpty() ? cards : withoutTerminating(cards, leaving);
        for (Reserved each : which.stream().sorted(Reserved.FIRST).toList()) {
            PodEntry pod = each.pod();
            // Its entry may not show yet what it holds here: that must not be replaced.
            if (cards.allocationOf(pod.ref().uid()).isPresent()) {
                continue;
            }
            NodeCards now = later;
            Placement placement = promised(pod, each.node(), later)
                    .<Placement>map(Placement.Placed::new)
                    .orElseGet(() -> now.place(pod.demand()));
            if (placement instanceof Placement.Placed(Allocation allocation)) {
                later = later.with(pod.ref(), allocation);
                expected.put(pod.ref(), allocation);
            }
        }
        return expected;
    }

    /** What filter promised the pod on that node, if it is what the pod requests, and free on these cards. */
    Optional<Allocation> promised(PodEntry pod, String node, NodeCards cards) {
        return reservations
                .ofFilter(pod.ref().uid(), node)
                .map(Reservation::allocation)
                .filter(own -> own.gives(pod.demand())
                        && own.unit().equals(cards.inventory().unit())
                        && cards.fits(own));
    }

    private NodeCards withoutTerminating(NodeCards cards, Set<String> leaving) {
        NodeCards left = cards;
        for (NodeCards.Holding holding : cards.holdings()) {
            String uid = holding.holder().uid();
            boolean terminating = leaving.contains(uid)
                    || pods.apply(uid)
                            .filter(entry -> entry.priority().terminating())
                            .isPresent();
            left = terminating ? left.without(uid) : left;
        }
        return left;
    }
}
