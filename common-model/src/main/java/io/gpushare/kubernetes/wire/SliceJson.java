package io.gpushare.kubernetes.wire;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.TreeMap;

/** The spec of a ResourceSlice in one written form, so that what is stored can be compared with what was sent. */
public final class SliceJson {
    private SliceJson() {}

    /** Without the generation of the pool, and without what the API server adds: the times of taints. */
    public static String canonical(Object spec) {
        JsonNode copy = Json.MAPPER.valueToTree(spec);
        if (copy.path("pool") instanceof ObjectNode pool) {
            pool.remove("generation");
        }
        for (JsonNode device : copy.path("devices")) {
            for (JsonNode taint : device.path("taints")) {
                if (taint instanceof ObjectNode written) {
                    written.remove("timeAdded");
                }
            }
        }
        return new String(Json.write(Json.MAPPER.convertValue(copy, TreeMap.class)), UTF_8);
    }
}
