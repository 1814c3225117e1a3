package io.gpushare.extender.protocol;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.gpushare.extender.http.BadRequestException;
import io.gpushare.extender.http.JsonBody;
import io.gpushare.extender.pod.SchedulingPod;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The request of filter and prioritize (k8s.io/kube-scheduler/extender/v1 ExtenderArgs): a pod, and nodes by name, or
 * as whole objects where kube-scheduler runs with nodeCacheCapable=false.
 *
 * @param items the JSON of each node, in the order of the names; null when the request has only names
 */
record ExtenderArgs(
        SchedulingPod pod, List<String> names, @Nullable List<String> items) {
    /** The fields read so far. */
    private static final class Reading {
        private final byte[] body;
        private @Nullable SchedulingPod pod;
        private @Nullable List<String> names;
        private @Nullable List<String> nodes;
        private @Nullable List<String> items;

        Reading(byte[] body) {
            this.body = body;
        }

        void field(String field, JsonParser value) throws IOException, BadRequestException {
            switch (field) {
                case "pod" -> pod = PodReader.read(value);
                case "nodenames" -> names = names(value);
                case "nodes" -> JsonBody.object(value, "Nodes", this::list);
                default -> {}
            }
        }

        private static @Nullable List<String> names(JsonParser value) throws IOException, BadRequestException {
            if (value.currentToken() == JsonToken.VALUE_NULL) {
                return null;
            }
            List<String> read = new ArrayList<>();
            JsonBody.array(value, "NodeNames", (what, name) -> read.add(JsonBody.string(name, what)));
            return read;
        }

        private void list(String field, JsonParser value) throws IOException, BadRequestException {
            if (!field.equals("items")) {
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

        private static String name(JsonParser item) throws IOException, BadRequestException {
            String[] name = {""};
            JsonBody.object(item, "node", (field, value) -> {
                if (field.equals("metadata")) {
                    JsonBody.object(value, field, JsonBody.strings(name, "name"));
                }
            });
            return name[0];
        }

        ExtenderArgs args() throws BadRequestException {
            if (pod == null) {
                throw new BadRequestException("the request has no Pod");
            }
            if (names != null) {
                return new ExtenderArgs(pod, names, null);
            }
            if (nodes == null) {
                throw new BadRequestException("the request names no nodes: it has neither NodeNames nor Nodes");
            }
            return new ExtenderArgs(pod, nodes, items);
        }
    }

    static ExtenderArgs read(byte[] body) throws BadRequestException {
        Reading reading = new Reading(body);
        JsonBody.read(body, reading::field);
        return reading.args();
    }
}
