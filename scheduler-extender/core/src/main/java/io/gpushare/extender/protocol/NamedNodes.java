package io.gpushare.extender.protocol;

import io.gpushare.extender.http.JsonWriter;
import io.gpushare.extender.http.ResponseWriter;
import io.gpushare.extender.placement.ClusterNodes;
import io.gpushare.extender.placement.NodeIndices;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The nodes that a request names, with their names as JSON for the response. Names that need no escape are read and
 * copied where they are in the request body.
 */
final class NamedNodes {
    private static final int BETWEEN_NAMES = "\",\"".length();
    private static final int INITIAL = 1 << 10;

    private final byte[] json;
    // Where the opening quote of each name is, and two bytes behind the last name's closing quote.
    private final int[] begin;
    private final NodeIndices nodes;

    private NamedNodes(byte[] json, int[] begin, NodeIndices nodes) {
        this.json = json;
        this.begin = begin;
        this.nodes = nodes;
    }

    /** The nodes of these names, whatever characters are in them. */
    static NamedNodes of(List<String> names, ClusterNodes known) {
        ByteArrayOutputStream json = new ByteArrayOutputStream();
        int[] begin = new int[names.size() + 1];
        for (int i = 0; i < names.size(); i++) {
            json.writeBytes(JsonWriter.quoted(names.get(i)));
            json.write(',');
            begin[i + 1] = json.size();
        }
        return new NamedNodes(json.toByteArray(), begin, known.named(names));
    }

    /**
     * Reads a JSON array of names without blanks and escapes, as kube-scheduler writes it.
     *
     * @param json the request body
     * @param bracket where the array begins
     * @return null where the array is not of that form, or not complete
     */
    static @Nullable NamedNodes read(byte[] json, int bracket, ClusterNodes known) {
        int end = json.length;
        int from = bracket + 2;
        if (from > end) {
            return null;
        }
        if (json[from - 1] == ']') {
            return new NamedNodes(json, new int[] {from}, known.nodes());
        }
        if (json[from - 1] != '"') {
            return null;
        }
        int[] begin = new int[INITIAL];
        int[] indices = new int[INITIAL];
        int count = 0;
        while (true) {
            int to = quote(json, from, end);
            if (to < 0 || to + 1 >= end) {
                return null;
            }
            if (count + 1 == begin.length) {
                begin = Arrays.copyOf(begin, 2 * begin.length);
                indices = Arrays.copyOf(indices, begin.length);
            }
            begin[count] = from - 1;
            indices[count] = known.index(json, from, to);
            count++;
            from = to + BETWEEN_NAMES;
            if (json[to + 1] == ']') {
                begin[count] = to + 2;
                return new NamedNodes(json, begin, known.nodes(Arrays.copyOf(indices, count)));
            }
            if (json[to + 1] != ',' || from > end || json[from - 1] != '"') {
                return null;
            }
        }
    }

    /** Where the next quote is; below 0 if an escape, a byte that is not printable ASCII or the end comes first. */
    private static int quote(byte[] json, int from, int end) {
        for (int at = from; at < end; at++) {
            byte character = json[at];
            if (character == '"') {
                return at;
            }
            if (character < ' ' || character == '\\') {
                return -1;
            }
        }
        return -1;
    }

    NodeIndices nodes() {
        return nodes;
    }

    int size() {
        return nodes.size();
    }

    /** The position behind the last name and the character after it. */
    int end() {
        return begin[size()];
    }

    /** Writes the name at that place of the request. */
    void addTo(ResponseWriter response, int place) {
        addTo(response, place, place + 1);
    }

    /** Writes the names from that place of the request up to the other, with commas between. */
    void addTo(ResponseWriter response, int from, int to) {
        response.add(json, begin[from], begin[to] - 1);
    }
}
