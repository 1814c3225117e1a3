package io.gpushare.kubernetes.wire;

import static io.gpushare.kubernetes.wire.Json.text;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpushare.model.claims.ClaimUse;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What the containers of a pod use of claims, in the API's JSON form. */
public final class ClaimUseJson {
    private ClaimUseJson() {}

    /** One for each claim, or request of a claim, of each container: the first {@link ClaimUse#MOST_OF_POD}. */
    public static List<ClaimUse> read(JsonNode pod) {
        return read(pod.path("spec"), pod.path("status"), ClaimUseJson::variables);
    }

    /** The same without the variables that the containers set. */
    static List<ClaimUse> withoutVariables(JsonNode spec, JsonNode status) {
        return read(spec, status, _ -> Set.of());
    }

    private static List<ClaimUse> read(JsonNode spec, JsonNode status, Function<JsonNode, Set<String>> variables) {
        Map<String, String> claims = new HashMap<>();
        spec.path("resourceClaims").forEach(claim -> claims.put(text(claim, "name"), text(claim, "resourceClaimName")));
        // Of a template, the claim's name is in the status.
        status.path("resourceClaimStatuses")
                .forEach(claim -> claims.put(text(claim, "name"), text(claim, "resourceClaimName")));
        JsonNode extended = status.path("extendedResourceClaimStatus");
        return PodJson.eachContainer(spec, (container, role) -> {
                    String name = text(container, "name");
                    Set<String> own = variables.apply(container);
                    Stream<ClaimUse> named = container
                            .path("resources")
                            .path("claims")
                            .valueStream()
                            .map(claim -> new ClaimUse(
                                    name,
                                    role,
                                    claims.getOrDefault(text(claim, "name"), ""),
                                    text(claim, "request"),
                                    own));
                    // kube-scheduler makes a claim for resources that device classes map.
                    Stream<ClaimUse> mapped = extended.path("requestMappings")
                            .valueStream()
                            .filter(mapping -> text(mapping, "containerName").equals(name))
                            .map(mapping -> new ClaimUse(
                                    name,
                                    role,
                                    text(extended, "resourceClaimName"),
                                    text(mapping, "requestName"),
                                    own));
                    return Stream.concat(named, mapped);
                })
                .flatMap(each -> each)
                .limit(ClaimUse.MOST_OF_POD)
                .toList();
    }

    /** One set for all claims of the container. */
    private static Set<String> variables(JsonNode container) {
        return container
                .path("env")
                .valueStream()
                .map(variable -> text(variable, "name"))
                .collect(Collectors.toUnmodifiableSet());
    }
}
