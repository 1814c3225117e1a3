package io.gpushare.simulated.apiserver.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The objects of one resource with their latest changes and watchers. Pods and their watchers are also indexed by node,
 * so that a change reaches only the watcher of its node among thousands of kubelets. The lock of the store guards it.
 */
final class ResourceStore {
    private final NavigableMap<ObjectKey, ObjectNode> objects = new TreeMap<>();
    private final Map<String, NavigableMap<ObjectKey, ObjectNode>> byNode = new HashMap<>();
    // In the order of their calls, so that a run can be repeated.
    private final Set<Consumer<Change>> watchers = new LinkedHashSet<>();
    private final Map<String, Set<Consumer<Change>>> watchersByNode = new HashMap<>();
    private final List<Change> changes = new ArrayList<>();
    private final int memory;
    private long forgotten;

    /** @param memory the minimum number of changes to keep (the maximum is twice as many) */
    ResourceStore(int memory) {
        this.memory = memory;
    }

    @Nullable
    ObjectNode find(ObjectKey key) {
        return objects.get(key);
    }

    /** The objects of a node, or all objects, after a key, in list order. */
    Collection<ObjectNode> after(Selection selection, ObjectKey start) {
        NavigableMap<ObjectKey, ObjectNode> from = selection
                .node()
                .map(node -> byNode.getOrDefault(node, new TreeMap<>()))
                .orElse(objects);
        if (selection.namespace().isEmpty()) {
            return from.tailMap(start, false).values();
        }
        ObjectKey first = new ObjectKey(selection.namespace(), "");
        ObjectKey end = new ObjectKey(selection.namespace() + "\0", "");
        return from.subMap(start.compareTo(first) > 0 ? start : first, false, end, false)
                .values();
    }

    void apply(Change change) {
        ObjectKey key = ObjectKey.of(change.object);
        unindex(key, change.before);
        if (change.removed) {
            objects.remove(key);
        } else {
            objects.put(key, change.object);
            String node = Documents.text(change.object, "spec.nodeName");
            if (!node.isEmpty()) {
                byNode.computeIfAbsent(node, _ -> new TreeMap<>()).put(key, change.object);
            }
        }
        changes.add(change);
        if (changes.size() > 2 * memory) {
            forget(memory);
        }
        notifyWatchers(change);
    }

    private void unindex(ObjectKey key, @Nullable ObjectNode before) {
        String node = before == null ? "" : Documents.text(before, "spec.nodeName");
        byNode.computeIfPresent(node, (_, pods) -> {
            pods.remove(key);
            return pods.isEmpty() ? null : pods;
        });
    }

    private void notifyWatchers(Change change) {
        watchers.forEach(watcher -> watcher.accept(change));
        String is = Documents.text(change.object, "spec.nodeName");
        String was = change.before == null ? is : Documents.text(change.before, "spec.nodeName");
        watchersByNode.getOrDefault(is, Set.of()).forEach(watcher -> watcher.accept(change));
        if (!was.equals(is)) {
            watchersByNode.getOrDefault(was, Set.of()).forEach(watcher -> watcher.accept(change));
        }
    }

    /** Discards the oldest changes: a watch from before them gets a 410. */
    void forget(int count) {
        List<Change> oldest = changes.subList(0, Math.min(count, changes.size()));
        if (!oldest.isEmpty()) {
            forgotten = oldest.getLast().version;
            oldest.clear();
        }
    }

    /** The changes after a version, oldest first; throws a 410 if some of them were discarded. */
    List<Change> since(long version) {
        if (version < forgotten) {
            throw ApiError.expired(version, forgotten);
        }
        int low = 0;
        int high = changes.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (changes.get(middle).version <= version) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return changes.subList(low, changes.size());
    }

    void watch(Selection selection, Consumer<Change> watcher) {
        selection
                .node()
                .map(node -> watchersByNode.computeIfAbsent(node, _ -> new LinkedHashSet<>()))
                .orElse(watchers)
                .add(watcher);
    }

    void unwatch(Selection selection, Consumer<Change> watcher) {
        watchers.remove(watcher);
        selection
                .node()
                .ifPresent(node -> watchersByNode.computeIfPresent(node, (_, those) -> {
                    those.remove(watcher);
                    return those.isEmpty() ? null : those;
                }));
    }
}
