package io.gpushare.extender.ledger;

import io.gpushare.extender.feasibility.Reason;
import io.gpushare.extender.pod.CardKinds;
import io.gpushare.model.HostResources;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Share;
import io.gpushare.model.card.ShareKind;
import io.gpushare.model.codec.AnnotationKeys;
import io.gpushare.model.codec.Decoded;
import io.gpushare.model.codec.InventoryCodec;
import io.gpushare.model.codec.ReservationCodec;
import io.gpushare.model.node.NodeFacts;
import io.gpushare.model.request.DemandCodec;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The ledger's nodes: immutable entries by name, each replaced atomically. */
final class NodeTable {
    private static final Logger LOG = LoggerFactory.getLogger(NodeTable.class);

    private final Map<String, NodeEntry> nodes = new ConcurrentHashMap<>();
    private final Reservations reservations;
    private volatile LedgerListener listener = LedgerListener.NONE;
    private final DemandCodec demands;
    private final Map<String, String> addresses = new ConcurrentHashMap<>();
    private final Map<String, Share> offers = new ConcurrentHashMap<>();
    // By node, the names of resources of which its kubelet has no healthy device; nodes that have some.
    private final Map<String, Set<String>> exhausted = new ConcurrentHashMap<>();
    private final Map<String, Plugin> plugins = new ConcurrentHashMap<>();
    private final AtomicBoolean kindsChanged = new AtomicBoolean();
    private volatile CardKinds kinds = CardKinds.NONE;
    private volatile CardTaints taints = CardTaints.NONE;

    /** The device plugin's pod on a node, and the address of its metrics. */
    private record Plugin(String uid, String metrics) {}

    NodeTable(Reservations reservations, DemandCodec demands) {
        this.reservations = reservations;
        this.demands = demands;
    }

    void follow(LedgerListener follower) {
        listener = follower;
    }

    NodeEntry entry(String name) {
        return NodeEntry.orUnseen(nodes.get(name));
    }

    boolean known(String name) {
        return nodes.containsKey(name);
    }

    /** The nodes as they are now, by name. */
    Map<String, NodeEntry> entries() {
        return Map.copyOf(nodes);
    }

    @SuppressWarnings("ReferenceEquality") // a step that changes nothing returns the same object
    void change(String name, UnaryOperator<NodeEntry> change) {
        nodes.compute(name, (key, before) -> {
            @Nullable NodeEntry now = change.apply(NodeEntry.orUnseen(before)).kept();
            if (now == before) {
                return before;
            }
            listener.nodeChanged(name, now);
            return now;
        });
    }

    void address(String name, @Nullable String address) {
        if (address == null) {
            addresses.remove(name);
        } else {
            addresses.put(name, address);
        }
    }

    void pluginMetrics(String node, PodRef pod, @Nullable String metrics) {
        if (metrics != null) {
            plugins.put(node, new Plugin(pod.uid(), metrics));
        } else {
            // The pod that replaces it may be known already.
            plugins.computeIfPresent(node, (name, plugin) -> plugin.uid().equals(pod.uid()) ? null : plugin);
        }
    }

    void allocatable(String name, Share devices, Set<String> none) {
        offers.put(name, devices);
        if (none.isEmpty()) {
            exhausted.remove(name);
        } else {
            exhausted.put(name, none);
        }
    }

    /** A live view. */
    ExhaustedDevices exhausted() {
        return new ExhaustedDevices(exhausted);
    }

    Share allocatable(String name) {
        return offers.getOrDefault(name, Share.NONE);
    }

    /** A node was added or changed. Called from one thread, in order. Returns whether its inventory changed. */
    boolean update(String name, Map<String, String> annotations, HostResources allocatable) {
        @Nullable String written = annotations.get(AnnotationKeys.INVENTORY);
        NodeEntry before = entry(name);
        boolean same = !before.unseen() && Objects.equals(before.written(), written);
        if (same && (before.unusable() != null || before.allocatable().equals(allocatable))) {
            return false; // a heartbeat, as most node events are
        }
        change(name, same ? entry -> entry.having(allocatable) : reading(name, annotations, written, allocatable));
        taint(name); // once more: they may have changed while the node was not in the table
        kindsChanged.set(true);
        listener.cardsChanged();
        return !same;
    }

