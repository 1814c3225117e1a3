package io.gpushare.kubernetes.wire;

import static io.gpushare.kubernetes.wire.Json.text;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpushare.model.claims.ClaimUse;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What the containers of a pod use of claims, in the API's JSON form. */
public final class ClaimUseJson {
    private ClaimUseJson() {}

    /** One for each claim, or request of a claim, of each container. */
    public static List<ClaimUse> read(JsonNode pod) {
        Map<String, String> claims = new HashMap<>();
        pod.path("spec")
                .path("resourceClaims")
                .forEach(claim -> claims.put(text(claim, "name"), text(claim, "resourceClaimName")));
        // Of a template, the claim's name is in the status.
        pod.path("status")
                .path("resourceClaimStatuses")
                .forEach(claim -> claims.put(text(claim, "name"), text(claim, "resourceClaimName")));
        return Stream.of("initContainers", "containers")
                .flatMap(kind -> pod.path("spec").path(kind).valueStream())
                .flatMap(container -> container
                        .path("resources")
                        .path("claims")
                        .valueStream()
                        .map(claim -> new ClaimUse(
                                text(container, "name"),
                                claims.getOrDefault(text(claim, "name"), ""),
                                text(claim, "request"),
                                container
                                        .path("env")
                                        .valueStream()
                                        .map(variable -> text(variable, "name"))
                                        .collect(Collectors.toSet()))))
                .toList();
    }
}
