package io.gpushare.extender;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A small API server over real HTTP: nodes and pods with list, watch and get, and Bindings that fail as they are told to. */
public final class ApiServerDouble implements AutoCloseable {
    /** What happens to a Binding. */
    public enum Fault {
        NONE,
        /** Answers 500 and does nothing. */
        ERROR,
        /** The connection breaks before anything is done. */
        LOST_REQUEST,
        /** It is done, and the connection breaks before the answer. */
        LOST_ANSWER,
        /** It waits until {@link #release} and then succeeds. */
        HELD
    }

    private record Event(long version, JsonObject event) {}

    /** What is stored of one kind, what happened to it, and who watches. */
    private static final class Kind {
        private final Map<String, JsonObject> objects = new LinkedHashMap<>();
        private final List<Event> events = new ArrayList<>();
        private final List<HttpServerResponse> watchers = new ArrayList<>();
    }

    private final Vertx vertx = Vertx.vertx();
    private final HttpServer server;
    private final Kind nodes = new Kind();
    private final Kind pods = new Kind();
    private final Queue<Fault> faults = new ArrayDeque<>();
    private Fault steady = Fault.NONE;
    private final List<Runnable> held = new ArrayList<>();
    private final List<JsonObject> bindings = new ArrayList<>();
    private final List<JsonObject> events = new ArrayList<>();
    private final List<String> patches = new ArrayList<>();
    private @Nullable JsonObject lease;
    private boolean leaseCut;
    private final Set<String> asked = new HashSet<>();
    private final Random random = new Random(1);
    private volatile int delay;
    private final AtomicInteger delayed = new AtomicInteger();
    private volatile boolean away;
    private int losing;
    private long version = 1;

    public ApiServerDouble() throws Exception {
        server = vertx.createHttpServer()
                .requestHandler(this::handle)
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .get(10, TimeUnit.SECONDS);
    }

    /** A kubeconfig for it. */
    public Path kubeconfig(Path folder) throws IOException {
        return Files.writeString(folder.resolve("kubeconfig"), """
            apiVersion: v1
            kind: Config
            clusters: [{name: double, cluster: {server: "http://127.0.0.1:%d"}}]
            users: [{name: test, user: {token: nobody}}]
            contexts: [{name: double, context: {cluster: double, user: test}}]
            current-context: double
            """.formatted(server.actualPort()));
    }

    // ---- what a test does to the cluster

    public synchronized void node(String name, @Nullable String inventory) {
        JsonObject metadata = new JsonObject().put("name", name);
        if (inventory != null) {
            metadata.put("annotations", new JsonObject().put("gpushare.io/inventory", inventory));
        }
        JsonObject allocatable =
                new JsonObject().put("aliyun.com/gpu-mem", "1k").put("aliyun.com/gpu-count", "99");
        put(
                nodes,
                name,
                new JsonObject()
                        .put("metadata", metadata)
                        .put("status", new JsonObject().put("allocatable", allocatable)));
    }

    /** A pending pod of one container. */
    public void pod(String name, String uid, JsonObject limits) {
        pod(name, uid, limits, new JsonObject(), 0);
    }

    public void pod(String name, String uid, JsonObject limits, int priority) {
        pod(name, uid, limits, new JsonObject(), priority);
    }

    public void pod(String name, String uid, JsonObject limits, JsonObject annotations) {
        pod(name, uid, limits, annotations, 0);
    }

    private synchronized void pod(String name, String uid, JsonObject limits, JsonObject annotations, int priority) {
        put(
                pods,
                "default/" + name,
                new JsonObject()
                        .put(
                                "metadata",
                                new JsonObject()
                                        .put("annotations", annotations)
                                        .put("name", name)
                                        .put("namespace", "default")
                                        .put("uid", uid)
                                        .put("creationTimestamp", "2026-11-20T12:00:00Z"))
                        .put("spec", spec(limits).put("priority", priority))
                        .put("status", new JsonObject().put("phase", "Pending")));
    }

