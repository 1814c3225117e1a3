package io.gpushare.extender.http;

import io.gpushare.extender.scheduling.Filtered;
import io.gpushare.extender.scheduling.Reason;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The answer of filter (ExtenderFilterResult), in Go's capitalised names. A node that no eviction could help is in both
 * maps: kube-scheduler 1.21 and newer lets FailedAndUnresolvableNodes win, older ones know only FailedNodes.
 */
final class FilterAnswer {
    // A guess at the length of a name that is there a second time.
    private static final int NAME = 32;

    private final Pieces json;
    private final ExtenderArgs args;
    private final Filtered filtered;
    private final IdentityHashMap<Reason, Pieces.Piece> sentences;

    private FilterAnswer(
            Pieces json, ExtenderArgs args, Filtered filtered, IdentityHashMap<Reason, Pieces.Piece> sentences) {
        this.json = json;
        this.args = args;
        this.filtered = filtered;
        this.sentences = sentences;
    }

    static Buffer of(ExtenderArgs args, Filtered filtered) {
        IdentityHashMap<Reason, Pieces.Piece> sentences = new IdentityHashMap<>();
        int beside = 512;
        for (int i = 0; i < filtered.size(); i++) {
            @Nullable Reason why = filtered.why(i);
            if (why != null) {
                int length = sentences.computeIfAbsent(why, FilterAnswer::told).length();
                beside += why.curable() ? length : 2 * length + NAME;
            }
        }
        return new FilterAnswer(new Pieces(args.named().bytes() + beside), args, filtered, sentences).whole();
    }

    /** As it stands behind a node's name. */
    private static Pieces.Piece told(Reason why) {
        return new Pieces.Piece(":" + new String(JsonAnswer.quoted(why.sentence()), StandardCharsets.UTF_8));
    }

    private Buffer whole() {
        nodes();
        failed("FailedNodes", false);
        failed("FailedAndUnresolvableNodes", true);
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

    private void nodes() {
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

    private void failed(String field, boolean hopeless) {
        json.add(",\"" + field + "\":{");
        boolean more = false;
        for (int i = 0; i < filtered.size(); i++) {
            @Nullable Reason why = filtered.why(i);
            if (why != null && !(hopeless && why.curable())) {
                if (more) {
                    json.add(',');
                }
                more = true;
                args.named().addTo(json, i);
                json.add(Objects.requireNonNull(sentences.get(why)));
            }
        }
        json.add('}');
    }
}
