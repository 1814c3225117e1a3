package io.gpushare.extender.protocol;

import io.gpushare.extender.feasibility.Reason;
import io.gpushare.extender.http.RequestBody;
import io.gpushare.extender.ledger.NodeColumns;
import io.gpushare.extender.ledger.NodeIndices;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads the names of nodes in requests. kube-scheduler names the same thousands of nodes in each: to make a string of each
 * name and to look it up would cost several times of what everything else does. So a hash of its bytes leads to the node's
 * number. The hash is all that is kept of a name: to fetch each name from memory too, and compare it, would double the
 * time. Nodes of the ledger whose hashes are alike are looked up by their names; a name without a slot would be
 * taken for one that has it once in some 2^44 times, and bind, which alone writes, goes by the name itself.
 */
public final class NodeNames {
    // Nodes that came since are looked up by their names; beyond so many it is worth to begin anew.
    private static final int NEWCOMERS = 100;
    // In a slot: the node's number plus 1, or 0 where several have this hash, and above it the hash's highest bits.
    private static final long NUMBER = (1L << 20) - 1;

    private static final int SEVERAL = 0;
    // Of thousands of names each group needs a few dozen; more only where names were made to be alike.
    private static final int SEEDS = 1000;

    private static final VarHandle WORD = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    // What stands between two names: a quote, a comma, and a quote.
    private static final int BETWEEN = '"' | ',' << 8 | '"' << 16;
    private static final int THREE = 0xFF_FFFF;
    private static final int BETWEEN_NAMES = 3;
    private static final long EACH = 0x0101_0101_0101_0101L;
    private static final long QUOTES = EACH * '"';
    private static final long HIGH = EACH << 7;
    private static final long ODD = 0x9E37_79B9_7F4A_7C15L;
    private static final long ODDER = 0xD6E8_FEB8_6659_FD93L;

    private final NodeColumns nodes;
    private final int size;
    // The lowest bits of a hash lead to a seed, and seed and hash to the slot, which is that name's own (hash and
    // displace): to search on from slot to slot would cost a wrong guess of the processor every few names.
    private final char[] seeds;
    private final long[] slots;
    private final int shift;

    private final Map<Reason, FailedEntries> failed = new ConcurrentHashMap<>();

    /** Those of all nodes that are there now. */
    public NodeNames(NodeColumns nodes) {
        this.nodes = nodes;
        size = Math.min(nodes.size(), (int) NUMBER);
        int room = Integer.highestOneBit(3 * size / 2 + 1) << 1;
        seeds = new char[Math.max(1, room / 4)];
        slots = new long[room];
        shift = Long.SIZE - Integer.numberOfTrailingZeros(room);
        place(hashes());
    }

    /** Of each name that can be read plainly: its hash, and what stands in a slot for the number. */
    private Map<Long, Integer> hashes() {
        Map<Long, Integer> hashes = new HashMap<>();
        for (int number = 0; number < size; number++) {
            byte[] name = nodes.name(number).getBytes(StandardCharsets.UTF_8);
            if (plain(name, 0, name.length)) {
                hashes.merge(hash(name, 0, name.length), number + 1, (one, other) -> SEVERAL);
            }
        }
        return hashes;
    }

    /** Those of one seed together, the most first, while most slots are free. */
    private void place(Map<Long, Integer> hashes) {
        hashes.entrySet().stream().collect(Collectors.groupingBy(known -> group(known.getKey()))).values().stream()
                .sorted(Comparator.comparingInt(group -> -group.size()))
                .forEach(this::place);
    }

    private void place(List<Map.Entry<Long, Integer>> group) {
        for (int seed = 0; seed < SEEDS; seed++) {
            if (fits(group, seed)) {
                seeds[group(group.getFirst().getKey())] = (char) seed;
                return;
            }
        }
        // What no seed helps is looked up by name.
    }

    private boolean fits(List<Map.Entry<Long, Integer>> group, int seed) {
        for (int i = 0; i < group.size(); i++) {
            long hash = group.get(i).getKey();
            if (slots[slot(hash, seed)] != 0) {
                for (Map.Entry<Long, Integer> placed : group.subList(0, i)) {
                    slots[slot(placed.getKey(), seed)] = 0;
                }
                return false;
            }
            slots[slot(hash, seed)] = (hash & ~NUMBER) | group.get(i).getValue();
        }
        return true;
    }

    private int group(long hash) {
        return (int) hash & seeds.length - 1;
    }

    private int slot(long hash, int seed) {
        return (int) (((hash ^ (seed * ODD)) * ODD) >>> shift);
    }

    private static boolean same(long there, long hash) {
        return ((there ^ hash) & ~NUMBER) == 0;
    }

    /** These, if they are still of use for the ledger's nodes as they are now, or newer ones. */
    NodeNames current(NodeColumns now) {
        return now == nodes && now.size() <= size + NEWCOMERS ? this : new NodeNames(now);
    }

    NodeColumns nodes() {
        return nodes;
    }

