package io.gpushare.simulated.apiserver.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;

/** Direct access for tests to the objects of the store, without HTTP, faults and validation. */
public final class ClusterObjects {
    private final ObjectStore store;

    public ClusterObjects(ObjectStore store) {
        this.store = store;
    }

    /** Creates or replaces the object without changing it; its {@code kind} determines the resource. */
    public void put(ObjectNode object) {
        String kind = object.path("kind").asText();
        ApiResource resource = ApiResource.ofKind(kind)
                .orElseThrow(() -> new IllegalArgumentException("the simulated API server has no kind " + kind));
        store.replace(resource, object);
    }

    /** A copy of the object; throws the API's 404 if it is missing. */
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

    /** Drops these fields, anywhere in the spec, of what is written from now on. */
    public void drop(ApiResource resource, Set<String> fields) {
        store.drop(resource, fields);
    }

    public void remove(ApiResource resource, String namespace, String name) {
        store.remove(resource, new ObjectKey(namespace, name));
    }
}
