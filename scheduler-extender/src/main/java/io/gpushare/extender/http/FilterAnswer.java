package io.gpushare.extender.http;

import io.gpushare.extender.scheduling.Filtered;
import io.gpushare.extender.scheduling.Reason;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The answer of filter (ExtenderFilterResult), in Go's capitalised names. A node that no eviction could help is in both
 * maps: kube-scheduler 1.21 and newer lets FailedAndUnresolvableNodes win, older ones know only FailedNodes.
 */
final class FilterAnswer {
    private final Pieces json;
    private final ExtenderArgs args;
    private final Filtered filtered;
    private final NodeNames names;

    private FilterAnswer(Pieces json, ExtenderArgs args, Filtered filtered, NodeNames names) {
        this.json = json;
        this.args = args;
        this.filtered = filtered;
        this.names = names;
    }

    /** That answer to that request, which was read with those names. */
    static Pieces.Content of(ExtenderArgs args, Filtered filtered, NodeNames names) {
        return into -> new FilterAnswer(into, args, filtered, names).write();
    }

    /** What stands behind the name of a node that is refused for that reason. */
    static String told(Reason why) {
        return ":" + new String(JsonAnswer.quoted(why.sentence()), StandardCharsets.UTF_8);
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
        Pieces.@Nullable Piece[] sentences = sentences(hopeless);
        int refused = Arrays.stream(sentences).allMatch(Objects::isNull) ? 0 : filtered.refused();
        boolean more = !hopeless
                && filtered.notChosen() > 0
                && names.notChosen().addTo(json, args.named().nodes(), filtered);
        for (int i = 0; i < refused; i++) {
            Pieces.@Nullable Piece sentence = sentences[filtered.reason(i)];
            if (sentence != null) {
                if (more) {
                    json.add(',');
                }
                more = true;
                args.named().addTo(json, filtered.place(i));
                json.add(sentence);
            }
        }
        json.add('}');
    }

    /** What stands behind the name of a refused node, by its reason; null for a reason that is not of that field. */
    private Pieces.@Nullable Piece[] sentences(boolean hopeless) {
        return filtered.reasons().stream()
                .map(reason -> hopeless && reason.curable() ? null : new Pieces.Piece(told(reason)))
                .toArray(Pieces.Piece[]::new);
    }
}