    /** What is told of these nodes for that reason, which is a {@linkplain Reason#standing standing} one. */
    FailedEntries failed(Reason why) {
        return failed.computeIfAbsent(why, reason -> new FailedEntries(reason, nodes, size));
    }

    /**
     * Reads a JSON array of plain names without blanks, as Go writes it.
     *
     * @param at where its bracket is
     * @return null where the array is not that plain, or not complete
     */
    @Nullable
    public NamedNodes read(RequestBody body, int at) {
        byte[] json = body.bytes();
        int end = body.size();
        if (at + 2 <= end && json[at + 1] == ']') {
            return new NamedNodes(json, new int[] {at + 2}, new NodeIndices(nodes));
        }
        if (at + 2 > end || json[at + 1] != '"') {
            return null;
        }
        boolean known = anyKnown();
        RequestBody.Names names = body.names();
        int[] begin = names.begin;
        int[] numbers = names.numbers;
        int count = 0;
        int from = at + 2;
        int length = 0;
        boolean more = true;
        while (more) {
            // Most names are as long as the one before. Where it only looks so, what is taken for the name has a quote
            // in it, which no known or plain name has.
            int to = from + length;
            if (to + Integer.BYTES > end || ((int) INT.get(json, to) & THREE) != BETWEEN) {
                to = quote(json, from, end);
                more = to >= 0 && to + 2 < end && json[to + 1] == ',' && json[to + 2] == '"';
                if (to < 0 || (!more && (to + 1 >= end || json[to + 1] != ']'))) {
                    return null;
                }
                length = to - from;
            }
            int number = known ? number(json, from, to) : -1;
            if (number < 0) {
                if (!plain(json, from, to)) {
                    return null;
                }
                number = nodes.number(new String(json, from, length, StandardCharsets.US_ASCII));
            }
            if (count == numbers.length) {
                names.atLeast(Math.max(2 * count, count + 1 + (end - to) / (length + BETWEEN_NAMES)));
                begin = names.begin;
                numbers = names.numbers;
            }
            begin[count] = from - 1;
            numbers[count] = number;
            count++;
            from = to + BETWEEN_NAMES;
        }
        begin[count] = from - 1;
        return new NamedNodes(json, begin, new NodeIndices(nodes, numbers, count));
    }

    /** Whether any name has a slot. To have looked at all is what counts: then they are near when names lead here and there. */
    private boolean anyKnown() {
        long any = 0;
        for (long slot : slots) {
            any |= slot;
        }
        return any != 0;
    }

    /** Where the next quote is; below 0 if none is. */
    private static int quote(byte[] json, int from, int end) {
        for (int at = from; at < end; at += Long.BYTES) {
            long quotes = zeros(word(json, at) ^ QUOTES);
            if (quotes != 0) {
                int found = at + (Long.numberOfTrailingZeros(quotes) >>> 3);
                return found < end ? found : -1;
            }
        }
        return -1;
    }

    /** The number of the node whose name is there; below 0 if it must be looked up. */
    private int number(byte[] json, int from, int to) {
        long hash = hash(json, from, to);
        long there = slots[slot(hash, seeds[group(hash)])];
        return same(there, hash) ? (int) (there & NUMBER) - 1 : -1;
    }

    /** The next eight bytes; zeros behind the end. */
    private static long word(byte[] bytes, int at) {
        if (at + Long.BYTES <= bytes.length) {
            return (long) WORD.get(bytes, at);
        }
        long word = 0;
        for (int i = bytes.length - 1; i >= at; i--) {
            word = word << 8 | (bytes[i] & 0xFF);
        }
        return word;
    }

    /** The highest bit of the first byte that is zero, and maybe of others behind it; 0 if none is. */
    private static long zeros(long word) {
        return word - EACH & ~word & HIGH;
    }

    private static long first(long word, int bytes) {
        return bytes == 0 ? 0 : word & -1L >>> (Long.SIZE - 8 * bytes);
    }

    private static long hash(byte[] in, int from, int to) {
        // The words overlap in the middle: without the length, some names would be the same words.
        int length = to - from;
        long hash = length;
        if (length < Long.BYTES) {
            return mixed(hash, first(word(in, from), length), 0);
        }
        hash = mixed(hash, (long) WORD.get(in, from), (long) WORD.get(in, to - Long.BYTES));
        int done = Long.BYTES;
        while (2 * done < length) {
            hash = mixed(hash, (long) WORD.get(in, from + done), (long) WORD.get(in, to - Long.BYTES - done));
            done += Long.BYTES;
        }
        return hash;
    }

    /** Both halves of the product of 128 bits, in which each bit of either word is in all places (as wyhash mixes). */
    private static long mixed(long hash, long one, long other) {
        long left = hash ^ one ^ ODD;
        long right = other ^ ODDER;
        return Math.unsignedMultiplyHigh(left, right) ^ left * right;
    }

    /** Whether these bytes stand for themselves in JSON, each for one character. */
    private static boolean plain(byte[] bytes, int from, int to) {
        for (int i = from; i < to; i++) {
            if (bytes[i] < ' ' || bytes[i] == '"' || bytes[i] == '\\') {
                return false;
            }
        }
        return true;
    }
}
