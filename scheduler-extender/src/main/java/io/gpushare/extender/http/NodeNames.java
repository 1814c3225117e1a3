package io.gpushare.extender.http;

import io.gpushare.extender.scheduling.NodeColumns;
import io.gpushare.extender.scheduling.NodeNumbers;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads the names of nodes in requests. kube-scheduler names the same thousands of nodes in each: to make a string of each
 * name and to look it up would cost several times of what everything else does. So the names of the ledger's nodes lie
 * here one behind the other, found by a hash of their bytes, which leads to the node's number. Immutable.
 */
final class NodeNames {
    // Nodes that came since are looked up by their names; beyond so many it is worth to begin anew.
    private static final int NEWCOMERS = 100;
    // In a slot: the node's number plus 1, and above it some bits of the hash.
    private static final int NUMBER = (1 << 20) - 1;

    private static final VarHandle WORD = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long EACH = 0x0101_0101_0101_0101L;
    private static final long QUOTES = EACH * '"';
    private static final long HIGH = EACH << 7;
    private static final long ODD = 0x9E37_79B9_7F4A_7C15L;

    private final NodeColumns nodes;
    private final byte[] text;
    // Where each node's name begins in the text, and behind them where the last one ends.
    private final int[] begins;
    private final int[] slots;
    private final int shift;

    /** Those of all nodes that are there now. */
    NodeNames(NodeColumns nodes) {
        this.nodes = nodes;
        byte[][] names = new byte[Math.min(nodes.size(), NUMBER)][];
        begins = new int[names.length + 1];
        for (int i = 0; i < names.length; i++) {
            names[i] = nodes.name(i).getBytes(StandardCharsets.UTF_8);
            begins[i + 1] = begins[i] + names[i].length;
        }
        text = new byte[begins[names.length] + Long.BYTES];
        int bits = Integer.SIZE - Integer.numberOfLeadingZeros(2 * names.length + 1);
        slots = new int[1 << bits];
        shift = Integer.SIZE - bits;
        for (int i = 0; i < names.length; i++) {
            System.arraycopy(names[i], 0, text, begins[i], names[i].length);
            if (plain(names[i], 0, names[i].length)) {
                int hash = hash(names[i], 0, names[i].length);
                int slot = hash >>> shift;
                while (slots[slot] != 0) {
                    slot = slot + 1 & slots.length - 1;
                }
                slots[slot] = (hash & ~NUMBER) | (i + 1);
            }
        }
    }

    /** These, if they are still of use for the ledger's nodes as they are now, or newer ones. */
    NodeNames current(NodeColumns now) {
        return now == nodes && now.size() < begins.length + NEWCOMERS ? this : new NodeNames(now);
    }

    NodeColumns nodes() {
        return nodes;
    }

    /**
     * Reads a JSON array of plain names without blanks, as Go writes it.
     *
     * @param at where its bracket is
     * @return null where the array is not that plain, or not complete
     */
    @Nullable
    NamedNodes read(byte[] json, int at) {
        if (at + 2 <= json.length && json[at + 1] == ']') {
            return new NamedNodes(json, new int[] {at + 2}, new NodeNumbers(nodes, new int[0]));
        }
        int[] begin = new int[0];
        int[] numbers = new int[0];
        int count = 0;
        int place = at;
        int length = 0;
        do {
            int from = place + 2;
            if (from > json.length || json[from - 1] != '"') {
                return null;
            }
            // Most names are as long as the one before. Where that is wrong though a quote is there, a quote is in what
            // is taken for the name, and no known or plain name has one.
            int to = from + length;
            if (to + 1 >= json.length || json[to] != '"' || (json[to + 1] != ',' && json[to + 1] != ']')) {
                to = quote(json, from);
                if (to < 0) {
                    return null;
                }
                length = to - from;
            }
            int number = number(json, from, to);
            if (number < 0) {
                if (!plain(json, from, to)) {
                    return null;
                }
                number = nodes.number(new String(json, from, length, StandardCharsets.US_ASCII));
            }
            if (count == numbers.length) {
                int expected = count + 1 + (json.length - to) / (length + 3);
                begin = Arrays.copyOf(begin, expected + 1);
                numbers = Arrays.copyOf(numbers, expected);
            }
            begin[count] = from - 1;
            numbers[count] = number;
            count++;
            place = to + 1;
        } while (place < json.length && json[place] == ',');
        if (place >= json.length || json[place] != ']') {
            return null;
        }
        begin[count] = place + 1;
        if (count < numbers.length) {
            begin = Arrays.copyOf(begin, count + 1);
            numbers = Arrays.copyOf(numbers, count);
        }
        return new NamedNodes(json, begin, new NodeNumbers(nodes, numbers));
    }

    /** Where the next quote is; below 0 if none is. */
    private static int quote(byte[] json, int from) {
        for (int at = from; at < json.length; at += Long.BYTES) {
            long quotes = zeros(word(json, at) ^ QUOTES);
            if (quotes != 0) {
                return at + (Long.numberOfTrailingZeros(quotes) >>> 3);
            }
        }
        return -1;
    }

    /** The number of the node whose name is there; below 0 if it must be looked up. */
    private int number(byte[] json, int from, int to) {
        int hash = hash(json, from, to);
        int slot = hash >>> shift;
        while (true) {
            int there = slots[slot];
            if (there == 0) {
                return -1;
            }
            if (((there ^ hash) & ~NUMBER) == 0 && is((there & NUMBER) - 1, json, from, to)) {
                return (there & NUMBER) - 1;
            }
            slot = slot + 1 & slots.length - 1;
        }
    }

    private boolean is(int number, byte[] json, int from, int to) {
        int begin = begins[number];
        int length = to - from;
        if (begins[number + 1] - begin != length) {
            return false;
        }
        if (length < Long.BYTES) {
            return first(word(text, begin) ^ word(json, from), length) == 0;
        }
        int last = length - Long.BYTES;
        for (int i = 0; i < last; i += Long.BYTES) {
            if ((long) WORD.get(text, begin + i) != (long) WORD.get(json, from + i)) {
                return false;
            }
        }
        return (long) WORD.get(text, begin + last) == (long) WORD.get(json, from + last);
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

    private static int hash(byte[] in, int from, int to) {
        if (to - from < Long.BYTES) {
            return (int) (mixed(0, first(word(in, from), to - from)) >>> Integer.SIZE);
        }
        long hash = 0;
        int last = to - Long.BYTES;
        for (int at = from; at < last; at += Long.BYTES) {
            hash = mixed(hash, (long) WORD.get(in, at));
        }
        return (int) (mixed(hash, (long) WORD.get(in, last)) >>> Integer.SIZE);
    }

    private static long mixed(long hash, long word) {
        long product = (hash ^ word) * ODD;
        return product ^ product >>> 32;
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
