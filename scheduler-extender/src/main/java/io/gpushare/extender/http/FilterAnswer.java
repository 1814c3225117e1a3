package io.gpushare.extender.http;

import io.gpushare.extender.scheduling.Filtered;
import io.gpushare.extender.scheduling.Reason;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The answer of filter (ExtenderFilterResult), in Go's capitalised names. A node that no eviction could help is in both
 * maps: kube-scheduler 1.21 and newer lets FailedAndUnresolvableNodes win, older ones know only FailedNodes.
 */
final class FilterAnswer {
    private final Pieces json;
    private final ExtenderArgs args;
    private final Filtered filtered;
    /** What stands behind the name of a refused node, by its reason. */
    private final List<Pieces.Piece> sentences;

    private FilterAnswer(Pieces json, ExtenderArgs args, Filtered filtered) {
        this.json = json;
        this.args = args;
        this.filtered = filtered;
        this.sentences = filtered.reasons().stream().map(FilterAnswer::told).toList();
    }

    static Pieces.Content of(ExtenderArgs args, Filtered filtered) {
        return into -> new FilterAnswer(into, args, filtered).write();
    }

    /** As it stands behind a node's name. */
    private static Pieces.Piece told(Reason why) {
        return new Pieces.Piece(":" + new String(JsonAnswer.quoted(why.sentence()), StandardCharsets.UTF_8));
    }

    private void write() {
        nodes();
        failed("FailedNodes", false);
        failed("FailedAndUnresolvableNodes", true);
        json.add(",\"Error\":\"\"}");
    }

    /** The whole request could not be answered: kube-scheduler tries the pod again later. */
    static Pieces.Content error(String sentence) {
        return Pieces.Content.of(JsonAnswer.of(json -> {
            json.writeStartObject();
            for (String field : List.of("NodeNames", "Nodes", "FailedNodes", "FailedAndUnresolvableNodes")) {
                json.writeNullField(field);
            }
            json.writeStringField("Error", sentence);
            json.writeEndObject();
        }));
    }

    private void nodes() {
        json.add(
                args.items() == null
                        ? "{\"NodeNames\":["
                        : "{\"NodeNames\":null,\"Nodes\":{\"metadata\":{},\"items\":[");
        boolean more = false;
        for (int run = 0; run < filtered.runs(); run++) {
            if (filtered.from(run) < filtered.to(run)) {
                if (more) {
                    json.add(',');
                }
                more = true;
                feasible(filtered.from(run), filtered.to(run));
            }
        }
        json.add(args.items() == null ? "],\"Nodes\":null" : "]}");
    }

    private void feasible(int from, int to) {
        @Nullable List<String> items = args.items();
        if (items == null) {
            args.named().addTo(json, from, to);
        } else {
            json.add(String.join(",", items.subList(from, to)));
        }
    }

    private void failed(String field, boolean hopeless) {
        json.add(",\"" + field + "\":{");
        boolean more = false;
        for (int i = 0; i < filtered.refused(); i++) {
            int reason = filtered.reason(i);
            if (!(hopeless && filtered.reasons().get(reason).curable())) {
                if (more) {
                    json.add(',');
                }
                more = true;
                args.named().addTo(json, filtered.place(i));
                json.add(sentences.get(reason));
            }
        }
        json.add('}');
    }
}
