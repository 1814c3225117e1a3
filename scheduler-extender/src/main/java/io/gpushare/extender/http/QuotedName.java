package io.gpushare.extender.http;

import io.gpushare.extender.scheduling.NodeName;
import java.util.Arrays;

/** A node's name with its JSON, which may lie beside that of others. */
final class QuotedName extends NodeName {
    private final byte[] json;
    private final int from;
    private final int to;

    /** A name, and where its JSON is. */
    QuotedName(String name, byte[] json, int from, int to) {
        super(name);
        this.json = json;
        this.from = from;
        this.to = to;
    }

    /** Whether its JSON is at that place of the body. */
    boolean isAt(byte[] body, int at) {
        int end = at + to - from;
        return end <= body.length && Arrays.equals(json, from, to, body, at, end);
    }

    /** Its JSON, behind what is there. */
    void addTo(Pieces answer) {
        answer.add(json, from, to);
    }
}
