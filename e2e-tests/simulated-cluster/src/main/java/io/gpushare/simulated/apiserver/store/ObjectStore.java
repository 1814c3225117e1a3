package io.gpushare.simulated.apiserver.store;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.time.Machine;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Stores every object of the cluster with one global version counter. A stored document is never modified, only
 * replaced, and callers must not modify the documents that they get. One lock guards the store, and no I/O happens
 * under it.
 */
public final class ObjectStore {
    /** A page of a list: its objects, the version of the list's first page, and whether more follow. */
    public record Page(List<ObjectNode> objects, long version, boolean more) {}

    private final Map<ApiResource, ResourceStore> resources = new EnumMap<>(ApiResource.class);
    private final Map<ApiResource, Set<String>> off = new EnumMap<>(ApiResource.class);
    private final InstantSource clock;
    private long version = 1;

    public ObjectStore(InstantSource clock, int memory) {
        this.clock = clock;
        for (ApiResource resource : ApiResource.values()) {
            resources.put(resource, new ResourceStore(memory));
        }
    }

    /** Creates an object and sets its uid and creation time; throws a 409 if the name exists. */
    public synchronized ObjectNode create(ApiResource resource, ObjectNode fresh) {
        ObjectKey key = ObjectKey.of(fresh);
        if (stored(resource).find(key) != null) {
            throw ApiError.alreadyExists(resource, key.name());
        }
        ObjectNode metadata = Documents.metadata(fresh);
        metadata.put("uid", Machine.here().unique());
        metadata.put(
                "creationTimestamp",
                clock.instant().truncatedTo(ChronoUnit.SECONDS).toString());
        return put(resource, null, fresh);
    }

    /** Creates or replaces an object without changing it. */
    public synchronized ObjectNode replace(ApiResource resource, ObjectNode object) {
        return put(resource, stored(resource).find(ObjectKey.of(object)), object.deepCopy());
    }

    public synchronized ObjectNode get(ApiResource resource, ObjectKey key) {
        ObjectNode found = stored(resource).find(key);
        if (found == null) {
            throw ApiError.notFound(resource, key.name());
        }
        return found;
    }

    /** Applies {@code change} to a copy of the object and stores the result. An equal result creates no version. */
    public synchronized ObjectNode update(ApiResource resource, ObjectKey key, UnaryOperator<ObjectNode> change) {
        ObjectNode before = get(resource, key);
        ObjectNode after = change.apply(before.deepCopy());
        Documents.metadata(after).set("resourceVersion", before.path("metadata").path("resourceVersion"));
        return after.equals(before) ? before : put(resource, before, after);
    }

    public synchronized ObjectNode remove(ApiResource resource, ObjectKey key) {
        ObjectNode before = get(resource, key);
        ObjectNode last = before.deepCopy();
        Documents.metadata(last).put("resourceVersion", Long.toString(++version));
        stored(resource).apply(new Change(version, before, last, true));
        return last;
    }

    public synchronized Page list(ApiResource resource, Selection selection, ObjectKey start, int limit) {
        List<ObjectNode> page = new ArrayList<>();
        for (ObjectNode object : stored(resource).after(selection, start)) {
            if (selection.matches(object)) {
                if (page.size() == limit) {
                    return new Page(page, version, true);
                }
                page.add(object);
            }
        }
        return new Page(page, version, false);
    }

    /**
     * Passes every change after a version to a watcher, oldest first, and then each new change. Version 0 starts with
     * every current object. The watcher is called under the lock and must only enqueue the change.
     */
    public synchronized Runnable watch(
            ApiResource resource, Selection selection, long since, Consumer<Change> watcher) {
        ResourceStore stored = stored(resource);
        if (since == 0) {
            for (ObjectNode object : stored.after(selection, new ObjectKey("", ""))) {
                watcher.accept(new Change(version, null, object, false));
            }
        } else {
            stored.since(since).forEach(watcher);
        }
        stored.watch(selection, watcher);
        return () -> unwatch(stored, selection, watcher);
    }

    private synchronized void unwatch(ResourceStore stored, Selection selection, Consumer<Change> watcher) {
        stored.unwatch(selection, watcher);
    }

    public synchronized long version() {
        return version;
    }

    /** Discards all changes, so that every watch from an older version gets a 410. */
    public synchronized void compact() {
        resources.values().forEach(stored -> stored.forget(Integer.MAX_VALUE));
    }

    /** Drops these fields, anywhere in the spec, of what is written from now on, as where their features are off. */
    public synchronized void drop(ApiResource resource, Set<String> fields) {
        off.put(resource, Set.copyOf(fields));
    }

    private ObjectNode put(ApiResource resource, @Nullable ObjectNode before, ObjectNode after) {
        for (String field : off.getOrDefault(resource, Set.of())) {
            for (JsonNode parent : after.path("spec").findParents(field)) {
                ((ObjectNode) parent).remove(field);
            }
        }
        after.put("kind", resource.kind).put("apiVersion", resource.apiVersion());
        Documents.metadata(after).put("resourceVersion", Long.toString(++version));
        stored(resource).apply(new Change(version, before, after, false));
        return after;
    }

    private ResourceStore stored(ApiResource resource) {
        return Objects.requireNonNull(resources.get(resource));
    }
}
