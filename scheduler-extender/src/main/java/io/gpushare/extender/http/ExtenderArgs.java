package io.gpushare.extender.http;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.gpushare.extender.scheduling.SchedulingPod;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The request of filter and prioritize (k8s.io/kube-scheduler/extender/v1 ExtenderArgs): a pod, and nodes by name, or
 * whole where kube-scheduler runs with nodeCacheCapable=false.
 *
 * @param items the JSON of each node, in the order of the names; null when only names came
 */
record ExtenderArgs(
        SchedulingPod pod, List<String> nodes, @Nullable List<String> items) {
    ExtenderArgs {
        Objects.requireNonNull(pod);
    }

    /** What a body held so far. */
    private static final class Reading {
        private final byte[] body;
        private @Nullable SchedulingPod pod;
        private @Nullable List<String> names;
        private @Nullable List<String> nodes;
        private @Nullable List<String> items;

        Reading(byte[] body) {
            this.body = body;
        }

        void field(String field, JsonParser value) throws IOException, BadRequest {
            switch (field) {
                case "pod" -> pod = PodReader.read(value);
                case "nodenames" -> names = names(value);
                case "nodes" -> JsonBody.object(value, "Nodes", this::list);
                default -> value.skipChildren();
            }
        }

        private static @Nullable List<String> names(JsonParser value) throws IOException, BadRequest {
            if (value.currentToken() == JsonToken.VALUE_NULL) {
                return null;
            }
            List<String> names = new ArrayList<>();
            JsonBody.array(value, "NodeNames", (what, name) -> names.add(JsonBody.string(name, what)));
            return names;
        }

        private void list(String field, JsonParser value) throws IOException, BadRequest {
            if (!field.equals("items")) {
                value.skipChildren();
                return;
            }
            List<String> itemNames = new ArrayList<>();
            List<String> itemTexts = new ArrayList<>();
            JsonBody.array(value, "items", (what, item) -> {
                int from = Math.toIntExact(item.currentTokenLocation().getByteOffset());
                itemNames.add(name(item));
                int to = Math.toIntExact(item.currentLocation().getByteOffset());
                itemTexts.add(new String(body, from, to - from, StandardCharsets.UTF_8));
            });
            nodes = itemNames;
            items = itemTexts;
        }

        private static String name(JsonParser item) throws IOException, BadRequest {
            String[] name = {""};
            JsonBody.object(item, "node", (field, value) -> {
                if (field.equals("metadata")) {
                    JsonBody.object(value, field, (inner, text) -> {
                        if (inner.equals("name")) {
                            name[0] = JsonBody.string(text, inner);
                        } else {
                            text.skipChildren();
                        }
                    });
                } else {
                    value.skipChildren();
                }
            });
            return name[0];
        }

        ExtenderArgs args() throws BadRequest {
            if (pod == null) {
                throw new BadRequest("the request has no Pod");
            }
            if (names != null) {
                return new ExtenderArgs(pod, names, null);
            }
            if (nodes == null) {
                throw new BadRequest("the request names no nodes: it has neither NodeNames nor Nodes");
            }
            return new ExtenderArgs(pod, nodes, items);
        }
    }

    static ExtenderArgs read(byte[] body) throws BadRequest {
        Reading reading = new Reading(body);
        JsonBody.read(body, reading::field);
        return reading.args();
    }
}
