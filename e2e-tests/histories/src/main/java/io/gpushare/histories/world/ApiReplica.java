package io.gpushare.histories.world;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.histories.machine.SimulatedMachine;
import io.gpushare.histories.machine.Turns;
import io.gpushare.simulated.apiserver.ObjectRequests;
import io.gpushare.simulated.apiserver.response.WatchResponse;
import io.gpushare.simulated.apiserver.store.ApiError;
import io.gpushare.simulated.apiserver.store.ApiResource;
import io.gpushare.simulated.apiserver.store.Change;
import io.gpushare.simulated.apiserver.store.Documents;
import io.gpushare.simulated.apiserver.store.ObjectKey;
import io.gpushare.simulated.apiserver.store.ObjectStore;
import io.gpushare.simulated.apiserver.store.Selection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * One of several API servers: its cache of objects, from which it serves watches and lists of any version. The cache is
 * behind the storage, each replica's by a time of its own.
 */
final class ApiReplica {
    private static final Duration BOOKMARKS = Duration.ofSeconds(60);
    /** Two pings. */
    private static final Duration NOTICED = Duration.ofSeconds(20);

    /** What it knows of one resource. */
    private static final class Cache {
        final NavigableMap<ObjectKey, ObjectNode> objects = new TreeMap<>();
        final List<Change> changes = new ArrayList<>();
        long version = 1;
        long forgotten;
        /** When the last change that is on its way arrives. */
        Duration arrives = Duration.ZERO;
    }

    private final Turns turns;
    private final Network network;
    private final Map<ApiResource, Cache> caches = new EnumMap<>(ApiResource.class);
    private final List<Watch> watches = new ArrayList<>();
    private Duration stalledUntil = Duration.ZERO;

    ApiReplica(Turns turns, Network network, ObjectStore store) {
        this.turns = turns;
        this.network = network;
        for (ApiResource resource : ApiResource.values()) {
            caches.put(resource, new Cache());
            // Nothing ends this: the replica lives as long as the storage.
            Runnable _ = store.watch(resource, Selection.ALL, 0, change -> later(resource, change));
        }
    }

    /** Hears of nothing new for that time. */
    void stallFor(Duration time) {
        stalledUntil = turns.time().plus(time);
    }

    private Cache cache(ApiResource resource) {
        Cache cache = caches.get(resource);
        if (cache == null) {
            throw new IllegalStateException("no cache of " + resource);
        }
        return cache;
    }

    private void later(ApiResource resource, Change change) {
        Cache cache = cache(resource);
        Duration due = max(max(turns.time().plus(network.delay()), stalledUntil), cache.arrives);
        cache.arrives = due;
        turns.after(due.minus(turns.time()), () -> apply(resource, change));
    }

    private static Duration max(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    private void apply(ApiResource resource, Change change) {
        Cache cache = cache(resource);
        ObjectKey key = ObjectKey.of(change.object());
        if (change.removed()) {
            cache.objects.remove(key);
        } else {
            cache.objects.put(key, change.object());
        }
        cache.version = change.version();
        cache.changes.add(change);
        watches.removeIf(Watch::over);
        watches.stream().filter(watch -> watch.asked.resource() == resource).forEach(watch -> watch.see(change));
    }

    /** Forgets what changed: a watch from before now gets a 410. */
    void forget() {
        caches.values().forEach(cache -> {
            cache.forgotten = cache.version;
            cache.changes.clear();
        });
    }

    /** Its objects, which may be old. */
    ObjectStore.Page list(ApiResource resource, Selection selection) {
        Cache cache = cache(resource);
        return new ObjectStore.Page(
                cache.objects.values().stream().filter(selection::matches).toList(), cache.version, false);
    }

    /** Whether it has seen that version. */
    boolean has(ApiResource resource, long version) {
        Cache cache = cache(resource);
        return cache.version >= version || cache.arrives.compareTo(turns.time()) <= 0;
    }

    /** Serves a watch. */
    void watch(SimulatedMachine caller, ObjectRequests.Answer.Watch asked, EventStream stream, Duration length) {
        Watch watch = new Watch(caller, asked, stream);
        Cache cache = cache(asked.resource());
        if (asked.since() == 0) {
            cache.objects.values().forEach(object -> watch.see(Change.present(cache.version, object)));
        } else if (asked.since() < cache.forgotten) {
            stream.arrive(Change.line(
                    "ERROR",
                    Documents.bytes(
                            ApiError.expired(asked.since(), cache.forgotten).status())));
            stream.end();
            return;
        } else {
            cache.changes.stream()
                    .filter(change -> change.version() > asked.since())
                    .forEach(watch::see);
        }
        watches.add(watch);
        turns.after(length, watch::end);
        if (asked.bookmarks()) {
            turns.after(BOOKMARKS, watch::bookmark);
        }
    }

    /** Breaks the connections of all watches. */
    void cutWatches() {
        watches.forEach(watch -> watch.stream.breaks());
        watches.clear();
    }

    /** One watch. */
    private final class Watch {
        private final SimulatedMachine caller;
        private final ObjectRequests.Answer.Watch asked;
        private final EventStream stream;
        private boolean silent;
        /** When the last line that is on its way arrives. */
        private Duration arrives = Duration.ZERO;

        Watch(SimulatedMachine caller, ObjectRequests.Answer.Watch asked, EventStream stream) {
            this.caller = caller;
            this.asked = asked;
            this.stream = stream;
        }

        boolean over() {
            return stream.over();
        }

        void see(Change change) {
            if (change.version() > asked.since()) {
                change.seenBy(asked.selection()).ifPresent(this::send);
            }
        }

        /** A connection over which nothing came through stays silent, until its end is noticed. */
        private void send(byte[] line) {
            if (!silent && network.cut(caller)) {
                silent = true;
                turns.after(NOTICED, stream::breaks);
            }
            if (!silent) {
                Duration due = max(turns.time().plus(network.watchDelay(caller)), arrives);
                arrives = due;
                if (due.equals(turns.time())) {
                    stream.arrive(line);
                } else {
                    turns.after(due.minus(turns.time()), () -> stream.arrive(line));
                }
            }
        }

        void bookmark() {
            if (!over()) {
                send(WatchResponse.bookmark(
                        asked.resource(), Math.max(asked.since(), cache(asked.resource()).version)));
                turns.after(BOOKMARKS, this::bookmark);
            }
        }

        void end() {
            if (!over()) {
                bookmark();
                stream.end();
            }
        }
    }
}