    /** The device plugin's pod of a node, which serves its metrics there. */
    public synchronized void plugin(String namespace, String node, String address, int port) {
        JsonObject metadata = new JsonObject()
                .put("name", "plugin-" + node)
                .put("namespace", namespace)
                .put("uid", "uid-plugin-" + namespace + node)
                .put("labels", new JsonObject().put("app", "gpushare").put("component", "gpushare-device-plugin"))
                .put("annotations", new JsonObject().put("prometheus.io/port", String.valueOf(port)));
        put(
                pods,
                namespace + "/plugin-" + node,
                new JsonObject()
                        .put("metadata", metadata)
                        .put("spec", spec(new JsonObject()).put("nodeName", node))
                        .put("status", new JsonObject().put("phase", "Running").put("podIP", address)));
    }

    /** kube-scheduler found no node for it. */
    public synchronized void refused(String name) {
        JsonObject pod = object("default/" + name).copy();
        JsonObject condition = new JsonObject()
                .put("type", "PodScheduled")
                .put("status", "False")
                .put("reason", "Unschedulable");
        pod.getJsonObject("status").put("conditions", new JsonArray().add(condition));
        put(pods, "default/" + name, pod);
    }

    /** The paths of all patches of pods. */
    public synchronized List<String> patches() {
        return List.copyOf(patches);
    }

    public static JsonObject spec(JsonObject limits) {
        return new JsonObject()
                .put(
                        "containers",
                        new JsonArray()
                                .add(new JsonObject()
                                        .put("name", "main")
                                        .put(
                                                "resources",
                                                new JsonObject()
                                                        .put("limits", limits)
                                                        .put("requests", limits))));
    }

    /** Changes a pod as somebody else would: bound to that node with these annotations. */
    public synchronized void boundByOther(String name, String node, Map<String, String> annotations) {
        JsonObject pod = object("default/" + name).copy();
        apply(pod, node, new JsonObject(new LinkedHashMap<String, Object>(annotations)));
        put(pods, "default/" + name, pod);
    }

    public synchronized void phase(String name, String phase) {
        JsonObject pod = object("default/" + name).copy();
        pod.getJsonObject("status").put("phase", phase);
        put(pods, "default/" + name, pod);
    }

    /** Deletion is asked for; the containers still run. */
    public synchronized void deleting(String name) {
        JsonObject pod = object("default/" + name).copy();
        pod.getJsonObject("metadata").put("deletionTimestamp", "2026-11-20T12:05:00Z");
        put(pods, "default/" + name, pod);
    }

    public synchronized void delete(String name) {
        JsonObject pod = object("default/" + name).copy();
        pods.objects.remove("default/" + name);
        tell(pods, "DELETED", pod);
    }

    public synchronized void next(Fault... told) {
        faults.addAll(List.of(told));
    }

    /** From now on, since the client library sends again by itself when a connection breaks. */
    public synchronized void always(Fault told) {
        steady = told;
    }

    /** The number of requests that are being delayed. */
    int delayed() {
        return delayed.get();
    }

    /** Everything but watches is answered after so many milliseconds. */
    public void delay(int millis) {
        delay = millis;
    }

    /** While true nobody gets an answer to anything new. */
    public void away(boolean is) {
        away = is;
    }

    /** So many of a hundred Bindings are done and never answered. */
    public synchronized void losing(int percent) {
        losing = percent;
    }

    /** The paths of all requests. */
    public synchronized Set<String> asked() {
        return Set.copyOf(asked);
    }

    /** Lets the held Bindings go on. */
    public synchronized void release() {
        held.forEach(Runnable::run);
        held.clear();
    }

    /** The Lease's holder as written; empty when nobody is. */
    public synchronized String leader() {
        return lease == null
                ? ""
                : lease.getJsonObject("spec", new JsonObject()).getString("holderIdentity", "");
    }

    /** While true, nobody reaches the Lease. */
    public synchronized void leaseCut(boolean cut) {
        leaseCut = cut;
    }

