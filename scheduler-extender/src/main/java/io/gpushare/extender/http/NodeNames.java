package io.gpushare.extender.http;

import com.fasterxml.jackson.core.SerializableString;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The names of nodes that requests have brought, each kept once with its JSON. kube-scheduler names the same thousands of
 * nodes in each request: to parse each name, to make a string of it and to quote it again would cost several times of what
 * everything else does.
 *
 * <p>For several threads at once without a lock: entries are immutable, and one that a race loses is only made again. It
 * forgets everything when it is full, so that nobody can fill the memory with names.
 */
final class NodeNames {
    /** Twice as many as Kubernetes supports in a cluster. */
    static final int MOST = 10_000;

    private static final int BITS = 15;
    private static final int LAST = (1 << BITS) - 1;
    // Names that somebody makes to fall on one place are not remembered, rather than looked through one by one.
    private static final int PLACES = 32;

    private static final VarHandle WORD = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long EACH = 0x0101_0101_0101_0101L;
    private static final long QUOTES = EACH * '"';
    private static final long HIGH = EACH << 7;
    private static final long ODD = 0x9E37_79B9_7F4A_7C15L;

    private static final class Name {
        // What stands between the quotes in the JSON, and in a request that names it plainly.
        private final byte[] utf8;
        private final SerializableString json;

        Name(byte[] utf8, SerializableString json) {
            this.utf8 = utf8;
            this.json = json;
        }
    }

    private static final class Table {
        private final @Nullable Name[] names = new @Nullable Name[LAST + 1];
        private int size;
    }

    private volatile Table table = new Table();

    /** That name, as one and the same object each time for as long as it is remembered. */
    SerializableString of(String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        return plain(utf8, 0, utf8.length) ? of(utf8, 0, utf8.length, hash(utf8)) : JsonAnswer.text(text);
    }

    /**
     * Reads a JSON array of plain names without blanks, as Go writes it.
     *
     * @param at where its bracket is
     * @return the place after its closing bracket; -1 where the array is not that plain, or not complete: then what was put
     *     into the list is of no use
     */
    int read(byte[] json, int at, List<SerializableString> into) {
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
            @Nullable SerializableString name = found(json, from, to, hash);
            if (name == null) {
                if (!plain(json, from, to)) {
                    return -1;
                }
                name = of(json, from, to, hash);
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

    private static long hash(byte[] utf8) {
        long hash = 0;
        int at = 0;
        for (; at + Long.BYTES <= utf8.length; at += Long.BYTES) {
            hash = (hash ^ (long) WORD.get(utf8, at)) * ODD;
        }
        return (hash ^ word(utf8, at)) * ODD;
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

    private @Nullable SerializableString found(byte[] bytes, int from, int to, long hash) {
        @Nullable Name[] names = table.names;
        int first = place(hash);
        for (int i = 0; i < PLACES; i++) {
            @Nullable Name name = names[first + i & LAST];
            if (name == null) {
                return null;
            }
            if (Arrays.equals(name.utf8, 0, name.utf8.length, bytes, from, to)) {
                return name.json;
            }
        }
        return null;
    }

    /** That plain name, remembered if there is a place for it. */
    private SerializableString of(byte[] bytes, int from, int to, long hash) {
        @Nullable SerializableString known = found(bytes, from, to, hash);
        if (known != null) {
            return known;
        }
        byte[] utf8 = Arrays.copyOfRange(bytes, from, to);
        SerializableString json = JsonAnswer.text(new String(utf8, StandardCharsets.US_ASCII));
        Table now = table;
        if (now.size >= MOST) {
            table = new Table();
            return json;
        }
        int first = place(hash);
        for (int i = 0; i < PLACES; i++) {
            int at = first + i & LAST;
            if (now.names[at] == null) {
                now.names[at] = new Name(utf8, json);
                now.size++; // a race may lose a count: the table has room for three times as many
                break;
            }
        }
        return json;
    }

    private static int place(long hash) {
        return (int) (hash >>> (Long.SIZE - BITS));
    }
}
