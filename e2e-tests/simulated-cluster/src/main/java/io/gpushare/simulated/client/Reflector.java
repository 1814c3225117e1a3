package io.gpushare.simulated.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.time.Machine;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows the objects of a list with a watch from the list's version, and lists again after a 410. One thread calls the
 * listener, with all objects of a list at once so that the listener can order them.
 */
public final class Reflector implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Reflector.class);
    private static final Duration PAUSE = Duration.ofMillis(200);

    /** Receives objects. It may keep the documents but must not modify them. */
    public interface Listener {
        /** Called with new or changed objects: all objects of a list, or one from a watch. */
        void present(List<ObjectNode> objects);

        /** Called with the last known document of a removed object. */
        void gone(ObjectNode object);
    }

    private final ApiClient cluster;
    private final String path;
    private final String selectors;
    private final Listener listener;
    private final Map<String, ObjectNode> known = new HashMap<>();
    private final Thread thread;
    private volatile boolean closed;
    private volatile InputStream stream = InputStream.nullInputStream();
    private String version = "";

    /** @param selectors query parameters, for example {@code fieldSelector=spec.nodeName%3Dn1}, possibly empty */
    public Reflector(ApiClient cluster, String path, String selectors, Listener listener) {
        this.cluster = cluster;
        this.path = path;
        this.selectors = selectors;
        this.listener = listener;
        this.thread = Machine.here().lightThread("follow " + path, this::run);
    }

    public void start() {
        thread.start();
    }

    private void run() {
        while (!closed) {
            try {
                if (version.isEmpty()) {
                    list();
                }
                watch();
            } catch (IOException e) {
                LOG.debug("following {}: {}", path, e.toString());
                pause();
            } catch (InterruptedException _) {
                return;
            }
        }
    }

    private void pause() {
        try {
            Machine.here().pause(PAUSE);
        } catch (InterruptedException _) {
            closed = true;
        }
    }

    private void list() throws IOException, InterruptedException {
        ApiClient.Answer answer = cluster.get(path + "?" + selectors);
        if (!answer.succeeded()) {
            throw new IOException("list " + path + ": " + answer.message());
        }
        Map<String, ObjectNode> before = new HashMap<>(known);
        List<ObjectNode> present = new ArrayList<>();
        known.clear();
        answer.document().path("items").forEach(item -> {
            ObjectNode object = (ObjectNode) item;
            present.add(object);
            known.put(uid(object), object);
        });
        before.keySet().removeAll(known.keySet());
        before.values().forEach(listener::gone);
        listener.present(present);
        version = answer.document().path("metadata").path("resourceVersion").asText();
    }

    private void watch() throws IOException, InterruptedException {
        String query = "watch=true&allowWatchBookmarks=true&resourceVersion=" + version + "&" + selectors;
        ApiWire.Stream response = cluster.open(path + "?" + query);
        stream = response.body();
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
            if (response.code() != 200) {
                throw new IOException("watch " + path + ": HTTP " + response.code());
            }
            for (String line = lines.readLine(); line != null && !closed; line = lines.readLine()) {
                take(ApiClient.document(line));
            }
        }
    }

    private void take(ObjectNode event) throws IOException {
        ObjectNode object = (ObjectNode) event.path("object");
        String type = event.path("type").asText();
        if (type.equals("ERROR")) {
            version = "";
            throw new IOException(object.path("message").asText());
        }
        version = object.path("metadata").path("resourceVersion").asText();
        if (type.equals("DELETED")) {
            known.remove(uid(object));
            listener.gone(object);
        } else if (!type.equals("BOOKMARK")) {
            known.put(uid(object), object);
            listener.present(List.of(object));
        }
    }

    private static String uid(ObjectNode object) {
        return object.path("metadata").path("uid").asText();
    }

    @Override
    public void close() {
        closed = true;
        try {
            stream.close();
        } catch (IOException e) {
            LOG.debug("closing the watch of {}: {}", path, e.toString());
        }
        thread.interrupt();
    }
}
