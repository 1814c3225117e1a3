package io.gpushare.extender.protocol;

import io.gpushare.extender.http.JsonWriter;
import io.gpushare.extender.http.ResponseWriter;
import io.gpushare.extender.ledger.FilterResult;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The answer of filter (ExtenderFilterResult), in Go's capitalised names. A node that no eviction could help is in both
 * maps: kube-scheduler 1.21 and newer lets FailedAndUnresolvableNodes win, older ones know only FailedNodes.
 */
final class FilterResponse {
    private final ResponseWriter json;
    private final ExtenderArgs args;
    private final FilterResult filtered;
    private final NodeNames names;

    private FilterResponse(ResponseWriter json, ExtenderArgs args, FilterResult filtered, NodeNames names) {
        this.json = json;
        this.args = args;
        this.filtered = filtered;
        this.names = names;
    }

    /** That answer to that request, which was read with those names. */
    static ResponseWriter.Content of(ExtenderArgs args, FilterResult filtered, NodeNames names) {
        return into -> new FilterResponse(into, args, filtered, names).write();
    }

    private void write() {
        nodes();
        failed("FailedNodes", false);
        failed("FailedAndUnresolvableNodes", true);
        json.add(",\"Error\":\"\"}");
    }

    /** The whole request could not be answered: kube-scheduler tries the pod again later. */
    static ResponseWriter.Content error(String sentence) {
        return ResponseWriter.Content.of(JsonWriter.of(json -> {
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
        new FailedNodes(json, args.named(), filtered, names).write(hopeless);
        json.add('}');
    }
}
