package io.gpushare.extender.ledger;

import io.gpushare.extender.ledger.Reservation.Source;
import io.gpushare.model.card.CardId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All that is kept for pods that are not bound yet. A pod has at most one reservation from each source, and a node at
 * most one from its annotation. Each change is atomic; nothing here decides which pods a reservation keeps out.
 */
final class Reservations {
    // Immutable maps by the pod's uid.
    private final Map<String, Map<Source, Reservation>> pods = new ConcurrentHashMap<>();
    // Those of DEFRAGMENTATION by node, also ended ones, so that the same annotation does not revive them.
    private final Map<String, Reservation> nodes = new ConcurrentHashMap<>();

    /** The same at this moment. */
    Reservations copy() {
        Reservations copy = new Reservations();
        copy.pods.putAll(pods);
        copy.nodes.putAll(nodes);
        return copy;
    }

    /** Adds it, in place of an earlier one of the pod from that source. */
    void put(Reservation made) {
        change(made.pod(), made.source(), _ -> made);
    }

    /**
     * The API shows this reservation for the pod from that source, or none for null. One that it showed before keeps
     * its time.
     */
    void show(String pod, Source source, @Nullable Reservation shown) {
        if (shown != null || pods.containsKey(pod)) {
            change(pod, source, before -> before != null && shown != null && before.sameAs(shown) ? before : shown);
        }
    }

    /** Ends the pod's reservation from that source. */
    void end(String pod, Source source) {
        change(pod, source, _ -> null);
    }

    /** The API still shows what should have ended: it gets a new limit, so that it is over once in each. */
    void renew(Reservation over) {
        change(
                over.pod(),
                over.source(),
                now -> over.equals(now) ? Reservation.shown(over.source(), over.pod(), over.node()) : now);
    }

    /** Ends all reservations from that source. */
    void endAll(Source source) {
        pods.keySet().forEach(pod -> end(pod, source));
    }

    /** The pod is bound, ended or gone: it needs no reservation. */
    void remove(String pod) {
        pods.remove(pod);
    }

    private void change(String pod, Source source, UnaryOperator<@Nullable Reservation> change) {
        pods.compute(pod, (_, before) -> {
            Map<Source, Reservation> changed = new EnumMap<>(Source.class);
            if (before != null) {
                changed.putAll(before);
            }
            @Nullable Reservation now = change.apply(changed.remove(source));
            if (now != null) {
                changed.put(source, now);
            }
            return changed.isEmpty() ? null : changed;
        });
    }

    /** The node's annotation says this now; null for nothing. Returns whether that is new. */
    boolean showNode(String node, @Nullable Reservation shown) {
        @Nullable Reservation before = nodes.get(node);
        if (shown == null) {
            return before != null && nodes.remove(node) != null;
        }
        if (before != null && before.mark().equals(shown.mark())) {
            return false;
        }
        nodes.put(node, shown);
        return true;
    }

    /** Ends the node's reservation, unless its annotation has changed meanwhile. Returns whether it ended. */
    boolean endNode(Reservation over) {
        Reservation ended = over.ended();
        return ended.equals(nodes.computeIfPresent(over.node(), (_, now) -> now.sameAs(over) ? ended : now));
    }

    /** The cards of that node that accept no pod. */
    Set<CardId> cards(String node) {
        @Nullable Reservation reserved = nodes.get(node);
        return reserved == null ? Set.of() : reserved.cards();
    }

    /** The reservation that counts for the pod: the one from its strongest source. */
    Optional<Reservation> of(String pod) {
        @Nullable Map<Source, Reservation> own = pods.get(pod);
        return own == null
                ? nodes.values().stream().filter(each -> each.pod().equals(pod)).findFirst()
                : own.values().stream().findFirst();
    }

    /** What filter promised the pod on that node. */
    Optional<Reservation> ofFilter(String pod, String node) {
        return Optional.ofNullable(pods.getOrDefault(pod, Map.of()).get(Source.FILTER))
                .filter(each -> each.node().equals(node));
    }

    /** As {@link #of}, but for what filter named: where the pod is expected to fit when others have left. */
    Optional<Reservation> expected(String pod) {
        @Nullable Map<Source, Reservation> own = pods.get(pod);
        return own == null
                ? of(pod)
                : own.values().stream()
                        .filter(each -> each.source() != Source.FILTER)
                        .findFirst();
    }

    /** Whether kube-scheduler nominates the pod to that node. */
    boolean nominated(String pod, String node) {
        @Nullable Reservation shown = pods.getOrDefault(pod, Map.of()).get(Source.NOMINATION);
        return shown != null && shown.node().equals(node);
    }

    /** The reservations that count, one for each pod: those of amounts, not of certain cards. */
    Stream<Reservation> ofPods() {
        return Stream.concat(
                pods.values().stream().flatMap(each -> each.values().stream().limit(1)),
                nodes.values().stream().filter(each -> !each.pod().isEmpty() && !pods.containsKey(each.pod())));
    }

    /** Those by the nodes' annotations that have not ended. */
    Collection<Reservation> ofNodes() {
        return nodes.values().stream().filter(each -> !each.empty()).toList();
    }

    /** The pods that this extender evicts for others. */
    Set<String> leaving() {
        return ofPods().flatMap(each -> each.leaving().stream()).collect(Collectors.toSet());
    }

    /** Those whose time is over. One that the API shows gets its limit when it is first seen here. */
    List<Reservation> over(Instant now) {
        nodes.replaceAll((_, each) -> each.empty() ? each : each.limited(now));
        pods.replaceAll((_, each) -> {
            // One of this extender has its own time, which counts for what the API shows of it too.
            if (each.containsKey(Source.EVICTION)) {
                return each;
            }
            Map<Source, Reservation> limited = new EnumMap<>(each);
            limited.replaceAll((_, reserved) -> reserved.limited(now));
            return limited;
        });
        List<Reservation> over = new ArrayList<>();
        ofPods().filter(each -> each.source() != Source.DEFRAGMENTATION && each.over(now))
                .forEach(over::add);
        ofNodes().stream().filter(each -> each.over(now)).forEach(over::add);
        return over;
    }
}
