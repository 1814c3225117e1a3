package io.gpushare.extender.http;

import io.gpushare.extender.scheduling.Filtered;
import io.gpushare.extender.scheduling.Reason;
import io.vertx.core.buffer.Buffer;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The answer of filter (ExtenderFilterResult), in Go's capitalised names. A node that no eviction could help is in both
 * maps: kube-scheduler 1.21 and newer lets FailedAndUnresolvableNodes win, older ones know only FailedNodes.
 */
final class FilterAnswer {
    // A guess at what a usual answer has beside the names.
    private static final int BESIDE = 32 << 10;

    private FilterAnswer() {}

    static Buffer of(ExtenderArgs args, Filtered filtered) {
        Pieces json = new Pieces(args.named().bytes() + BESIDE);
        nodes(json, args, filtered);
        failed(json, "FailedNodes", args, filtered, false);
        failed(json, "FailedAndUnresolvableNodes", args, filtered, true);
        json.add(",\"Error\":\"\"}");
        return json.whole();
    }

    /** The whole request could not be answered: kube-scheduler tries the pod again later. */
    static Buffer error(String sentence) {
        return JsonAnswer.of(json -> {
            json.writeStartObject();
            for (String field : List.of("NodeNames", "Nodes", "FailedNodes", "FailedAndUnresolvableNodes")) {
                json.writeNullField(field);
            }
            json.writeStringField("Error", sentence);
            json.writeEndObject();
        });
    }

    private static void nodes(Pieces json, ExtenderArgs args, Filtered filtered) {
        @Nullable List<String> items = args.items();
        json.add(items == null ? "{\"NodeNames\":[" : "{\"NodeNames\":null,\"Nodes\":{\"metadata\":{},\"items\":[");
        boolean more = false;
        for (int from = 0; from < filtered.size(); from++) {
            int to = from;
            while (to < filtered.size() && filtered.why(to) == null) {
                to++;
            }
            if (to > from) {
                if (more) {
                    json.add(',');
                }
                more = true;
                if (items == null) {
                    args.named().addTo(json, from, to);
                } else {
                    json.add(String.join(",", items.subList(from, to)));
                }
                from = to;
            }
        }
        json.add(items == null ? "],\"Nodes\":null" : "]}");
    }

    private static void failed(Pieces json, String field, ExtenderArgs args, Filtered filtered, boolean hopeless) {
        json.add(",\"" + field + "\":{");
        IdentityHashMap<Reason, byte[]> sentences = new IdentityHashMap<>();
        boolean more = false;
        for (int i = 0; i < filtered.size(); i++) {
            @Nullable Reason why = filtered.why(i);
            if (why != null && !(hopeless && why.curable())) {
                if (more) {
                    json.add(',');
                }
                more = true;
                args.named().addTo(json, i);
                json.add(sentences.computeIfAbsent(why, FilterAnswer::told));
            }
        }
        json.add('}');
    }

    private static byte[] told(Reason why) {
        return Buffer.buffer(":").appendBytes(JsonAnswer.quoted(why.sentence())).getBytes();
    }
}
