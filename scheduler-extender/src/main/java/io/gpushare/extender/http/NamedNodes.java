package io.gpushare.extender.http;

import io.gpushare.extender.scheduling.NodeColumns;
import io.gpushare.extender.scheduling.NodeNumbers;
import java.io.ByteArrayOutputStream;
import java.util.List;

/** The nodes that a request names, and their names as JSON: in the request's own body, if they are plain there. */
final class NamedNodes {
    private final byte[] json;
    private final int[] begin;
    private final NodeNumbers nodes;

    /**
     * Names that stand one behind the other, with one character between.
     *
     * @param begin where the opening quote of each is, and at last the place two behind the last one's closing quote
     */
    NamedNodes(byte[] json, int[] begin, NodeNumbers nodes) {
        this.json = json;
        this.begin = begin;
        this.nodes = nodes;
    }

    /** Those of these names, whatever is in them. */
    static NamedNodes of(List<String> names, NodeColumns columns) {
        ByteArrayOutputStream json = new ByteArrayOutputStream();
        int[] begin = new int[names.size() + 1];
        for (int i = 0; i < names.size(); i++) {
            json.writeBytes(JsonAnswer.quoted(names.get(i)));
            json.write(',');
            begin[i + 1] = json.size();
        }
        return new NamedNodes(json.toByteArray(), begin, NodeNumbers.of(columns, names));
    }

    NodeNumbers nodes() {
        return nodes;
    }

    int size() {
        return nodes.size();
    }

    /** How many bytes the names are, with one character behind each. */
    int bytes() {
        return end() - begin[0];
    }

    /** The place behind the last name and the character after it. */
    int end() {
        return begin[begin.length - 1];
    }

    /** The name at that place. */
    void addTo(Pieces answer, int place) {
        addTo(answer, place, place + 1);
    }

    /** The names from that place up to that other, with commas between. */
    void addTo(Pieces answer, int from, int to) {
        answer.add(json, begin[from], begin[to] - 1);
    }
}
