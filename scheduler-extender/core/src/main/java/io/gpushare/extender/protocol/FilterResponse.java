package io.gpushare.extender.protocol;

import io.gpushare.extender.feasibility.FilterResult;
import io.gpushare.extender.feasibility.Reason;
import io.gpushare.extender.http.JsonWriter;
import io.gpushare.extender.http.ResponseWriter;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
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
            feasible((from, to) -> args.named().addTo(json, from, to));
            json.add("],\"Nodes\":null");
        } else {
            json.add("{\"NodeNames\":null,\"Nodes\":{\"metadata\":{},\"items\":[");
            feasible((from, to) -> json.add(String.join(",", items.subList(from, to))));
            json.add("]}");
        }
        failed("FailedNodes", false);
        failed("FailedAndUnresolvableNodes", true);
        json.add(",\"Error\":\"\"}");
    }

    private interface Range {
        void add(int from, int to);
    }

    /** Writes the feasible nodes, those next to each other in the request in one piece. */
    private void feasible(Range range) {
        boolean more = false;
        for (int from = result.nextFeasible(0); from < result.size(); ) {
            int to = result.nextRefused(from);
            if (more) {
                json.add(',');
            }
            more = true;
            range.add(from, to);
            from = result.nextFeasible(to);
        }
    }

    /** Writes the other nodes with their reasons: all of them, or only those that no eviction could help. */
    private void failed(String field, boolean unresolvable) {
        json.add(",\"" + field + "\":{");
        byte[][] sentences = result.reasons().stream()
                .map(reason -> unresolvable && reason.resolvable() ? new byte[0] : sentence(reason))
                .toArray(byte[][]::new);
        boolean more = false;
        for (int place = result.nextRefused(0); place < result.size(); place = result.nextRefused(place + 1)) {
            byte[] sentence = sentences[result.reasonIndex(place)];
            if (sentence.length > 0) {
                if (more) {
                    json.add(',');
                }
                more = true;
                args.named().addTo(json, place);
                json.add(sentence);
            }
        }
        json.add('}');
    }

    private static byte[] sentence(Reason reason) {
        return (":" + new String(JsonWriter.quoted(reason.sentence()), StandardCharsets.UTF_8))
                .getBytes(StandardCharsets.UTF_8);
    }
}
