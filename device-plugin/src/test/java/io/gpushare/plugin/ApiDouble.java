package io.gpushare.plugin;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Collectors;

/** As much of an API server as the plugin speaks to: pods listed and watched, the node patched. */
final class ApiDouble implements AutoCloseable {
    private final HttpServer server;
    private final ExecutorService threads =
            Executors.newThreadPerTaskExecutor(Thread.ofPlatform().daemon().factory());
    private final Map<String, String> pods = new LinkedHashMap<>();
    private final List<LinkedBlockingQueue<String>> watches = new CopyOnWriteArrayList<>();
    private final List<String> patches = new CopyOnWriteArrayList<>();
    private final List<String> labels = new CopyOnWriteArrayList<>();
    private final List<String> podPatches = new CopyOnWriteArrayList<>();
    private final List<String> events = new CopyOnWriteArrayList<>();
    private volatile boolean watchesReceive = true;
    private volatile String cordon = "";
    private volatile Set<String> guarded = Set.of();
    private final List<String> evictions = new CopyOnWriteArrayList<>();
    private int version = 1;

    ApiDouble() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/api/v1/pods", this::pods);
        server.createContext("/api/v1/nodes/", this::node);
        server.createContext("/api/v1/namespaces/default/", this::namespaced);
        server.setExecutor(threads);
        server.start();
    }

    /** Writes a kubeconfig for this server. */
    Path kubeconfig(Path file) throws IOException {
        return Files.writeString(file, """
            apiVersion: v1
            kind: Config
            clusters: [{name: c, cluster: {server: "http://127.0.0.1:%d"}}]
            users: [{name: u, user: {}}]
            contexts: [{name: c, context: {cluster: c, user: u}}]
            current-context: c
            """.formatted(server.getAddress().getPort()));
    }

    /** The labels that were written on the node, latest last; the node stores none. */
    List<String> labels() {
        return labels;
    }

    /** Everything else that was written on the node, latest last. */
    List<String> patches() {
        return patches;
    }

    /** Hides further changes from watches; lists show them. */
    void muteWatches() {
        watchesReceive = false;
    }

    /** A pod of one container {@code main} in namespace default. */
    void pod(String name, String phase, Map<String, String> limits, String allocation) {
        annotated(name, phase, limits, allocation.isEmpty() ? Map.of() : Map.of("gpushare.io/allocation", allocation));
    }

    /** The same with these annotations. */
    synchronized void annotated(String name, String phase, Map<String, String> limits, Map<String, String> values) {
        String annotations = values.entrySet().stream()
                .map(entry -> "\"%s\":\"%s\""
                        .formatted(entry.getKey(), entry.getValue().replace("\"", "\\\"")))
                .collect(Collectors.joining(","));
        StringBuilder quantities = new StringBuilder();
        limits.forEach((resource, amount) ->
                quantities.append(quantities.isEmpty() ? "" : ",").append("\"%s\":\"%s\"".formatted(resource, amount)));
        String pod = """
            {"metadata":{"name":"%s","namespace":"default","uid":"uid-%s","resourceVersion":"%d",\
            "creationTimestamp":"2026-01-01T00:00:00Z","annotations":{%s}},"spec":{"nodeName":"n1","containers":\
            [{"name":"main","resources":{"limits":{%s},"requests":{%s}}}]},"status":{"phase":"%s","containerStatuses":[%s]}}\
            """.formatted(
                        name,
                        name,
                        ++version,
                        annotations,
                        quantities,
                        quantities,
                        phase,
                        phase.equals("Running")
                                ? "{\"name\":\"main\",\"containerID\":\"containerd://" + containerId(name) + "\"}"
                                : "");
        report(pods.put(name, pod) == null ? "ADDED" : "MODIFIED", pod);
    }

    /** The container runtime's ID of the container of that pod. */
    static String containerId(String pod) {
        return "%064x".formatted(pod.hashCode());
    }

    /** Evictions of pods with these names are refused as a PodDisruptionBudget does. */
    void guard(String... names) {
        guarded = Set.of(names);
    }

    /** The names of the pods whose eviction was requested, allowed or not. */
    List<String> evictions() {
        return evictions;
    }

    synchronized void delete(String name) {
        report("DELETED", Objects.requireNonNull(pods.remove(name)));
    }

    private void report(String type, String pod) {
        if (watchesReceive) {
            watches.forEach(watch -> watch.add("{\"type\":\"%s\",\"object\":%s}\n".formatted(type, pod)));
        }
    }

    private void pods(HttpExchange exchange) throws IOException {
        String query = String.valueOf(exchange.getRequestURI().getQuery());
        if (!query.contains("fieldSelector=spec.nodeName=n1")) {
            answer(exchange, 400, "{\"message\":\"the plugin must list the pods of its node only\"}");
        } else if (query.contains("watch=true")) {
            watch(exchange);
        } else {
            synchronized (this) {
                answer(
                        exchange,
                        200,
                        "{\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"%d\"},\"items\":[%s]}"
                                .formatted(version, String.join(",", pods.values())));
            }
        }
    }

    private void watch(HttpExchange exchange) throws IOException {
        LinkedBlockingQueue<String> events = new LinkedBlockingQueue<>();
        synchronized (this) {
            pods.values().forEach(pod -> events.add("{\"type\":\"MODIFIED\",\"object\":%s}\n".formatted(pod)));
            watches.add(events);
        }
        exchange.getResponseHeaders().add("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, 0);
        try (OutputStream body = exchange.getResponseBody()) {
            while (true) {
                body.write(events.take().getBytes(StandardCharsets.UTF_8));
                body.flush();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            watches.remove(events);
        }
    }

    /** The patches of pods, each after the pod's name, latest last. */
    List<String> podPatches() {
        return podPatches;
    }

    /** The Events that were recorded. */
    List<String> events() {
        return events;
    }

    private void namespaced(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        if (path.endsWith("/eviction")) {
            String name = path.replaceFirst("/eviction$", "").replaceFirst(".*/", "");
            evictions.add(name);
            answer(exchange, guarded.contains(name) ? 429 : 201, "{\"message\":\"the budget decides\"}");
            return;
        }
        if (path.endsWith("/events")) {
            events.add(body);
        } else {
            podPatches.add(path.replaceFirst(".*/", "") + " " + body);
        }
        answer(exchange, path.endsWith("/events") ? 201 : 200, "{\"metadata\":{\"name\":\"x\"}}");
    }

    /** Writes the node's cordon annotation. */
    void cordon(String uuids) {
        cordon = uuids;
    }

    private void node(HttpExchange exchange) throws IOException {
        if ("GET".equals(exchange.getRequestMethod())) {
            answer(
                    exchange,
                    200,
                    "{\"metadata\":{\"name\":\"n1\",\"annotations\":{\"gpushare.io/cordon\":\"%s\"}}}"
                            .formatted(cordon));
            return;
        }
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        boolean merge = "PATCH".equals(exchange.getRequestMethod())
                && String.valueOf(exchange.getRequestHeaders().getFirst("Content-Type"))
                        .startsWith("application/merge-patch+json");
        if (merge) {
            (body.contains("\"labels\":") ? labels : patches).add(body);
        }
        answer(exchange, merge ? 200 : 400, "{\"kind\":\"Node\",\"metadata\":{\"name\":\"n1\"}}");
    }

    private static void answer(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().add("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
