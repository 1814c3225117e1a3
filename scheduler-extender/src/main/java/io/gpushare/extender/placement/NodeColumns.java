package io.gpushare.extender.placement;

import io.gpushare.extender.capacity.FreeNode;
import io.gpushare.extender.capacity.IndexedNodes;
import io.gpushare.extender.feasibility.FilterResult;
import io.gpushare.extender.feasibility.Reason;
import io.gpushare.extender.ledger.NodeEntry;
import io.gpushare.extender.policy.RecentCosts;
import io.gpushare.model.Demand;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The facts about each node that a request over thousands of nodes reads, in one array for each fact. Entries are
 * dozens of small objects all over the heap: to visit thousands of them would cost more than the decision.
 *
 * <p>A node keeps its index as long as the columns are used, even while it is gone; when they are full, {@link Placer}
 * makes new columns of the nodes that exist. One thread at a time writes, any thread reads. While a node changes, one
 * column may already have the new value and another still the old one: filter and prioritize see a past state in any
 * case, and bind reads the entry.
 */
final class NodeColumns implements NodeDirectory, IndexedNodes {
    private static final int MIN_CAPACITY = 1000;

    private final Map<String, Integer> indices = new ConcurrentHashMap<>();
    private final String[] names;
    private final NodeEntry[] entries;
    private final FreeNode[] freeNodes;
    // The upper half of FreeNode.order.
    private final int[] orders;
    private final AtomicIntegerArray versions;
    private final RecentCosts costs;
    private volatile int size;
    private final AtomicInteger changes = new AtomicInteger();

    private NodeColumns(int capacity) {
        names = new String[capacity];
        entries = new NodeEntry[capacity];
        freeNodes = new FreeNode[capacity];
        orders = new int[capacity];
        versions = new AtomicIntegerArray(capacity);
        costs = new RecentCosts(this);
    }

    /** Columns without any node. */
    static NodeColumns empty() {
        return new NodeColumns(MIN_CAPACITY);
    }

    /** New columns of the nodes that exist, in the same order, with space for as many again. */
    NodeColumns renewed() {
        int[] existing = IntStream.range(0, size)
                .filter(index -> entries[index].kept() != null)
                .toArray();
        NodeColumns renewed = new NodeColumns(Math.max(MIN_CAPACITY, 2 * existing.length));
        for (int index : existing) {
            renewed.put(names[index], entries[index]);
        }
        return renewed;
    }

    /** Updates that node, or forgets it for null. Returns false if the columns are full. */
    boolean put(String name, @Nullable NodeEntry now) {
        @Nullable Integer known = indices.get(name);
        if (known == null && now == null) {
            return true;
        }
        if (known == null && size == names.length) {
            return false;
        }
        int index = known == null ? size : known;
        NodeEntry entry = NodeEntry.orUnseen(now);
        names[index] = name;
        entries[index] = entry;
        freeNodes[index] = FreeNodes.offered(name, entry);
        versions.set(index, Math.max(1, versions.get(index) + 1));
        if (known == null) {
            orders[index] = (int) (FreeNode.of(name, 0, 0, 0, List.of()).order() >>> Integer.SIZE);
            size = index + 1;
            // After all columns: a reader that finds the index finds its values.
            indices.put(name, index);
        }
        // Last: a reader of this count sees the whole change.
        changes.incrementAndGet();
        return true;
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    public String name(int index) {
        return names[index];
    }

    @Override
    public int index(String name) {
        return indices.getOrDefault(name, UNKNOWN);
    }

    @Override
    public NodeIndices nodes(int... of) {
        return new NodeIndices(this, of);
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

    @Override
    public int capacity() {
        return names.length;
    }

    @Override
    public FreeNode node(int index) {
        return freeNodes[index];
    }

    @Override
    public boolean isBefore(int one, int other) {
        return orders[one] != orders[other]
                ? orders[one] < orders[other]
                : FreeNode.ORDER.compare(freeNodes[one], freeNodes[other]) < 0;
    }

    @Override
    public int changes() {
        return changes.get();
    }

    @Override
    public int version(int index) {
        return versions.getAcquire(index);
    }
}
