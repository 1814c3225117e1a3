package io.gpushare.simulated.apiserver.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Every object of the cluster with one global version counter. A stored document is never changed, only replaced; what
 * is handed out may be read by anyone and written by none. One lock guards all, and no I/O happens under it.
 */
public final class ObjectStore {
    /** A page of a list: its objects, the version of the list's first page, and whether more follow. */
    public record Page(List<ObjectNode> objects, long version, boolean more) {}

    private final Map<ApiResource, ResourceStore> resources = new EnumMap<>(ApiResource.class);
    private final InstantSource clock;
    private long version = 1;

    public ObjectStore(InstantSource clock, int memory) {
        this.clock = clock;
        for (ApiResource resource : ApiResource.values()) {
            resources.put(resource, new ResourceStore(memory));
        }
    }

    /** Stores a new object, with uid and creation time given by the server; 409 where the name is taken. */
    public synchronized ObjectNode create(ApiResource resource, ObjectNode fresh) {
        ObjectKey key = ObjectKey.of(fresh);
        if (stored(resource).find(key) != null) {
            throw ApiError.alreadyExists(resource, key.name());
        }
        ObjectNode metadata = Documents.metadata(fresh);
        metadata.put("uid", UUID.randomUUID().toString());
        metadata.put(
                "creationTimestamp",
                clock.instant().truncatedTo(ChronoUnit.SECONDS).toString());
        return put(resource, null, fresh);
    }

    /** Stores an object as it is, new or in place of the present one. */
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

    /** Replaces an object by what {@code change} makes of a copy; a change that changes nothing gets no version. */
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
     * Passes every change after a version to a watcher, oldest first, and from then on each change as it happens. Version 0
     * means: first every object as it is. The watcher is called under the lock and must only pass the change on.
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

    /** Forgets all changes, so that every watch from an older version is answered 410. */
    public synchronized void compact() {
        resources.values().forEach(stored -> stored.forget(Integer.MAX_VALUE));
    }

    private ObjectNode put(ApiResource resource, @Nullable ObjectNode before, ObjectNode after) {
        after.put("kind", resource.kind).put("apiVersion", resource.apiVersion());
        Documents.metadata(after).put("resourceVersion", Long.toString(++version));
        stored(resource).apply(new Change(version, before, after, false));
        return after;
    }

    private ResourceStore stored(ApiResource resource) {
        return Objects.requireNonNull(resources.get(resource));
    }
}
