package io.gpushare.simulated.apiserver;

import io.gpushare.simulated.apiserver.store.ApiError;
import io.gpushare.simulated.apiserver.store.ApiResource;
import io.gpushare.simulated.apiserver.store.ObjectKey;
import java.util.Arrays;
import java.util.List;

/**
 * The target of a request: a resource and optionally a namespace, an object and a subresource; absent parts are empty.
 */
public record ApiPath(ApiResource resource, String namespace, String name, String subresource) {

    /** Parses {@code /api/v1/…} or {@code /apis/<group>/<version>/…}; anything else is a 404. */
    static ApiPath parse(String path) {
        List<String> parts =
                Arrays.stream(path.split("/")).filter(part -> !part.isEmpty()).toList();
        boolean core = parts.size() >= 3 && parts.getFirst().equals("api");
        if (!core && (parts.size() < 4 || !parts.getFirst().equals("apis"))) {
            throw ApiError.noSuchPath();
        }
        String group = core ? "" : parts.get(1);
        String version = parts.get(core ? 1 : 2);
        List<String> rest = parts.subList(core ? 2 : 3, parts.size());
        String namespace = "";
        if (rest.size() >= 3 && rest.getFirst().equals("namespaces")) {
            namespace = rest.get(1);
            rest = rest.subList(2, rest.size());
        }
        ApiResource resource = ApiResource.of(group, version, rest.getFirst()).orElseThrow(ApiError::noSuchPath);
        boolean objectOutsideNamespace = resource.namespaced && namespace.isEmpty() && rest.size() > 1;
        if (rest.size() > 3 || objectOutsideNamespace || (!resource.namespaced && !namespace.isEmpty())) {
            throw ApiError.noSuchPath();
        }
        return new ApiPath(resource, namespace, rest.size() > 1 ? rest.get(1) : "", rest.size() > 2 ? rest.get(2) : "");
    }

    ObjectKey key() {
        return new ObjectKey(namespace, name);
    }
}
