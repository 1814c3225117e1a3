package io.gpushare.extender.protocol;

import io.gpushare.extender.feasibility.Reason;
import io.gpushare.extender.http.JsonWriter;
import io.gpushare.extender.http.ResponseWriter;
import io.gpushare.extender.ledger.NodeColumns;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * What FailedNodes has of nodes for one reason. That of a node is always the same: so it stands ready, by the nodes' numbers,
 * and is copied in runs. Immutable.
 */
final class FailedEntries {
    private final String told;
    private final NodeColumns nodes;
    // Each with a comma behind it.
    private final byte[] entries;
    private final int[] begin;

    /** Ready of the nodes with the first numbers, so many of them. */
    FailedEntries(Reason why, NodeColumns nodes, int size) {
        told = told(why);
        this.nodes = nodes;
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        begin = new int[size + 1];
        for (int number = 0; number < size; number++) {
            all.writeBytes((entry(number) + ",").getBytes(StandardCharsets.UTF_8));
            begin[number + 1] = all.size();
        }
        entries = all.toByteArray();
    }

    /** Adds those of the nodes with these numbers, with commas between. */
    void addTo(ResponseWriter json, int from, int to) {
        int ready = Math.min(to, begin.length - 1);
        if (from < ready) {
            json.add(entries, begin[from], begin[ready] - 1);
        }
        for (int number = Math.max(from, begin.length - 1); number < to; number++) {
            if (number > from) {
                json.add(',');
            }
            json.add(entry(number));
        }
    }

    private String entry(int number) {
        return new String(JsonWriter.quoted(nodes.name(number)), StandardCharsets.UTF_8) + told;
    }

    /** What stands behind the name of a node that is refused for that reason. */
    static String told(Reason why) {
        return ":" + new String(JsonWriter.quoted(why.sentence()), StandardCharsets.UTF_8);
    }
}
