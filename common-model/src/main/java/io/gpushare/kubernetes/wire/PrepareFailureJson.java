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
                new PodRef(text(pod, "uid"), text(pod, "namespace"), text(pod, "name")),
                ofKubelet ? Printable.line(text(event, "message"), LONGEST) : "",
                since);
    }
}
