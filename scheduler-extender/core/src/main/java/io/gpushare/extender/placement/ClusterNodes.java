package io.gpushare.extender.placement;

import io.gpushare.extender.capacity.FreeNode;
import io.gpushare.extender.feasibility.FilterResult;
import io.gpushare.extender.feasibility.Reason;
import io.gpushare.extender.ledger.NodeEntry;
import io.gpushare.model.Demand;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * All nodes by name and index, with the facts that a request over thousands of nodes reads, in one array for each fact.
 * Entries are dozens of small objects all over the heap: to visit thousands of them would cost more than the decision.
 *
 * <p>A node keeps its index as long as this object is used, even while the node is gone; when it is full,
 * {@link Placer} makes a new one of the nodes that exist. One thread at a time writes, any thread reads. While a node
 * changes, one array may already have the new value and another still the old one: filter and prioritize see a past
 * state in any case, and bind reads the entry.
 */
public final class ClusterNodes {
    /** The index of a node that is not known. */
    static final int UNKNOWN = -1;

    private static final int MIN_CAPACITY = 1000;

    private final NodeNames names;
    private final NodeEntry[] entries;
    private final FreeNode[] freeNodes;
    // The upper half of FreeNode.order.
    private final int[] orders;
    private final AtomicIntegerArray versions;
    private final RecentCosts costs;
    private final AtomicInteger changes = new AtomicInteger();

    private ClusterNodes(int capacity) {
        names = new NodeNames(capacity);
        entries = new NodeEntry[capacity];
        freeNodes = new FreeNode[capacity];
        orders = new int[capacity];
        versions = new AtomicIntegerArray(capacity);
        costs = new RecentCosts(this);
    }

    /** Without any node. */
    static ClusterNodes empty() {
        return new ClusterNodes(MIN_CAPACITY);
    }

    /** The nodes that exist, in the same order, with space for as many again. */
    ClusterNodes renewed() {
        int[] existing = IntStream.range(0, size())
                .filter(index -> entries[index].kept() != null)
                .toArray();
        ClusterNodes renewed = new ClusterNodes(Math.max(MIN_CAPACITY, 2 * existing.length));
        for (int index : existing) {
            renewed.put(name(index), entries[index]);
        }
        return renewed;
    }

    /** Updates that node, or forgets it for null. Returns false if there is no space for it. */
    boolean put(String name, @Nullable NodeEntry now) {
        int known = index(name);
        if (known < 0 && now == null) {
            return true;
        }
        if (known < 0 && size() == capacity()) {
            return false;
        }
        NodeEntry entry = NodeEntry.orUnseen(now);
        set(name, entry, FreeNodes.offered(name, entry));
        changed();
        return true;
    }

    /** Sets all facts of the node, and does not count the change yet. */
    void set(String name, NodeEntry entry, FreeNode free) {
        int known = index(name);
        int index = known < 0 ? size() : known;
        entries[index] = entry;
        freeNodes[index] = free;
        versions.set(index, Math.max(1, versions.get(index) + 1));
        if (known < 0) {
            orders[index] = (int) (FreeNode.of(name, 0, 0, 0, List.of()).order() >>> Integer.SIZE);
            // After all arrays: a reader that finds the index finds its values.
            names.add(name);
        }
    }

    /** Counts a change that is complete: a reader of this count sees the whole change. */
    void changed() {
        changes.incrementAndGet();
    }

    /** The number of indices in use: all below it are nodes. */
    int size() {
        return names.size();
    }

    /** An upper bound of all indices, now and later. */
    int capacity() {
        return entries.length;
    }

    /** The name of the node with that index. */
    String name(int index) {
        return names.name(index);
    }

    /** The index of the node with that name, or {@link #UNKNOWN}. */
    int index(String name) {
        return names.index(name);
    }

    /** The index of the node whose name is these bytes of ASCII; below 0 for an unknown node. */
    public int index(byte[] in, int from, int to) {
        return names.index(in, from, to);
    }

    /** The nodes with these indices, in this order. The array is not copied. */
    public NodeIndices nodes(int... indices) {
        return new NodeIndices(this, indices);
    }

    /** All nodes. */
    public NodeIndices all() {
        return nodes(IntStream.range(0, size()).toArray());
    }

    /** The nodes with these names, in this order. */
    public NodeIndices named(List<String> these) {
        return nodes(these.stream().mapToInt(this::index).toArray());
    }

    /** Which of these nodes can take the demand. */
    FilterResult.Draft filter(int[] of, Demand demand) {
        return new FilterResult.Draft(
                of.length, place -> of[place] < 0 ? Reason.UNKNOWN_NODE : entries[of[place]].refusal(demand));
    }

    /** What recent kinds of pods cost on these nodes. */
    RecentCosts costs() {
        return costs;
    }

    /** What is free on the node now. */
    FreeNode node(int index) {
        return freeNodes[index];
    }

    /** Whether the one is before the other in {@link FreeNode#ORDER}. */
    boolean isBefore(int one, int other) {
        return orders[one] != orders[other]
                ? orders[one] < orders[other]
                : FreeNode.ORDER.compare(freeNodes[one], freeNodes[other]) < 0;
    }

    /** Counts the changes of all nodes, each once it is complete; a version that is read afterwards is no older. */
    int changes() {
        return changes.get();
    }

    /** Counts the changes of one node, from 1; a node that is read afterwards is no older. */
    int version(int index) {
        return versions.getAcquire(index);
    }
}
