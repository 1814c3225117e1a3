package io.gpushare.extender.protocol;

import io.gpushare.extender.feasibility.Reason;
import io.gpushare.extender.http.ResponseWriter;
import io.gpushare.extender.ledger.FilterResult;
import io.gpushare.extender.ledger.NodeIndices;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * FailedNodes or FailedAndUnresolvableNodes of one answer of filter. Where filter decides, or the cluster is full, nearly all
 * nodes are in it: they are told by number, in runs of one reason, and only what can't stand ready in the request's order.
 */
final class FailedNodes {
    private static final byte NONE = 0;
    // To have ready what is said of all nodes for a reason is not worth it for fewer.
    private static final int MANY = 50;

    private final ResponseWriter json;
    private final NamedNodes named;
    private final FilterResult filtered;
    private final NodeNames names;
    // What is told of the node with each number: the place of its entries in the list, counted from 1. A byte does,
    // there are a
    // dozen standing reasons.
    private final byte[] which;
    private final List<FailedEntries> entries = new ArrayList<>();
    private boolean more;

    FailedNodes(ResponseWriter json, NamedNodes named, FilterResult filtered, NodeNames names) {
        this.json = json;
        this.named = named;
        this.filtered = filtered;
        this.names = names;
        this.which = new byte[named.nodes().columns().size()];
    }

    /** Writes those of them for which no eviction could help, or all. */
    void write(boolean hopeless) {
        if (hopeless && filtered.reasons().stream().allMatch(Reason::resolvable)) {
            return;
        }
        if (!hopeless && filtered.notChosen() > 0) {
            notChosen();
        }
        refused(hopeless);
        for (int from = 0; from < which.length; ) {
            int to = from + 1;
            while (to < which.length && which[to] == which[from]) {
                to++;
            }
            if (which[from] != NONE) {
                comma();
                entries.get(which[from] - 1).addTo(json, from, to);
            }
            from = to;
        }
    }

    /** All that were asked for but the one that was chosen; of these the refused are told otherwise then. */
    private void notChosen() {
        entries.add(names.failed(Reason.NOT_CHOSEN));
        NodeIndices nodes = named.nodes();
        for (int place = 0; place < nodes.size(); place++) {
            int number = nodes.number(place);
            if (number >= 0) {
                which[number] = 1;
            }
        }
        which[nodes.number(filtered.chosen())] = NONE;
    }

    private void refused(boolean hopeless) {
        byte[] ready = new byte[filtered.reasons().size()];
        ResponseWriter.@Nullable Piece[] pieces = new ResponseWriter.@Nullable Piece[ready.length];
        for (int i = 0; i < ready.length; i++) {
            Reason why = filtered.reasons().get(i);
            if (hopeless && why.resolvable()) {
                continue;
            }
            pieces[i] = new ResponseWriter.Piece(FailedEntries.told(why));
            if (why.constant() && filtered.count(i) >= MANY) {
                entries.add(names.failed(why));
                ready[i] = (byte) entries.size();
            }
        }
        for (int i = 0; i < filtered.refused(); i++) {
            int reason = filtered.reason(i);
            int number = named.nodes().number(filtered.place(i));
            if (number >= 0) {
                which[number] = ready[reason];
            }
            if (number < 0 || ready[reason] == NONE) {
                inOrder(filtered.place(i), pieces[reason]);
            }
        }
    }

    private void inOrder(int place, ResponseWriter.@Nullable Piece told) {
        if (told != null) {
            comma();
            named.addTo(json, place);
            json.add(told);
        }
    }

    private void comma() {
        if (more) {
            json.add(',');
        }
        more = true;
    }
}
