package io.gpushare.extender.protocol;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.gpushare.extender.http.BadRequestException;
import io.gpushare.extender.http.JsonBody;
import io.gpushare.extender.http.JsonWriter;
import io.gpushare.extender.pod.SchedulingPod;
import io.gpushare.extender.preemption.Victims;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The request of preempt (k8s.io/kube-scheduler/extender/v1 ExtenderPreemptionArgs): the preemptor, and by node the
 * pods that kube-scheduler would evict, by uid, or as whole objects where it runs with nodeCacheCapable=false. A list
 * of pods may be empty.
 */
record PreemptArgs(SchedulingPod pod, Map<String, Victims> candidates) {
    /** The fields read so far. */
    private static final class Reading {
        private @Nullable SchedulingPod pod;
        private @Nullable Map<String, Victims> candidates;

        void field(String field, JsonParser value) throws IOException, BadRequestException {
            switch (field) {
                case "pod" -> pod = PodReader.read(value);
                case "nodenametometavictims" -> nodes(value, "NodeNameToMetaVictims", Reading::uid);
                case "nodenametovictims" -> nodes(value, "NodeNameToVictims", Reading::uidOfPod);
                default -> {}
            }
        }

        private interface Uid {
            String of(JsonParser pod) throws IOException, BadRequestException;
        }

        private void nodes(JsonParser map, String what, Uid uid) throws IOException, BadRequestException {
            if (map.currentToken() == JsonToken.VALUE_NULL) {
                return;
            }
            Map<String, Victims> read = new LinkedHashMap<>();
            JsonBody.entries(map, what, (node, value) -> read.put(node, victims(value, uid)));
            candidates = read;
        }

        private static Victims victims(JsonParser value, Uid uid) throws IOException, BadRequestException {
            List<String> uids = new ArrayList<>();
            long[] violations = {0};
            JsonBody.object(value, "victims", (field, inner) -> {
                switch (field) {
                    case "pods" -> JsonBody.array(inner, "Pods", (what, pod) -> uids.add(uid.of(pod)));
                    case "numpdbviolations" -> violations[0] = JsonBody.whole(inner, "NumPDBViolations");
                    default -> {}
                }
            });
            return new Victims(uids, violations[0]);
        }

        private static String uid(JsonParser pod) throws IOException, BadRequestException {
            String[] uid = {""};
            JsonBody.object(pod, "Pods", JsonBody.strings(uid, "UID"));
            return required(uid[0]);
        }

        private static String uidOfPod(JsonParser pod) throws IOException, BadRequestException {
            @Nullable SchedulingPod read = PodReader.read(pod);
            return required(read == null ? "" : read.ref().uid());
        }

        private static String required(String uid) throws BadRequestException {
            if (uid.isEmpty()) {
                throw new BadRequestException("a pod among the victims has no UID");
            }
            return uid;
        }

        PreemptArgs args() throws BadRequestException {
            if (pod == null) {
                throw new BadRequestException("the request has no Pod");
            }
            if (candidates == null) {
                throw new BadRequestException(
                        "the request names no candidates: it has neither NodeNameToMetaVictims nor"
                                + " NodeNameToVictims");
            }
            return new PreemptArgs(pod, candidates);
        }
    }

    static PreemptArgs read(byte[] body) throws BadRequestException {
        Reading reading = new Reading();
        JsonBody.read(body, reading::field);
        return reading.args();
    }

    /** The response (ExtenderPreemptionResult), which always names pods by uid. */
    static Buffer response(Map<String, Victims> nodes) {
        return JsonWriter.of(json -> {
            json.writeStartObject();
            json.writeObjectFieldStart("NodeNameToMetaVictims");
            for (Map.Entry<String, Victims> node : nodes.entrySet()) {
                json.writeObjectFieldStart(node.getKey());
                pods(json, node.getValue().uids());
                json.writeNumberField("NumPDBViolations", node.getValue().pdbViolations());
                json.writeEndObject();
            }
            json.writeEndObject();
            json.writeEndObject();
        });
    }

    private static void pods(JsonGenerator json, List<String> uids) throws IOException {
        json.writeArrayFieldStart("Pods");
        for (String uid : uids) {
            json.writeStartObject();
            json.writeStringField("UID", uid);
            json.writeEndObject();
        }
        json.writeEndArray();
    }
}
