package io.gpushare.extender.placement;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The names of nodes by index, and their indices by name or by the bytes of a name in a request body. kube-scheduler
 * names the same thousands of nodes in each request: a string and a map lookup for each name would cost several times
 * what the decision costs.
 *
 * <p>Bytes are found by a hash of 64 bits alone. To compare the names too would read each from distant memory and
 * double the time. Two nodes with the same hash are looked up by name; an unknown name is taken for a known one once in
 * some 2^50 names. Only bind allocates, and it goes by the name itself.
 */
final class NodeNames {
    private static final int MIN_SLOTS = 1 << 11;
    private static final int EMPTY = -1;
    private static final int AMBIGUOUS = -2;

    private static final VarHandle WORD = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long MULTIPLIER = 0x9E37_79B9_7F4A_7C15L;

    private final Map<String, Integer> indices = new ConcurrentHashMap<>();
    private final String[] names;
    private volatile Table table = new Table(MIN_SLOTS);
    private volatile int size;

    NodeNames(int capacity) {
        names = new String[capacity];
    }

    /** A hash table with linear probing, at most half full: the hash and the node's index by slot. */
    private static final class Table {
        private final long[] hashes;
        private final int[] indices;

        Table(int slots) {
            hashes = new long[slots];
            indices = new int[slots];
            Arrays.fill(indices, EMPTY);
        }

        /** The slot of that hash, or the empty slot where it belongs. */
        private int slot(long hash) {
            int slot = (int) hash & hashes.length - 1;
            while (indices[slot] != EMPTY && hashes[slot] != hash) {
                slot = slot + 1 & hashes.length - 1;
            }
            return slot;
        }

        /** Reads each index once, and before its hash: a name may be added meanwhile. */
        int get(long hash) {
            int slot = (int) hash & hashes.length - 1;
            int index = indices[slot];
            while (index != EMPTY && hashes[slot] != hash) {
                slot = slot + 1 & hashes.length - 1;
                index = indices[slot];
            }
            return index;
        }

        void put(long hash, int index) {
            int slot = slot(hash);
            hashes[slot] = hash;
            indices[slot] = indices[slot] == EMPTY ? index : AMBIGUOUS;
        }

        Table twice() {
            Table twice = new Table(2 * hashes.length);
            for (int slot = 0; slot < hashes.length; slot++) {
                if (indices[slot] != EMPTY) {
                    twice.put(hashes[slot], indices[slot]);
                }
            }
            return twice;
        }
    }

    /** Adds a new name, with the next index. One thread at a time. */
    void add(String name) {
        int index = size;
        names[index] = name;
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        Table now = 2 * (index + 1) > table.hashes.length ? table.twice() : table;
        now.put(hash(bytes, 0, bytes.length), index);
        table = now;
        size = index + 1;
        indices.put(name, index);
    }

    int size() {
        return size;
    }

    String name(int index) {
        return names[index];
    }

    /** The index of that name, or {@link ClusterNodes#UNKNOWN}. */
    int index(String name) {
        return indices.getOrDefault(name, ClusterNodes.UNKNOWN);
    }

    /** The index of the name that is these bytes of ASCII; below 0 for an unknown name. */
    int index(byte[] in, int from, int to) {
        int index = table.get(hash(in, from, to));
        // A name may be in the table that is still being added: what belongs to an index is there when it is counted.
        return index >= 0 && index < size ? index : index(new String(in, from, to - from, StandardCharsets.US_ASCII));
    }

    private static long hash(byte[] in, int from, int to) {
        long hash = (long) to - from;
        int next = from;
        for (; next + Long.BYTES <= to; next += Long.BYTES) {
            hash = mixed(hash ^ (long) WORD.get(in, next));
        }
        long rest = 0;
        for (; next < to; next++) {
            rest = rest << Byte.SIZE | (in[next] & 0xFF);
        }
        return mixed(hash ^ rest);
    }

    private static long mixed(long bits) {
        long product = bits * MULTIPLIER;
        return product ^ product >>> Integer.SIZE;
    }
}