    /** The bodies of all Events that came. */
    public synchronized List<JsonObject> events() {
        return List.copyOf(events);
    }

    public synchronized int waiting() {
        return held.size();
    }

    /** The bodies of all Bindings that came. */
    public synchronized List<JsonObject> bindings() {
        return List.copyOf(bindings);
    }

    public synchronized JsonObject object(String name) {
        JsonObject object = pods.objects.get(name);
        if (object == null) {
            throw new IllegalArgumentException(name);
        }
        return object;
    }

    private void put(Kind kind, String name, JsonObject object) {
        boolean isNew = kind.objects.put(name, object) == null;
        tell(kind, isNew ? "ADDED" : "MODIFIED", object);
    }

    private void tell(Kind kind, String type, JsonObject object) {
        version++;
        object.getJsonObject("metadata").put("resourceVersion", String.valueOf(version));
        JsonObject event = new JsonObject().put("type", type).put("object", object.copy());
        kind.events.add(new Event(version, event));
        kind.watchers.forEach(watcher -> watcher.write(event.encode() + "\n"));
    }

    // ---- what it answers

    private void handle(HttpServerRequest request) {
        synchronized (this) {
            asked.add(request.path());
        }
        if (away) {
            request.connection().close();
            return;
        }
        if (delay == 0 || "true".equals(request.getParam("watch"))) {
            route(request);
            return;
        }
        request.pause();
        delayed.incrementAndGet();
        vertx.setTimer(delay, timer -> {
            delayed.decrementAndGet();
            route(request);
            request.resume();
        });
    }

    private void route(HttpServerRequest request) {
        String path = request.path();
        if (path.startsWith("/version")) {
            answer(request, 200, new JsonObject().put("major", "1").put("minor", "36"));
        } else if (path.contains("/leases")) {
            request.body()
                    .onSuccess(body -> lease(request, body.length() == 0 ? new JsonObject() : body.toJsonObject()));
        } else if (path.endsWith("/events")) {
            request.body().onSuccess(body -> event(request, body.toJsonObject()));
        } else if (path.endsWith("/binding")) {
            request.body().onSuccess(body -> binding(request, path, body.toJsonObject()));
        } else if (path.equals("/api/v1/nodes")) {
            list(request, nodes);
        } else if (path.equals("/api/v1/pods")) {
            list(request, pods);
        } else {
            String[] parts = path.split("/", -1); // "", api, v1, namespaces, <ns>, pods, <name>
            String name = parts[4] + "/" + parts[6];
            if (request.method().equals(HttpMethod.PATCH)) {
                request.body().onSuccess(body -> patch(request, name, body.toJsonObject()));
            } else {
                get(request, name);
            }
        }
    }

    private synchronized void get(HttpServerRequest request, String name) {
        @Nullable JsonObject pod = pods.objects.get(name);
        answer(request, pod == null ? 404 : 200, pod == null ? status("pods \"" + name + "\" not found") : pod);
    }

    private synchronized void patch(HttpServerRequest request, String name, JsonObject body) {
        patches.add(request.path());
        if (!pods.objects.containsKey(name)) {
            get(request, name);
            return;
        }
        JsonObject pod = object(name).copy().mergeIn(body, true);
        put(pods, name, pod);
        answer(request, 200, pod);
    }

    /** The one Lease: read, made, and patched by who knows its version. */
    private synchronized void lease(HttpServerRequest request, JsonObject body) {
        if (leaseCut) {
            request.connection().close();
        } else if (request.method().equals(HttpMethod.POST)) {
            lease = lease == null ? body : lease;
            version++;
            lease.getJsonObject("metadata").put("resourceVersion", String.valueOf(version));
            answer(request, 201, lease);
        } else if (lease == null) {
            answer(request, 404, status("leases not found"));
        } else if (request.method().equals(HttpMethod.PATCH)) {
            JsonObject metadata = lease.getJsonObject("metadata");
            if (!metadata.getString("resourceVersion")
                    .equals(body.getJsonObject("metadata").getString("resourceVersion"))) {
                answer(request, 409, status("the object has been modified"));
                return;
            }
            version++;
            metadata.put("resourceVersion", String.valueOf(version));
            lease.put("spec", lease.getJsonObject("spec", new JsonObject()).mergeIn(body.getJsonObject("spec")));
            answer(request, 200, lease);
        } else {
            answer(request, 200, lease);
        }
    }

