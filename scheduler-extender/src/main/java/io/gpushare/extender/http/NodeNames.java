package io.gpushare.extender.http;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The names of nodes that requests have brought, each kept once, as JSON one behind the other. kube-scheduler names the
 * same thousands of nodes in each request: to parse each name, to make a string of it and to quote it again would cost
 * several times of what everything else does, and so would names that lie all over the memory.
 *
 * <p>For several threads at once; one that finds what it looks for waits for no other. It forgets everything when it is
 * full, so that nobody can fill the memory with names.
 */
final class NodeNames {
    /** Twice as many as Kubernetes supports in a cluster. */
    static final int MOST = 10_000;

    // Room for that many names of 62 letters.
    private static final int BYTES = 64 * MOST;
    private static final int BITS = 15;
    private static final int LAST = (1 << BITS) - 1;
    // Names that somebody makes to fall on one place are looked up otherwise, rather than one by one.
    private static final int PLACES = 16;

    private static final VarHandle WORD = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long EACH = 0x0101_0101_0101_0101L;
    private static final long QUOTES = EACH * '"';
    private static final long HIGH = EACH << 7;
    private static final long ODD = 0x9E37_79B9_7F4A_7C15L;

    private static final class Known {
        private final byte[] json = new byte[BYTES];
        private final Map<String, QuotedName> byName = new ConcurrentHashMap<>();
        private final @Nullable QuotedName[] byHash = new @Nullable QuotedName[LAST + 1];
        private int bytes;

        boolean hasRoomFor(byte[] more) {
            return byName.size() < MOST && bytes + more.length <= json.length;
        }

        QuotedName add(String name, byte[] quoted) {
            System.arraycopy(quoted, 0, json, bytes, quoted.length);
            QuotedName added = new QuotedName(name, json, bytes, bytes + quoted.length);
            bytes += quoted.length;
            byName.put(name, added);
            int first = place(hash(quoted));
            for (int i = 0; i < PLACES && plain(quoted, 1, quoted.length - 1); i++) {
                if (byHash[first + i & LAST] == null) {
                    byHash[first + i & LAST] = added; // its fields are final: who sees it without a lock sees its bytes
                    break;
                }
            }
            return added;
        }

        /** The name of that hash whose JSON is there; null if it must be looked up by its text. */
        @Nullable
        QuotedName at(byte[] body, int quote, long hash) {
            int first = place(hash);
            for (int i = 0; i < PLACES; i++) {
                @Nullable QuotedName name = byHash[first + i & LAST];
                if (name == null) {
                    return null;
                }
                if (name.isAt(body, quote)) {
                    return name;
                }
            }
            return null;
        }
    }

    private volatile Known known = new Known();

    /** That name, as one and the same object each time for as long as it is remembered. */
    QuotedName of(String text) {
        @Nullable QuotedName name = known.byName.get(text);
        return name == null ? remembered(text) : name;
    }

    private synchronized QuotedName remembered(String text) {
        @Nullable QuotedName name = known.byName.get(text);
        if (name != null) {
            return name;
        }
        byte[] quoted = JsonAnswer.quoted(text);
        if (quoted.length > BYTES) {
            return new QuotedName(text, quoted, 0, quoted.length);
        }
        if (!known.hasRoomFor(quoted)) {
            known = new Known();
        }
        return known.add(text, quoted);
    }

    /**
     * Reads a JSON array of plain names without blanks, as Go writes it.
     *
     * @param at where its bracket is
     * @return the place after its closing bracket; -1 where the array is not that plain, or not complete: then what was put
     *     into the list is of no use
     */
    int read(byte[] json, int at, List<QuotedName> into) {
        Known now = known;
        int place = at;
        do {
            int from = place + 2;
            if (from > json.length || json[place + 1] != '"') {
                boolean none = into.isEmpty() && from <= json.length && json[place + 1] == ']';
                return none ? from : -1;
            }
            long hash = 0;
            int to = from;
            long word = word(json, to);
            long quotes = zeros(word ^ QUOTES);
            while (quotes == 0) {
                if (to + Long.BYTES > json.length) {
                    return -1;
                }
                hash = (hash ^ word) * ODD;
                to += Long.BYTES;
                word = word(json, to);
                quotes = zeros(word ^ QUOTES);
            }
            int more = Long.numberOfTrailingZeros(quotes) >>> 3;
            hash = (hash ^ first(word, more)) * ODD;
            to += more;
            @Nullable QuotedName name = now.at(json, from - 1, hash);
            if (name == null) {
                if (!plain(json, from, to)) {
                    return -1;
                }
                name = of(new String(json, from, to - from, StandardCharsets.US_ASCII));
            }
            into.add(name);
            place = to + 1;
        } while (place < json.length && json[place] == ',');
        return place < json.length && json[place] == ']' ? place + 1 : -1;
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

    /** Of what stands between the quotes. */
    private static long hash(byte[] quoted) {
        int end = quoted.length - 1;
        long hash = 0;
        int at = 1;
        for (; at + Long.BYTES <= end; at += Long.BYTES) {
            hash = (hash ^ word(quoted, at)) * ODD;
        }
        return (hash ^ first(word(quoted, at), end - at)) * ODD;
    }

    private static int place(long hash) {
        return (int) (hash >>> (Long.SIZE - BITS));
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
