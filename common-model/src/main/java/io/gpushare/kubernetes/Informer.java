package io.gpushare.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpushare.kubernetes.wire.Json;
import io.gpushare.time.Machine;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports all API objects of one kind and their changes, by one list and a watch. It keeps no more of an object than
 * its identity. Each page of a list has a deadline, and each watch ends; after a failure the list is repeated.
 */
public final class Informer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Informer.class);
    private static final int PAGE = 500;
    private static final Duration PAUSE = Duration.ofSeconds(1);
    // The API server ends a watch after the seconds that the watch asks for: not all of them at the same time.
    private static final int SHORTEST_WATCH = 300;
    private static final int LONGEST_WATCH = 600;
    private static final Duration AFTER_WATCH = Duration.ofSeconds(30);

    /** Receives every change, from one thread and in order; also each object of the first list and of a relist. */
    public interface Listener<T> {
        void changed(T now);

        void gone(T last);
    }

    /**
     * One kind of object: how it is requested and reduced.
     *
     * @param plural the name of several in messages
     * @param fieldSelector which of them; empty for all
     * @param paged whether its lists are requested a page at a time, so that the API server never holds the text of a
     *     large cluster's list; it then reads its storage, not its cache
     * @param identity reduces a state to what is kept for {@link Listener#gone}
     */
    record Kind<T>(
            String plural,
            String path,
            String fieldSelector,
            boolean paged,
            Function<JsonNode, T> state,
            UnaryOperator<T> identity) {
        ApiServer.Request request(String doing) {
            ApiServer.Request all = ApiServer.Request.get(doing + plural, path);
            return fieldSelector.isEmpty() ? all : all.with("fieldSelector", fieldSelector);
        }
    }

    private final ApiServer server;
    private final Kind<?> kind;
    private final KnownObjects<?> known;
    private final Thread thread;
    private volatile boolean closed;
    private volatile boolean synced;
    private volatile Instant heard = Instant.EPOCH;
    // Of the last list, event or bookmark. "0" stands for any that the API server has in its cache, null for the
    // newest.
    private @Nullable String version = "0";
    private String failure = "";

    private <T> Informer(ApiServer server, Kind<T> kind, Listener<T> listener) {
        this.server = server;
        this.kind = kind;
        this.known = new KnownObjects<>(kind, listener);
        this.thread = Machine.here().lightThread("informer-" + kind.plural(), this::run);
    }

    static <T> Informer start(ApiServer server, Kind<T> kind, Listener<T> listener) {
        Informer informer = new Informer(server, kind, listener);
        informer.thread.start();
        return informer;
    }

    /**
     * Whether the listener has received the first list. It stays true when the server is unreachable: {@link
     * #lastHeard}.
     */
    public boolean synced() {
        return synced;
    }

    /** The time of the API server's last object, event or bookmark. */
    public Instant lastHeard() {
        return heard;
    }

    /** The number of objects. */
    public int size() {
        return known.objects.size();
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
    }

    private void run() {
        while (!closed) {
            try {
                list();
                synced = true;
                while (!closed) {
                    watch();
                }
            } catch (KubernetesException e) {
                failed(e);
            }
            pause();
        }
    }

    private void failed(KubernetesException e) {
        if (e.status() != 0) {
            version = null; // the API server does not know the version any more, or not yet
        }
        // The same failure is logged only once.
        String now = String.valueOf(e.getMessage());
        if (!now.equals(failure) && !closed) {
            LOG.warn("{}; retrying", now);
        }
        failure = now;
    }

    private static void pause() {
        try {
            Machine.here().pause(PAUSE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void list() throws KubernetesException {
        ApiServer.Request all = kind.request("listing ");
        Set<String> listed = new HashSet<>();
        Consumer<JsonNode> each = object -> {
            heard = Machine.here().now();
            listed.add(known.changed(object));
        };
        if (kind.paged()) {
            version = pages(all, each, listed);
        } else {
            version = server.list(version == null ? all : all.with("resourceVersion", version), each);
        }
        heard = Machine.here().now();
        known.retain(listed);
    }

    /** All pages show the state at the time of the first. */
    private String pages(ApiServer.Request all, Consumer<JsonNode> each, Set<String> listed)
            throws KubernetesException {
        try {
            return server.list(all.with("limit", PAGE), each);
        } catch (KubernetesException e) {
            if (e.status() != HttpURLConnection.HTTP_GONE) {
                throw e;
            }
            // The API server has discarded that state meanwhile. A whole list can't expire.
            listed.clear();
            return server.list(all, each);
        }
    }

    private void watch() throws KubernetesException {
        int seconds = Machine.here().random().nextInt(SHORTEST_WATCH, LONGEST_WATCH);
        Instant start = Machine.here().now();
        server.watch(
                kind.request("watching ")
                        .with("resourceVersion", String.valueOf(version))
                        .with("allowWatchBookmarks", true)
                        .with("timeoutSeconds", seconds)
                        .within(AFTER_WATCH.plusSeconds(seconds)),
                this::event);
        if (Machine.here().now().isBefore(start.plus(PAUSE))) {
            pause();
        }
    }

    private void event(JsonNode event) {
        heard = Machine.here().now();
        failure = "";
        JsonNode object = event.path("object");
        switch (Json.text(event, "type")) {
            case "ADDED", "MODIFIED" -> known.changed(object);
            case "DELETED" -> known.gone(object);
            default -> {} // a bookmark
        }
        version = Json.text(object.path("metadata"), "resourceVersion");
    }

    /** The identities of the objects that there are. It passes changes on. */
    private static final class KnownObjects<T> {
        private record Identity<T>(String uid, T state) {}

        private final Kind<T> kind;
        private final Listener<T> listener;
        private final Map<String, Identity<T>> objects = new ConcurrentHashMap<>();

        KnownObjects(Kind<T> kind, Listener<T> listener) {
            this.kind = kind;
            this.listener = listener;
        }

        /** Returns the key of the object. */
        String changed(JsonNode object) {
            pass(this::changedTo, object);
            return key(object);
        }

        private void changedTo(JsonNode object) {
            T now = kind.state().apply(object);
            Identity<T> identity = new Identity<>(
                    Json.text(object.path("metadata"), "uid"), kind.identity().apply(now));
            @Nullable Identity<T> before = objects.put(key(object), identity);
            // Recreated under its name while the watch was interrupted.
            if (before != null && !before.uid().equals(identity.uid())) {
                pass(listener::gone, before.state());
            }
            pass(listener::changed, now);
        }

        void gone(JsonNode object) {
            objects.remove(key(object));
            pass(last -> listener.gone(kind.state().apply(last)), object);
        }

        /** The objects with other keys are gone. */
        void retain(Set<String> keys) {
            objects.entrySet().removeIf(entry -> {
                boolean gone = !keys.contains(entry.getKey());
                if (gone) {
                    pass(listener::gone, entry.getValue().state());
                }
                return gone;
            });
        }

        private static String key(JsonNode object) {
            JsonNode metadata = object.path("metadata");
            return Json.text(metadata, "namespace") + "/" + Json.text(metadata, "name");
        }

        /** One object that can't be read or passed on must not end the watch of the others. */
        private <O> void pass(Consumer<O> step, O object) {
            try {
                step.accept(object);
            } catch (RuntimeException e) {
                // Not the object, which users write.
                LOG.error("one of the {} could not be handled", kind.plural(), e);
            }
        }
    }
}