    private synchronized void event(HttpServerRequest request, JsonObject body) {
        events.add(body);
        answer(request, 201, body);
    }

    private synchronized void list(HttpServerRequest request, Kind kind) {
        if (!"true".equals(request.getParam("watch"))) {
            answer(
                    request,
                    200,
                    new JsonObject()
                            .put("metadata", new JsonObject().put("resourceVersion", String.valueOf(version)))
                            .put("items", new JsonArray(List.copyOf(kind.objects.values()))));
            return;
        }
        HttpServerResponse response = request.response().setChunked(true).putHeader("Content-Type", "application/json");
        response.writeHead();
        long from = Long.parseLong(String.valueOf(request.getParam("resourceVersion")));
        kind.events.stream()
                .filter(event -> event.version() > from)
                .forEach(event -> response.write(event.event().encode() + "\n"));
        kind.watchers.add(response);
        response.closeHandler(closed -> {
            synchronized (this) {
                kind.watchers.remove(response);
            }
        });
    }

    private synchronized void binding(HttpServerRequest request, String path, JsonObject body) {
        bindings.add(body);
        @Nullable Fault fault = faults.poll();
        boolean lost = random.nextInt(100) < losing;
        switch (fault == null ? lost ? Fault.LOST_ANSWER : steady : fault) {
            case NONE -> bind(request, path, body);
            case ERROR -> answer(request, 500, status("etcdserver: leader changed"));
            case LOST_REQUEST -> request.connection().close();
            case LOST_ANSWER -> {
                bind(null, path, body);
                request.connection().close();
            }
            case HELD -> held.add(() -> bind(request, path, body));
        }
    }

    private void bind(@Nullable HttpServerRequest request, String path, JsonObject body) {
        String[] parts = path.split("/", -1);
        String name = parts[4] + "/" + parts[6];
        @Nullable JsonObject pod = pods.objects.get(name);
        int code = 201;
        String message = "ok";
        if (pod == null) {
            code = 404;
            message = "pods \"" + parts[6] + "\" not found";
        } else if (!pod.getJsonObject("metadata")
                .getString("uid")
                .equals(body.getJsonObject("metadata").getString("uid"))) {
            code = 409;
            message = "Precondition failed: UID in precondition";
        } else if (pod.getJsonObject("spec").containsKey("nodeName")) {
            code = 409;
            message = "pod " + parts[6] + " is already assigned to node";
        } else {
            JsonObject changed = pod.copy();
            apply(
                    changed,
                    body.getJsonObject("target").getString("name"),
                    body.getJsonObject("metadata").getJsonObject("annotations"));
            put(pods, name, changed);
        }
        if (request != null) {
            answer(request, code, status(message));
        }
    }

    private static void apply(JsonObject pod, String node, @Nullable JsonObject annotations) {
        pod.getJsonObject("spec").put("nodeName", node);
        JsonObject metadata = pod.getJsonObject("metadata");
        JsonObject merged = metadata.getJsonObject("annotations", new JsonObject());
        metadata.put("annotations", annotations == null ? merged : merged.mergeIn(annotations));
    }

    private static JsonObject status(String message) {
        return new JsonObject().put("kind", "Status").put("apiVersion", "v1").put("message", message);
    }

    private static void answer(HttpServerRequest request, int code, JsonObject body) {
        request.response()
                .setStatusCode(code)
                .putHeader("Content-Type", "application/json")
                .end(body.toBuffer());
    }

    @Override
    public void close() {
        vertx.close()
                .toCompletionStage()
                .toCompletableFuture()
                .orTimeout(10, TimeUnit.SECONDS)
                .join();
    }
}
