package io.gpushare.simulated.apiserver.response;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.simulated.apiserver.store.ApiResource;
import io.gpushare.simulated.apiserver.store.Documents;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The discovery of the API, by which kubectl finds resources, and the part of its OpenAPI document by which kubectl
 * leaves the validation of fields to the server.
 */
public final class Discovery {
    private static final String V3 = "/openapi/v3";
    private static final List<String> VERBS = List.of("create", "delete", "get", "list", "patch", "update", "watch");

    private Discovery() {}

    /** The document of that path; empty if the path is of something else. */
    public static Optional<ObjectNode> document(String path) {
        return switch (path) {
            case "/api" -> Optional.of(versions());
            case "/apis" -> Optional.of(groups());
            case V3 -> Optional.of(paths());
            default ->
                Arrays.stream(ApiResource.values())
                        .map(ApiResource::path)
                        .filter(base -> path.equals(base) || path.equals(V3 + base))
                        .findFirst()
                        .map(base -> path.equals(base) ? resources(base) : openApi(base));
        };
    }

    private static ObjectNode versions() {
        ObjectNode document = Documents.empty().put("kind", "APIVersions");
        document.putArray("versions").add("v1");
        return document;
    }

    private static ObjectNode groups() {
        ObjectNode document = Documents.empty().put("kind", "APIGroupList").put("apiVersion", "v1");
        ArrayNode groups = document.putArray("groups");
        // kubectl takes a group that is listed twice for two.
        Map<String, ObjectNode> known = new HashMap<>();
        Arrays.stream(ApiResource.values())
                .map(ApiResource::apiVersion)
                .filter(version -> version.contains("/"))
                .distinct()
                .forEach(version -> {
                    String[] parts = version.split("/");
                    ObjectNode group = known.computeIfAbsent(parts[0], _ -> group(groups.addObject(), version));
                    group.withArray("versions").add(version(version));
                });
        return document;
    }

    private static ObjectNode group(ObjectNode empty, String preferred) {
        empty.put("name", preferred.split("/")[0]).set("preferredVersion", version(preferred));
        return empty;
    }

    private static ObjectNode version(String version) {
        return Documents.empty().put("groupVersion", version).put("version", version.split("/")[1]);
    }

    private static ObjectNode resources(String base) {
        ObjectNode document = Documents.empty().put("kind", "APIResourceList").put("apiVersion", "v1");
        ArrayNode resources = document.putArray("resources");
        for (ApiResource resource : ApiResource.values()) {
            if (resource.path().equals(base)) {
                document.put("groupVersion", resource.apiVersion());
                ObjectNode entry = entry(resources, resource.plural, resource, resource.kind);
                entry.put("singularName", resource.kind.toLowerCase(Locale.ROOT));
                if (!resource.shortName.isEmpty()) {
                    entry.putArray("shortNames").add(resource.shortName);
                }
                if (resource.hasStatus) {
                    entry(resources, resource.plural + "/status", resource, resource.kind);
                }
                if (resource == ApiResource.DEPLOYMENTS) {
                    entry(resources, resource.plural + "/scale", resource, "Scale")
                            .put("group", "autoscaling")
                            .put("version", "v1");
                }
            }
        }
        return document;
    }

    private static ObjectNode entry(ArrayNode to, String name, ApiResource resource, String kind) {
        ObjectNode entry = to.addObject()
                .put("name", name)
                .put("singularName", "")
                .put("namespaced", resource.namespaced)
                .put("kind", kind);
        VERBS.forEach(entry.putArray("verbs")::add);
        return entry;
    }

    private static ObjectNode paths() {
        ObjectNode document = Documents.empty();
        ObjectNode paths = document.putObject("paths");
        for (ApiResource resource : ApiResource.values()) {
            paths.putObject(resource.path().substring(1)).put("serverRelativeURL", V3 + resource.path());
        }
        return document;
    }

    private static ObjectNode openApi(String base) {
        ObjectNode document = Documents.empty().put("openapi", "3.0.0");
        document.putObject("info").put("title", "simulated").put("version", "v1");
        ObjectNode paths = document.putObject("paths");
        for (ApiResource resource : ApiResource.values()) {
            if (resource.path().equals(base)) {
                String[] parts = resource.apiVersion().split("/");
                ObjectNode patch = paths.putObject(base + "/" + resource.plural + "/{name}")
                        .putObject("patch");
                patch.putObject("x-kubernetes-group-version-kind")
                        .put("group", parts.length == 1 ? "" : parts[0])
                        .put("version", parts[parts.length - 1])
                        .put("kind", resource.kind);
                patch.putArray("parameters")
                        .addObject()
                        .put("name", "fieldValidation")
                        .put("in", "query");
            }
        }
        return document;
    }
}
