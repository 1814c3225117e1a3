package io.gpushare.extender.http;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The names of nodes that requests have brought, each kept once. kube-scheduler names the same thousands of nodes in each
 * request, nearly in the same order: so they lie in memory as they first came, and of each name it is only asked whether
 * it is the one that followed last time. To parse each, or only to look each up, would cost several times of what everything
 * else does.
 *
 * <p>For several threads at once; one that finds what it looks for waits for no other. It forgets everything when it is
 * full, so that nobody can fill the memory with names.
 */
final class NodeNames {
    /** Twice as many as Kubernetes supports in a cluster. */
    static final int MOST = 10_000;

    // Room for that many names of 62 letters.
    private static final int BYTES = 64 * MOST;
    // Nodes that kube-scheduler found unfit itself are left out of its list.
    private static final int AHEAD = 16;

    private static final class Known {
        private final byte[] json = new byte[BYTES];
        private final @Nullable QuotedName[] inOrder = new @Nullable QuotedName[MOST];
        private final Map<String, QuotedName> byName = new ConcurrentHashMap<>();
        private int bytes;
        private int size;

        boolean hasRoomFor(byte[] more) {
            return size < inOrder.length && bytes + more.length <= json.length;
        }

        QuotedName add(String name, byte[] quoted) {
            System.arraycopy(quoted, 0, json, bytes, quoted.length);
            QuotedName added = new QuotedName(name, json, bytes, bytes + quoted.length, size);
            bytes += quoted.length;
            inOrder[size++] = added; // its fields are final: who sees it without a lock sees its bytes
            byName.put(name, added);
            return added;
        }

        /** The name whose JSON is there, if it is that one or comes soon after it. */
        @Nullable
        QuotedName near(int index, byte[] body, int at) {
            int end = Math.min(index + AHEAD, inOrder.length);
            for (int i = index; i < end; i++) {
                @Nullable QuotedName name = inOrder[i];
                if (name == null) {
                    return null;
                }
                if (name.isAt(body, at)) {
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
        if (!known.hasRoomFor(quoted)) {
            known = new Known();
        }
        return known.hasRoomFor(quoted) ? known.add(text, quoted) : new QuotedName(text, quoted, 0, quoted.length, 0);
    }

    /**
     * Reads a JSON array of plain names without blanks, as Go writes it.
     *
     * @param at where its bracket is
     * @return the place after its closing bracket; -1 where the array is not that plain, or not complete: then what was put
     *     into the list is of no use
     */
    int read(byte[] json, int at, List<QuotedName> into) {
        if (at + 1 < json.length && json[at + 1] == ']') {
            return at + 2;
        }
        Known now = known;
        int next = 0;
        int place = at;
        do {
            int quote = place + 1;
            @Nullable QuotedName name = now.near(next, json, quote);
            if (name == null) {
                int end = endOfPlain(json, quote);
                if (end < 0) {
                    return -1;
                }
                name = of(new String(json, quote + 1, end - quote - 1, StandardCharsets.US_ASCII));
            }
            into.add(name);
            next = name.index() + 1;
            place = quote + name.length();
        } while (place < json.length && json[place] == ',');
        return place < json.length && json[place] == ']' ? place + 1 : -1;
    }

    /** Where the closing quote is of a string of which each byte stands for one character; -1 if it is not one. */
    private static int endOfPlain(byte[] json, int quote) {
        if (quote >= json.length || json[quote] != '"') {
            return -1;
        }
        for (int i = quote + 1; i < json.length; i++) {
            if (json[i] == '"') {
                return i;
            }
            if (json[i] < ' ' || json[i] == '\\') {
                return -1;
            }
        }
        return -1;
    }
}
