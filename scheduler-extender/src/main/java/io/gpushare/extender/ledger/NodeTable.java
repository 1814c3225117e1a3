package io.gpushare.extender.ledger;

import io.gpushare.extender.capacity.ClusterCapacity;
import io.gpushare.extender.feasibility.Reason;
import io.gpushare.extender.pod.CardKinds;
import io.gpushare.model.HostResources;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Share;
import io.gpushare.model.codec.AnnotationKeys;
import io.gpushare.model.codec.Decoded;
import io.gpushare.model.codec.HoldCodec;
import io.gpushare.model.codec.InventoryCodec;
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
    // The same nodes for requests that name thousands of them.
    private volatile NodeColumns columns = NodeColumns.empty();
    private final Map<String, String> addresses = new ConcurrentHashMap<>();
    private final Map<String, HoldCodec> holds = new ConcurrentHashMap<>();
    private final Map<String, Share> offers = new ConcurrentHashMap<>();
    private final Map<String, Plugin> plugins = new ConcurrentHashMap<>();
    private final AtomicBoolean changed = new AtomicBoolean();
    private final AtomicBoolean kindsChanged = new AtomicBoolean();
    private volatile CardKinds kinds = CardKinds.NONE;

    /** The device plugin's pod on a node, and the address of its metrics. */
    private record Plugin(String uid, String metrics) {}

    NodeEntry entry(String name) {
        return NodeEntry.orUnseen(nodes.get(name));
    }

    NodeColumns columns() {
        return columns;
    }

    /** The nodes as they are now, by name. */
    Map<String, NodeEntry> entries() {
        return Map.copyOf(nodes);
    }

    void change(String name, UnaryOperator<NodeEntry> change) {
        nodes.compute(name, (key, before) -> {
            @Nullable NodeEntry now = change.apply(NodeEntry.orUnseen(before)).kept();
            publish(name, now);
            return now;
        });
    }

    private synchronized void publish(String name, @Nullable NodeEntry now) {
        if (!columns.put(name, now)) {
            NodeColumns renewed = columns.renewed();
            renewed.put(name, now);
            columns = renewed;
        }
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

    void allocatable(String name, Share devices) {
        offers.put(name, devices);
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
        changed.set(true);
        kindsChanged.set(true);
        return !same;
    }

    /** The hold by the node's annotation; one that has ended stays until the annotation changes. */
    HoldCodec hold(String name) {
        return holds.getOrDefault(name, HoldCodec.NONE);
    }

    /** The node's cards are held so from now on. */
    void hold(String name, HoldCodec now) {
        if (now.written().isEmpty()) {
            holds.remove(name);
        } else {
            holds.put(name, now);
        }
        change(name, entry -> entry.unusable() == null ? entry.held(name, held(name)) : entry);
    }

    /** The holds of all nodes that have one, or had one. */
    Map<String, HoldCodec> holds() {
        return Map.copyOf(holds);
    }

    private Set<CardId> held(String name) {
        return hold(name).cards();
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

    /** The cards of all nodes, if they may have changed since the last call. */
    Optional<ClusterCapacity> changedCapacity() {
        return changed.getAndSet(false)
                ? Optional.of(ClusterCapacity.of(
                        entries().values().stream().map(NodeEntry::empty).toList()))
                : Optional.empty();
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
                if (inventory.noCards() == null) {
                    LOG.info(
                            "node {}: {} cards, unit {}",
                            name,
                            inventory.cards().size(),
                            inventory.unit());
                } else {
                    LOG.warn("node {}: {}", name, inventory.noCards().sentences());
                }
                yield entry -> entry.known(name, inventory, String.valueOf(written), allocatable)
                        .held(name, held(name));
            }
        };
    }

    /** A node was deleted. The holdings of its pods are kept until the pods are deleted too. */
    void remove(String name) {
        addresses.remove(name);
        offers.remove(name);
        change(name, entry -> entry.unusable(Reason.UNKNOWN_NODE, null));
        changed.set(true);
        kindsChanged.set(true);
    }

    List<Ledger.NodeView> views() {
        return entries().entrySet().stream()
                .map(node -> view(node.getKey(), node.getValue()))
                .sorted(Comparator.comparing(Ledger.NodeView::name))
                .toList();
    }

    Optional<Ledger.NodeView> view(String name) {
        return Optional.ofNullable(nodes.get(name)).map(entry -> view(name, entry));
    }

    private Ledger.NodeView view(String name, NodeEntry entry) {
        @Nullable Plugin plugin = plugins.get(name);
        return new Ledger.NodeView(
                name,
                addresses.get(name),
                plugin == null ? null : plugin.metrics(),
                entry.unavailable(),
                entry.cards());
    }
}
