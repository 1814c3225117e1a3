package io.gpushare.extender.protocol;

import io.gpushare.extender.http.JsonWriter;
import io.gpushare.extender.http.RequestBody;
import io.gpushare.extender.http.ResponseWriter;
import io.gpushare.extender.ledger.FilterResult;
import io.gpushare.extender.ledger.NodeColumns;
import io.gpushare.extender.ledger.NodeIndices;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The nodes that a request names, and their names as JSON: in the request's own body, if they are plain there. */
public final class NamedNodes {
    private final byte[] json;
    private final int[] begin;
    private final NodeIndices nodes;

    /**
     * Names that stand one behind the other, with one character between.
     *
     * @param begin where the opening quote of each is, and then the place two behind the last one's closing quote
     */
    NamedNodes(byte[] json, int[] begin, NodeIndices nodes) {
        this.json = json;
        this.begin = begin;
        this.nodes = nodes;
    }

    /** Those of these names, whatever is in them. */
    static NamedNodes of(List<String> names, NodeColumns columns) {
        ByteArrayOutputStream json = new ByteArrayOutputStream();
        int[] begin = new int[names.size() + 1];
        for (int i = 0; i < names.size(); i++) {
            json.writeBytes(JsonWriter.quoted(names.get(i)));
            json.write(',');
            begin[i + 1] = json.size();
        }
        return new NamedNodes(json.toByteArray(), begin, NodeIndices.of(columns, names));
    }

    public NodeIndices nodes() {
        return nodes;
    }

    public int size() {
        return nodes.size();
    }

    /** The place behind the last name and the character after it. */
    public int end() {
        return begin[size()];
    }

    /** Whether the names stand there. */
    @SuppressWarnings("ReferenceEquality") // that memory, not one that is like it
    boolean isIn(RequestBody body) {
        return json == body.bytes();
    }

    /** The place of the first name. */
    int begin() {
        return begin[0];
    }

    /**
     * Those of these nodes that passed the filter, if just their names stand in that body in the same place.
     *
     * @return null where anything else does
     */
    @Nullable
    NamedNodes passed(FilterResult filtered, RequestBody body) {
        byte[] array = body.bytes();
        int passed = filtered.passed();
        RequestBody.Names there = body.names();
        there.atLeast(passed);
        int[] from = there.begin;
        int[] numbers = there.numbers;
        int count = 0;
        int next = begin[0];
        boolean unknown = false;
        for (int run = 0; run < filtered.runs(); run++) {
            int first = filtered.from(run);
            int size = filtered.to(run) - first;
            int length = begin[first + size] - begin[first];
            if (size > 0) {
                char after = count + size == passed ? ']' : ',';
                if (next + length > body.size()
                        || array[next + length - 1] != after
                        || !same(begin[first], length - 1, array, next)) {
                    return null;
                }
            }
            for (int i = 0; i < size; i++) {
                from[count] = next + begin[first + i] - begin[first];
                numbers[count] = nodes.number(first + i);
                unknown |= numbers[count++] < 0;
            }
            next += length;
        }
        from[count] = next;
        // A node that was not known may be by now.
        return count == 0 || unknown
                ? null
                : new NamedNodes(array, from, new NodeIndices(nodes.columns(), numbers, count));
    }

    private boolean same(int at, int length, byte[] other, int there) {
        return Arrays.equals(json, at, at + length, other, there, there + length);
    }

    /** The name at that place. */
    void addTo(ResponseWriter answer, int place) {
        addTo(answer, place, place + 1);
    }

    /** The names from that place up to that other, with commas between. */
    void addTo(ResponseWriter answer, int from, int to) {
        answer.add(json, begin[from], begin[to] - 1);
    }
}
