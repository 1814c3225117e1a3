package io.gpushare.simulated.apiserver;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.simulated.apiserver.store.ApiResource;
import io.gpushare.simulated.apiserver.store.ObjectKey;
import io.gpushare.simulated.apiserver.store.ObjectStore;
import io.gpushare.simulated.apiserver.store.Selection;
import java.util.List;
import java.util.function.UnaryOperator;

/** The server's objects without HTTP, faults and rules: tests set up a cluster with it and look into it. */
public final class ClusterObjects {
    private final ObjectStore store;

    ClusterObjects(ObjectStore store) {
        this.store = store;
    }

    /** Stores the object as it is, new or in place of the present one; its {@code kind} names the resource. */
    public void put(ObjectNode object) {
        String kind = object.path("kind").asText();
        ApiResource resource = ApiResource.ofKind(kind)
                .orElseThrow(() -> new IllegalArgumentException("the simulated API server has no kind " + kind));
        store.replace(resource, object);
    }

    /** A copy of the object; throws the API's 404 where it is missing. */
    public ObjectNode get(ApiResource resource, String namespace, String name) {
        return store.get(resource, new ObjectKey(namespace, name)).deepCopy();
    }

    public List<ObjectNode> list(ApiResource resource) {
        return store.list(resource, Selection.ALL, new ObjectKey("", ""), Integer.MAX_VALUE)
                .objects();
    }

    /** Changes a copy of the object and stores it. */
    public void update(ApiResource resource, String namespace, String name, UnaryOperator<ObjectNode> change) {
        store.update(resource, new ObjectKey(namespace, name), change);
    }

    public void remove(ApiResource resource, String namespace, String name) {
        store.remove(resource, new ObjectKey(namespace, name));
    }
}
