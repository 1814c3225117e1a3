package io.gpushare.extender.protocol;

import io.gpushare.extender.feasibility.FilterResult;
import io.gpushare.extender.feasibility.Reason;
import io.gpushare.extender.http.JsonWriter;
import io.gpushare.extender.http.ResponseWriter;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The response of filter (ExtenderFilterResult), in Go's capitalised names. A node that no eviction could help is in
 * both maps: kube-scheduler 1.21 and newer prefers FailedAndUnresolvableNodes, older versions know only FailedNodes.
 */
final class FilterResponse {
    private final ResponseWriter json;
    private final ExtenderArgs args;
    private final FilterResult result;

    private FilterResponse(ResponseWriter json, ExtenderArgs args, FilterResult result) {
        this.json = json;
        this.args = args;
        this.result = result;
    }

    /** The response with that result to that request. */
    static Buffer of(ExtenderArgs args, FilterResult result) {
        return ResponseWriter.of(into -> new FilterResponse(into, args, result).write());
    }

    /** The response to a request that failed as a whole: kube-scheduler retries the pod later. */
    static Buffer error(String sentence) {
        return JsonWriter.of(json -> {
            json.writeStartObject();
            for (String field : List.of("NodeNames", "Nodes", "FailedNodes", "FailedAndUnresolvableNodes")) {
                json.writeNullField(field);
            }
            json.writeStringField("Error", sentence);
            json.writeEndObject();
        });
    }

    private void write() {
        @Nullable List<String> items = args.items();
        if (items == null) {
            json.add("{\"NodeNames\":[");
            feasible(place -> json.addQuoted(result.name(place)));
            json.add("],\"Nodes\":null");
        } else {
            json.add("{\"NodeNames\":null,\"Nodes\":{\"metadata\":{},\"items\":[");
            feasible(place -> json.add(items.get(place)));
            json.add("]}");
        }
        failed("FailedNodes", _ -> true);
        failed("FailedAndUnresolvableNodes", reason -> !reason.resolvable());
        json.add(",\"Error\":\"\"}");
    }

    private void feasible(IntConsumer node) {
        boolean more = false;
        for (int place : result.passedPlaces()) {
            if (more) {
                json.add(',');
            }
            more = true;
            node.accept(place);
        }
    }

    /** Writes the other nodes that have such a reason, with its sentence. */
    private void failed(String field, Predicate<Reason> which) {
        json.add(",\"" + field + "\":{");
        Map<Reason, byte[]> sentences = new HashMap<>();
        boolean more = false;
        for (int place = 0; place < result.size(); place++) {
            @Nullable Reason why = result.why(place);
            if (why != null && which.test(why)) {
                if (more) {
                    json.add(',');
                }
                more = true;
                json.addQuoted(result.name(place));
                json.add(sentences.computeIfAbsent(why, FilterResponse::sentence));
            }
        }
        json.add('}');
    }

    private static byte[] sentence(Reason reason) {
        return (":" + new String(JsonWriter.quoted(reason.sentence()), StandardCharsets.UTF_8))
                .getBytes(StandardCharsets.UTF_8);
    }
}
