package io.gpushare.simulated.claims;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpushare.simulated.client.PodDocument;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The claims that a pod names, read from its document. */
final class PodClaims {
    static final String CLAIMS = "/apis/resource.k8s.io/v1/resourceclaims";

    private PodClaims() {}

    /** What a container uses: a claim of the pod by its name there, and one of its requests; empty for all. */
    record Use(String claim, String request) {}

    /** The names of the claims by the pod's names for them. A claim of a template has none before it is created. */
    static Map<String, String> of(PodDocument pod) {
        Map<String, String> created = new LinkedHashMap<>();
        for (JsonNode status : pod.document().path("status").path("resourceClaimStatuses")) {
            created.put(text(status, "name"), text(status, "resourceClaimName"));
        }
        Map<String, String> claims = new LinkedHashMap<>();
        for (JsonNode claim : pod.document().path("spec").path("resourceClaims")) {
            String name = text(claim, "resourceClaimName");
            claims.put(text(claim, "name"), name.isEmpty() ? created.getOrDefault(text(claim, "name"), "") : name);
        }
        return claims;
    }

    /** What that container of the pod uses. */
    static List<Use> uses(PodDocument pod, String container) {
        List<Use> uses = new ArrayList<>();
        for (String list : List.of("initContainers", "containers")) {
            for (JsonNode each : pod.document().path("spec").path(list)) {
                if (text(each, "name").equals(container)) {
                    each.path("resources")
                            .path("claims")
                            .forEach(use -> uses.add(new Use(text(use, "name"), text(use, "request"))));
                }
            }
        }
        return uses;
    }

    static String path(String namespace, String claim) {
        return "/apis/resource.k8s.io/v1/namespaces/" + namespace + "/resourceclaims/" + claim;
    }

    static String text(JsonNode object, String field) {
        return object.path(field).asText("");
    }
}
