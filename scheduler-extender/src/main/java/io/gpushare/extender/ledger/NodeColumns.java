package io.gpushare.extender.ledger;

import io.gpushare.extender.capacity.FreeNode;
import io.gpushare.extender.capacity.FreeNodes;
import io.gpushare.extender.feasibility.DemandSummary;
import io.gpushare.extender.feasibility.NodeSummary;
import io.gpushare.extender.feasibility.Reason;
import io.gpushare.extender.policy.RecentCosts;
import io.gpushare.model.ledger.Refusal;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The ledger's nodes in columns: what requests ask of thousands of nodes, each question's answers side by side. A node is
 * a dozen small objects all over the memory, and to step to each of thousands would cost more than all else.
 *
 * <p>A node's number is its own for as long as the columns last, be it gone or not; once they are full, the ledger makes
 * new ones of the nodes that are there. One thread at a time writes, any reads. While a node changes, one column may tell
 * of it as it is already and another as it was: filter and prioritize see a moment that is past in any case, and bind asks
 * the entry.
 */
public final class NodeColumns implements FreeNodes {
    /** The number of a node that is not here. */
    static final int NOWHERE = -1;

    private static final int LEAST = 1000;
    private static final int EVER = 3;
    // Fresh memory is in none of the near caches.
    private static final ThreadLocal<int[]> PLACES = ThreadLocal.withInitial(() -> new int[LEAST]);

    private final Map<String, Integer> numbers = new ConcurrentHashMap<>();
    private final String[] names;
    private final NodeEntry[] entries;
    private final @Nullable Reason[] unusable;
    // Of each node the most units that are free on one card, and the cards that nobody uses.
    private final int[] most;
    private final int[] unused;
    // What is read of those alone that can't take a pod, side by side: the same if no pod were there, and all cards.
    private final int[] ever;
    private final FreeNode[] rooms;
    // The upper half of NodeRoom.order.
    private final int[] orders;
    private final AtomicIntegerArray versions;
    private final RecentCosts costs;
    private volatile int size;
    private final AtomicInteger changes = new AtomicInteger();

    private NodeColumns(int capacity) {
        names = new String[capacity];
        entries = new NodeEntry[capacity];
        unusable = new @Nullable Reason[capacity];
        most = new int[capacity];
        unused = new int[capacity];
        ever = new int[capacity * EVER];
        rooms = new FreeNode[capacity];
        orders = new int[capacity];
        versions = new AtomicIntegerArray(capacity);
        costs = new RecentCosts(this);
    }

    /** Of no node. */
    static NodeColumns empty() {
        return new NodeColumns(LEAST);
    }

    /** New columns of the nodes that are there, in the same order, with as much room again. */
    NodeColumns renewed() {
        int[] there = new int[size];
        int count = 0;
        for (int number = 0; number < there.length; number++) {
            if (entries[number].kept() != null) {
                there[count++] = number;
            }
        }
        NodeColumns renewed = new NodeColumns(Math.max(LEAST, 2 * count));
        for (int number : Arrays.copyOf(there, count)) {
            renewed.put(names[number], entries[number]);
        }
        return renewed;
    }

    /** That node is so now; null when it is forgotten. False where there is no room for it. */
    boolean put(String name, @Nullable NodeEntry now) {
        @Nullable Integer known = numbers.get(name);
        if (known == null && now == null) {
            return true;
        }
        if (known == null && size == names.length) {
            return false;
        }
        int number = known == null ? size : known;
        NodeEntry entry = NodeEntry.orUnheard(now);
        NodeSummary summary = entry.summary();
        NodeSummary emptied = entry.emptied();
        names[number] = name;
        entries[number] = entry;
        unusable[number] = entry.unusable();
        most[number] = summary.most();
        unused[number] = summary.unused();
        ever[EVER * number] = emptied.most();
        ever[EVER * number + 1] = emptied.unused();
        ever[EVER * number + 2] = summary.present();
        rooms[number] = entry.room();
        versions.set(number, Math.max(1, versions.get(number) + 1));
        if (known == null) {
            orders[number] = (int) (FreeNode.of(name, 0, 0, 0, List.of()).order() >>> Integer.SIZE);
            size = number + 1;
            // Last: who finds a number here finds all else that has one.
            numbers.put(name, number);
        }
        // Last: who has read it knows that nothing of this change is still to come.
        changes.incrementAndGet();
        return true;
    }

    @Override
    public int size() {
        return size;
    }

    /** The name of the node with that number. */
    public String name(int number) {
        return names[number];
    }

    /** That node's number; below 0 when nothing is known of it. */
    public int number(String name) {
        return numbers.getOrDefault(name, NOWHERE);
    }

    /** The numbers of these nodes. */
    public int[] numbers(List<String> of) {
        return of.stream().mapToInt(this::number).toArray();
    }

    /** Which of these nodes can't take that. */
    FilterResult filter(NodeIndices of, DemandSummary ask) {
        if (!ask.plain()) {
            return FilterResult.of(IntStream.range(0, of.size())
                    .map(of::number)
                    .mapToObj(number -> number < 0 ? Reason.UNKNOWN_NODE : entries[number].refusal(ask))
                    .toArray(Reason[]::new));
        }
        int[] free = ask.shares() ? most : unused;
        int needed = ask.needed();
        int size = of.size();
        int[] places = places(size);
        int refused = 0;
        for (int i = 0; i < size; i++) {
            int number = of.number(i);
            places[refused] = i;
            // The sign, not a branch: which nodes are full can't be guessed.
            refused += number < 0 ? 1 : (free[number] - needed) >>> (Integer.SIZE - 1);
        }
        return new FilterResult(size, Arrays.copyOf(places, refused), place -> plainly(of.number(place), ask));
    }

    /** Room for so many places; the thread's own until it asks again. */
    private int[] places(int atLeast) {
        int[] there = PLACES.get();
        if (there.length < atLeast) {
            there = new int[atLeast];
            // Not kept for a request that names more nodes than there are.
            if (atLeast <= names.length) {
                PLACES.set(there);
            }
        }
        return there;
    }

    /** As {@link NodeEntry#refusal}, of a plain ask that doesn't fit. */
    private Reason plainly(int number, DemandSummary ask) {
        if (number < 0) {
            return Reason.UNKNOWN_NODE;
        }
        int at = EVER * number;
        @Nullable Reason always = unusable[number];
        if (always != null) {
            return always;
        }
        Refusal lack = ask.lack(ever[at + 2]);
        return ask.fits(ever[at], ever[at + 1]) ? Reason.occupied(lack) : Reason.evenWhenEmpty(lack);
    }

    /** What pods cost on these nodes. */
    RecentCosts costs() {
        return costs;
    }

    @Override
    public int capacity() {
        return names.length;
    }

    @Override
    public FreeNode room(int number) {
        return rooms[number];
    }

    @Override
    public boolean isBefore(int one, int other) {
        return orders[one] != orders[other]
                ? orders[one] < orders[other]
                : FreeNode.ORDER.compare(rooms[one], rooms[other]) < 0;
    }

    @Override
    public int changes() {
        return changes.get();
    }

    @Override
    public int version(int number) {
        return versions.getAcquire(number);
    }
}
