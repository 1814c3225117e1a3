package io.gpushare.kubernetes.wire;

import static io.gpushare.kubernetes.wire.Json.text;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpushare.model.PodRef;
import io.gpushare.model.claims.PrepareFailure;
import io.gpushare.model.text.Printable;
import java.time.Instant;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** An Event of a kubelet about a pod, in the API's JSON form. */
public final class PrepareFailureJson {
    private static final int LONGEST = 600;

    /** No name of an object is longer. Whoever writes Events may name what they are about by a megabyte. */
    private static final int LONGEST_NAME = 253;

    private PrepareFailureJson() {}

    public static PrepareFailure read(JsonNode event) {
        JsonNode metadata = event.path("metadata");
        JsonNode pod = event.path("involvedObject");
        @Nullable
        Instant since = Stream.of(Json.time(event, "firstTimestamp"), Json.time(metadata, "creationTimestamp"))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(Instant.EPOCH);
        // Others may write Events as well.
        boolean ofKubelet = text(event, "reportingComponent").equals("kubelet");
        return new PrepareFailure(
                text(metadata, "uid"),
                new PodRef(name(pod, "uid"), name(pod, "namespace"), name(pod, "name")),
                ofKubelet ? Printable.line(text(event, "message"), LONGEST) : "",
                since);
    }

    private static String name(JsonNode object, String field) {
        String name = text(object, field);
        return name.length() > LONGEST_NAME ? "" : name;
    }
}
