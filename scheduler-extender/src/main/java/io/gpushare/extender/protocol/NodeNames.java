package io.gpushare.extender.protocol;

import io.gpushare.extender.placement.NodeDirectory;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Finds the indices of nodes by the bytes of their names in a request body. kube-scheduler names the same thousands of
 * nodes in each request: a string and a map lookup for each name would cost several times what the decision costs.
 *
 * <p>Names are found by a hash of 64 bits alone. To compare the names too would read each from distant memory and
 * double the time. Two nodes of the ledger with the same hash are looked up by name; a name that the ledger does not
 * know is taken for a known one once in some 2^50 names. Only bind allocates, and it goes by the name itself.
 */
final class NodeNames {
    // Nodes that were added later are looked up by name; for more than this the table is rebuilt.
    private static final int MAX_ADDED = 100;
    private static final int EMPTY = -1;
    private static final int AMBIGUOUS = -2;

    private static final VarHandle WORD = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long MULTIPLIER = 0x9E37_79B9_7F4A_7C15L;

    private final NodeDirectory directory;
    private final int size;
    // A hash table with linear probing, at most half full: the hash and the node's index by slot.
    private final long[] hashes;
    private final int[] indices;

    /** The names of all nodes in the directory. */
    NodeNames(NodeDirectory directory) {
        this.directory = directory;
        size = directory.size();
        int slots = Integer.highestOneBit(2 * size + 1) << 1;
        hashes = new long[slots];
        indices = new int[slots];
        Arrays.fill(indices, EMPTY);
        for (int index = 0; index < size; index++) {
            byte[] name = directory.name(index).getBytes(StandardCharsets.UTF_8);
            put(hash(name, 0, name.length), index);
        }
    }

    private void put(long hash, int index) {
        int slot = slot(hash);
        if (indices[slot] == EMPTY) {
            hashes[slot] = hash;
            indices[slot] = index;
        } else {
            indices[slot] = AMBIGUOUS;
        }
    }

    /** The slot of that hash, or the empty slot where it belongs. */
    private int slot(long hash) {
        int slot = (int) hash & hashes.length - 1;
        while (indices[slot] != EMPTY && hashes[slot] != hash) {
            slot = slot + 1 & hashes.length - 1;
        }
        return slot;
    }

    NodeDirectory directory() {
        return directory;
    }

    /** These names while they are up to date with the directory, else new ones. */
    @SuppressWarnings("ReferenceEquality") // another directory has other indices
    NodeNames current(NodeDirectory now) {
        return now == directory && now.size() <= size + MAX_ADDED ? this : new NodeNames(now);
    }

    /** The index of the node whose name is these bytes of ASCII; below 0 for an unknown node. */
    int index(byte[] in, int from, int to) {
        int index = indices[slot(hash(in, from, to))];
        return index >= 0 ? index : directory.index(new String(in, from, to - from, StandardCharsets.US_ASCII));
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
