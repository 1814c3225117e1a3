package io.gpushare.simulated.apiserver;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.simulated.apiserver.store.ApiResource;
import io.gpushare.simulated.apiserver.store.Documents;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The API's resources by group and version, which kubectl reads before it gets or changes an object. */
final class Discovery {
    private static final List<String> VERBS = List.of("create", "delete", "get", "list", "patch", "update", "watch");

    private Discovery() {}

    /** The response at {@code /api}, {@code /apis}, and {@code /api/v1} or {@code /apis/<group>/<version>}. */
    static Optional<ObjectNode> at(String path) {
        return switch (path) {
            case "/api" -> {
                ObjectNode versions = Documents.empty().put("kind", "APIVersions");
                versions.putArray("versions").add("v1");
                yield Optional.of(versions);
            }
            case "/apis" -> Optional.of(groups());
            default ->
                Stream.of("/api/", "/apis/")
                        .filter(path::startsWith)
                        .map(prefix -> resources(path.substring(prefix.length())))
                        .filter(found -> !found.path("resources").isEmpty())
                        .findFirst();
        };
    }

    private static ObjectNode groups() {
        ObjectNode list = Documents.empty().put("kind", "APIGroupList").put("apiVersion", "v1");
        ArrayNode groups = list.putArray("groups");
        Arrays.stream(ApiResource.values())
                .map(ApiResource::apiVersion)
                .filter(version -> version.contains("/"))
                .distinct()
                .forEach(version -> {
                    ObjectNode group = groups.addObject().put("name", version.split("/")[0]);
                    group.putArray("versions").add(version(version));
                    group.set("preferredVersion", version(version));
                });
        return list;
    }

    private static ObjectNode version(String version) {
        return Documents.empty().put("groupVersion", version).put("version", version.split("/")[1]);
    }

    private static ObjectNode resources(String version) {
        ObjectNode list = Documents.empty()
                .put("kind", "APIResourceList")
                .put("apiVersion", "v1")
                .put("groupVersion", version);
        ArrayNode resources = list.putArray("resources");
        for (ApiResource resource : ApiResource.values()) {
            if (resource.apiVersion().equals(version)) {
                ArrayNode verbs = resources
                        .addObject()
                        .put("name", resource.plural)
                        .put("singularName", "")
                        .put("namespaced", resource.namespaced)
                        .put("kind", resource.kind)
                        .putArray("verbs");
                VERBS.forEach(verbs::add);
            }
        }
        return list;
    }
}