    /** The cards have exactly these taints from now on, also those of nodes that come. */
    void taint(CardTaints now) {
        taints = now;
        nodes.keySet().forEach(this::taint);
    }

    private void taint(String name) {
        change(name, entry -> entry.tainted(name, taints));
    }

    /** What pods may require of a node that was added or changed. */
    void facts(String name, NodeFacts facts) {
        change(name, entry -> entry.with(facts));
    }

    /** The node's annotations reserve this from now on. */
    void reserve(String name, ReservationCodec annotation) {
        // Before the cards are open, or another pod could get them.
        if (reservations.showNode(name, Reservation.annotated(name, annotation))) {
            reserve(name);
        }
    }

    /** Ends the reservation, unless the node's annotation has changed meanwhile. */
    void endReservation(Reservation over) {
        if (reservations.endNode(over)) {
            reserve(over.node());
        }
    }

    private void reserve(String name) {
        change(name, entry -> entry.unusable() == null ? entry.reserved(reservations.cards(name)) : entry);
    }

    /** The kinds of cards of all nodes. */
    CardKinds kinds() {
        if (kindsChanged.getAndSet(false)) {
            kinds = CardKinds.of(entries().values().stream()
                    .map(entry -> entry.cards().inventory())
                    .toList());
        }
        return kinds;
    }

    /** The device plugins of exactly these nodes do not renew their Leases. */
    void stale(Set<String> names) {
        nodes.forEach((name, entry) -> {
            boolean stale = names.contains(name);
            if (entry.stale() != stale) {
                change(name, now -> now.stale(stale));
            }
        });
    }

    private UnaryOperator<NodeEntry> reading(
            String name, Map<String, String> annotations, @Nullable String written, HostResources allocatable) {
        return switch (InventoryCodec.decode(annotations)) {
            case Decoded.Absent<Inventory>() -> entry -> entry.unusable(Reason.NO_INVENTORY, written);
            case Decoded.Malformed<Inventory>(String reason) -> {
                LOG.warn("node {}: inventory rejected, no pod is placed there: {}", name, reason);
                yield entry -> entry.unusable(Reason.BAD_INVENTORY, written);
            }
            case Decoded.Valid<Inventory>(Inventory inventory) -> {
                boolean claims = inventory.servesClaims();
                if (inventory.noCards() == null || claims) {
                    LOG.info(
                            "node {}: {} cards, unit {}{}",
                            name,
                            inventory.cards().size(),
                            inventory.unit(),
                            claims ? ", by claims" : "");
                } else {
                    LOG.warn("node {}: {}", name, inventory.noCards().sentences());
                }
                Optional<String> difference = demands.difference(inventory);
                difference.ifPresent(sentence -> LOG.warn("node {}: {}", name, sentence));
                Inventory counted = difference.isEmpty()
                        ? inventory
                        : inventory.withBeside(inventory.beside().without(ShareKind.SLOTS));
                yield entry -> entry.known(counted, String.valueOf(written), allocatable)
                        .reserved(reservations.cards(name))
                        .tainted(name, taints);
            }
        };
    }

    /** A node was deleted. The holdings of its pods are kept until the pods are deleted too. */
    void remove(String name) {
        addresses.remove(name);
        offers.remove(name);
        exhausted.remove(name);
        change(name, entry -> entry.unusable(Reason.UNKNOWN_NODE, null));
        kindsChanged.set(true);
        listener.cardsChanged();
    }

    /** These nodes for users, by name. */
    List<ClusterState.NodeView> views(Map<String, NodeEntry> of) {
        return of.entrySet().stream()
                .map(node -> view(node.getKey(), node.getValue()))
                .sorted(Comparator.comparing(ClusterState.NodeView::name))
                .toList();
    }

    /** That node for users; empty if it has no inventory, pod or API object. */
    Optional<ClusterState.NodeView> view(String name) {
        return Optional.ofNullable(nodes.get(name)).map(entry -> view(name, entry));
    }

    private ClusterState.NodeView view(String name, NodeEntry entry) {
        @Nullable Plugin plugin = plugins.get(name);
        return new ClusterState.NodeView(
                name,
                addresses.get(name),
                plugin == null ? null : plugin.metrics(),
                entry.unavailable(),
                entry.shut(),
                entry.cards());
    }
}
