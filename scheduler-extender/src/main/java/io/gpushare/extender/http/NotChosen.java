package io.gpushare.extender.http;

import io.gpushare.extender.scheduling.Filtered;
import io.gpushare.extender.scheduling.NodeColumns;
import io.gpushare.extender.scheduling.NodeNumbers;
import io.gpushare.extender.scheduling.Reason;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * What FailedNodes has of the nodes that were not chosen. Where filter decides these are nearly all, and what is said of
 * each is always the same: so it stands ready, by the nodes' numbers, and is copied in runs. Nodes that came since are told
 * by name. Immutable.
 */
final class NotChosen {
    // Each with a comma behind it.
    private final byte[] entries;
    private final int[] begin;

    /** Of the nodes with the first numbers, so many of them. */
    NotChosen(NodeColumns nodes, int size) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        begin = new int[size + 1];
        for (int number = 0; number < size; number++) {
            all.writeBytes((entry(nodes.name(number)) + ",").getBytes(StandardCharsets.UTF_8));
            begin[number + 1] = all.size();
        }
        entries = all.toByteArray();
    }

    /**
     * Adds those of these nodes that could take the pod and were not chosen, each once, with commas between.
     *
     * @return whether there are any
     */
    boolean addTo(Pieces json, NodeNumbers nodes, Filtered filtered) {
        boolean[] told = told(nodes, filtered);
        int ready = begin.length - 1;
        boolean more = false;
        for (int from = next(told, 0, true); from < ready; ) {
            int to = Math.min(ready, next(told, from, false));
            comma(json, more);
            more = true;
            json.add(entries, begin[from], begin[to] - 1);
            from = next(told, to, true);
        }
        for (int number = next(told, ready, true); number < told.length; number = next(told, number + 1, true)) {
            comma(json, more);
            more = true;
            json.add(entry(nodes.columns().name(number)));
        }
        return more;
    }

    /** Those of them, by number. */
    private static boolean[] told(NodeNumbers nodes, Filtered filtered) {
        boolean[] told = new boolean[nodes.columns().size()];
        for (int place = 0; place < nodes.size(); place++) {
            int number = nodes.number(place);
            if (number >= 0) {
                told[number] = true;
            }
        }
        for (int i = 0; i < filtered.refused(); i++) {
            int number = nodes.number(filtered.place(i));
            if (number >= 0) {
                told[number] = false;
            }
        }
        told[nodes.number(filtered.chosen())] = false;
        return told;
    }

    private static int next(boolean[] told, int from, boolean value) {
        int at = from;
        while (at < told.length && told[at] != value) {
            at++;
        }
        return at;
    }

    private static void comma(Pieces json, boolean more) {
        if (more) {
            json.add(',');
        }
    }

    private static String entry(String name) {
        return new String(JsonAnswer.quoted(name), StandardCharsets.UTF_8) + FilterAnswer.told(Reason.NOT_CHOSEN);
    }
}
