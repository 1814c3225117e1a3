package io.gpushare.extender.http;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.SerializableString;
import io.gpushare.extender.scheduling.Filtered;
import io.gpushare.extender.scheduling.Reason;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The answer of filter (ExtenderFilterResult), in Go's capitalised names. A node that no eviction could help is in both
 * maps: kube-scheduler 1.21 and newer lets FailedAndUnresolvableNodes win, older ones know only FailedNodes.
 */
final class FilterAnswer {
    private FilterAnswer() {}

    static Buffer of(ExtenderArgs args, Filtered filtered) {
        return JsonAnswer.of(args.size(), json -> {
            json.writeStartObject();
            nodes(json, args, filtered);
            failed(json, "FailedNodes", args, filtered, false);
            failed(json, "FailedAndUnresolvableNodes", args, filtered, true);
            json.writeStringField("Error", "");
            json.writeEndObject();
        });
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

    private static void nodes(JsonGenerator json, ExtenderArgs args, Filtered filtered) throws IOException {
        @Nullable List<String> items = args.items();
        if (items == null) {
            json.writeArrayFieldStart("NodeNames");
            for (int i = 0; i < filtered.size(); i++) {
                if (filtered.why(i) == null) {
                    json.writeString(args.quoted().get(i));
                }
            }
            json.writeEndArray();
            json.writeNullField("Nodes");
            return;
        }
        json.writeNullField("NodeNames");
        json.writeObjectFieldStart("Nodes");
        json.writeObjectFieldStart("metadata");
        json.writeEndObject();
        json.writeArrayFieldStart("items");
        for (int i = 0; i < items.size(); i++) {
            if (filtered.why(i) == null) {
                json.writeRawValue(items.get(i));
            }
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private static void failed(JsonGenerator json, String field, ExtenderArgs args, Filtered filtered, boolean hopeless)
            throws IOException {
        json.writeObjectFieldStart(field);
        IdentityHashMap<Reason, SerializableString> sentences = new IdentityHashMap<>();
        for (int i = 0; i < filtered.size(); i++) {
            @Nullable Reason why = filtered.why(i);
            if (why != null && !(hopeless && why.curable())) {
                json.writeFieldName(args.quoted().get(i));
                json.writeString(sentences.computeIfAbsent(why, reason -> JsonAnswer.text(reason.sentence())));
            }
        }
        json.writeEndObject();
    }
}
