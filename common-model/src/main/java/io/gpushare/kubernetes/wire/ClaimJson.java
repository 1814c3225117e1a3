package io.gpushare.kubernetes.wire;

import static io.gpushare.kubernetes.wire.Json.text;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpushare.model.PodRef;
import io.gpushare.model.claims.ResourceClaim;
import java.util.List;
import java.util.stream.StreamSupport;

/** A ResourceClaim of {@code resource.k8s.io/v1} in the API's JSON form. */
public final class ClaimJson {
    private ClaimJson() {}

    /** The claim with what is allocated to it. */
    public static ResourceClaim read(JsonNode claim) {
        JsonNode metadata = claim.path("metadata");
        JsonNode status = claim.path("status");
        JsonNode devices = status.path("allocation").path("devices");
        String namespace = Json.shared(metadata, "namespace");
        return new ResourceClaim(
                text(metadata, "uid"),
                namespace,
                text(metadata, "name"),
                each(status.path("reservedFor")).stream()
                        .filter(user -> text(user, "resource").equals("pods"))
                        .map(pod -> new PodRef(text(pod, "uid"), namespace, text(pod, "name")))
                        .toList(),
                each(devices.path("results")).stream().map(ClaimJson::result).toList(),
                each(devices.path("config")).stream()
                        .map(config -> text(config.path("opaque"), "driver"))
                        .toList());
    }

    private static ResourceClaim.Result result(JsonNode result) {
        return new ResourceClaim.Result(
                text(result, "request"),
                text(result, "driver"),
                text(result, "pool"),
                text(result, "device"),
                result.path("adminAccess").asBoolean(),
                Json.texts(result, "consumedCapacity"),
                text(result, "shareID"));
    }

    private static List<JsonNode> each(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false).toList();
    }
}
