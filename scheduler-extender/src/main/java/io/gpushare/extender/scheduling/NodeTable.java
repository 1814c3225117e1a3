package io.gpushare.extender.scheduling;

import io.gpushare.extender.placement.Capacity;
import io.gpushare.model.Compute;
import io.gpushare.model.Inventory;
import io.gpushare.model.PodRef;
import io.gpushare.model.codec.AnnotationKeys;
import io.gpushare.model.codec.Decoded;
import io.gpushare.model.codec.InventoryCodec;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The ledger's nodes: immutable entries in their places, each replaced in one atomic step. */
final class NodeTable {
    private static final Logger LOG = LoggerFactory.getLogger(NodeTable.class);

    private final Map<String, NodePlace> nodes = new ConcurrentHashMap<>();
    private final Numbers numbers = new Numbers();
    private final Map<String, String> addresses = new ConcurrentHashMap<>();
    private final Map<String, Plugin> plugins = new ConcurrentHashMap<>();
    private final AtomicBoolean changed = new AtomicBoolean();
    private final AtomicBoolean kindsChanged = new AtomicBoolean();
    private volatile KnownKinds kinds = KnownKinds.NONE;

    /** A node's device plugin, and where it tells what is used. */
    private record Plugin(String uid, String metrics) {}

    /** Small numbers, each taken once at a time. */
    private static final class Numbers {
        private final BitSet taken = new BitSet();

        synchronized int take() {
            int number = taken.nextClearBit(0);
            taken.set(number);
            return number;
        }

        synchronized void free(int number) {
            taken.clear(number);
        }
    }

    NodeEntry entry(String name) {
        return entryAt(nodes.get(name));
    }

    NodeEntry entry(NodeName name) {
        return entryAt(place(name));
    }

    /** Where that node is; null when nothing is known of it. */
    @Nullable
    NodePlace place(NodeName name) {
        @Nullable NodePlace known = name.place();
        if (known != null && known.entry() != null) {
            return known;
        }
        @Nullable NodePlace found = nodes.get(name.toString());
        name.foundAt(found);
        return found;
    }

    private static NodeEntry entryAt(@Nullable NodePlace place) {
        return NodeEntry.orUnheard(place == null ? null : place.entry());
    }

    Map<String, NodeEntry> entries() {
        Map<String, NodeEntry> entries = new HashMap<>();
        nodes.forEach((name, place) -> {
            @Nullable NodeEntry entry = place.entry();
            if (entry != null) {
                entries.put(name, entry);
            }
        });
        return entries;
    }

    void change(String name, UnaryOperator<NodeEntry> change) {
        nodes.compute(name, (key, place) -> {
            @Nullable NodeEntry now = change.apply(entryAt(place)).kept();
            if (place != null) {
                place.become(now);
                if (now == null) {
                    numbers.free(place.number());
                }
                return now == null ? null : place;
            }
            return now == null ? null : new NodePlace(numbers.take(), now);
        });
    }

    void at(String name, @Nullable String address) {
        if (address == null) {
            addresses.remove(name);
        } else {
            addresses.put(name, address);
        }
    }

    void pluginAt(String node, PodRef pod, @Nullable String metrics) {
        if (metrics != null) {
            plugins.put(node, new Plugin(pod.uid(), metrics));
        } else {
            // The one that came after it may be known already.
            plugins.computeIfPresent(node, (name, plugin) -> plugin.uid().equals(pod.uid()) ? null : plugin);
        }
    }

    /** A node is there, or changed; told from one thread, in order. */
    void seen(String name, Map<String, String> annotations, Compute allocatable) {
        @Nullable String written = annotations.get(AnnotationKeys.INVENTORY);
        NodeEntry before = entry(name);
        boolean same = !before.unheard() && Objects.equals(before.written(), written);
        if (same && (before.unusable() != null || before.allocatable().equals(allocatable))) {
            return; // a heartbeat: most node events are
        }
        change(name, same ? entry -> entry.having(allocatable) : reading(name, annotations, written, allocatable));
        changed.set(true);
        kindsChanged.set(true);
    }

    /** Which kinds of cards the nodes have. */
    KnownKinds kinds() {
        if (kindsChanged.getAndSet(false)) {
            kinds = KnownKinds.of(entries().values().stream()
                    .map(entry -> entry.cards().inventory())
                    .toList());
        }
        return kinds;
    }

    /** The cards of all nodes, when they may have changed since this was asked the last time. */
    Optional<Capacity> changedCapacity() {
        return changed.getAndSet(false)
                ? Optional.of(Capacity.of(
                        entries().values().stream().map(NodeEntry::empty).toList()))
                : Optional.empty();
    }

    private static UnaryOperator<NodeEntry> reading(
            String name, Map<String, String> annotations, @Nullable String written, Compute allocatable) {
        return switch (InventoryCodec.decode(annotations)) {
            case Decoded.Absent<Inventory>() -> entry -> entry.unusable(Reason.NO_INVENTORY, written);
            case Decoded.Malformed<Inventory>(String reason) -> {
                LOG.warn("node {}: no pod is placed there: {}", name, reason);
                yield entry -> entry.unusable(Reason.BAD_INVENTORY, written);
            }
            case Decoded.Valid<Inventory>(Inventory inventory) -> {
                LOG.info("node {}: {} cards, unit {}", name, inventory.cards().size(), inventory.unit());
                yield entry -> entry.known(name, inventory, String.valueOf(written), allocatable);
            }
        };
    }

    /** A node is gone. What pods hold there is kept until they are gone too. */
    void gone(String name) {
        addresses.remove(name);
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
        return Optional.ofNullable(nodes.get(name)).map(NodePlace::entry).map(entry -> view(name, entry));
    }

    private Ledger.NodeView view(String name, NodeEntry entry) {
        @Nullable Plugin plugin = plugins.get(name);
        return new Ledger.NodeView(
                name, addresses.get(name), plugin == null ? null : plugin.metrics(), entry.unusable(), entry.cards());
    }
}
