package io.gpushare.extender.running;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.simulated.apiserver.ApiRequest;
import io.gpushare.simulated.apiserver.FaultRule;
import io.gpushare.simulated.apiserver.Outcome;
import io.gpushare.simulated.apiserver.SimulatedApiServer;
import io.gpushare.simulated.apiserver.store.ApiResource;
import io.gpushare.simulated.client.ApiClient;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The cluster of the extender's tests in the simulated API server: nodes, pods, and the outcomes of Bindings. */
public final class TestApiServer implements AutoCloseable {
    public static final String TWO_T4 = """
        {"version":1,"unitMiB":1024,"cards":[
          {"uuid":"GPU-a","index":0,"minor":0,"model":"Tesla T4","memoryMiB":15360},
          {"uuid":"GPU-b","index":1,"minor":1,"model":"Tesla T4","memoryMiB":15360}]}\
        """;
    /** What happens to a Binding. */
    public enum Fault {
        NONE,
        /** The server responds with 500 and does nothing. */
        ERROR,
        /** The connection breaks before the Binding is executed. */
        LOST_REQUEST,
        /** The Binding is executed, and the connection breaks before the response. */
        LOST_RESPONSE,
        /** The Binding waits for {@link #release}. */
        HELD;

        private Outcome outcome() {
            return switch (this) {
                case NONE -> Outcome.Plain.SERVED;
                case ERROR -> Outcome.refused(500, "InternalError", "etcdserver: leader changed");
                case LOST_REQUEST -> Outcome.Plain.REQUEST_LOST;
                case LOST_RESPONSE -> Outcome.Plain.RESPONSE_LOST;
                case HELD -> Outcome.Plain.HELD;
            };
        }
    }

    private static final String NAMESPACE = "default";

    private final SimulatedApiServer server = SimulatedApiServer.start();
    private final FaultRule bindings = server.faults().rule(TestApiServer::isBinding);
    private final FaultRule evictions = server.faults().rule(TestApiServer::isEviction);
    private final FaultRule access =
            server.faults().rule(request -> request.path().endsWith("/selfsubjectaccessreviews"));
    private final FaultRule leases =
            server.faults().rule(request -> request.path().contains("/leases"));

    private final FaultRule claims =
            server.faults().rule(request -> request.path().startsWith("/apis/resource.k8s.io"));

    public TestApiServer() {
        server.log().start();
    }

    private static boolean isBinding(ApiRequest request) {
        return request.is("POST", "/binding");
    }

    private static boolean isEviction(ApiRequest request) {
        return request.is("POST", "/eviction") && !request.uri().contains("dryRun");
    }

    /** Writes a kubeconfig of the server. */
    public Path kubeconfig(Path folder) throws IOException {
        return Files.writeString(folder.resolve("kubeconfig"), server.kubeconfig());
    }

    /** Writes a kubeconfig that reaches the server through another port. */
    public Path kubeconfig(Path folder, int through) throws IOException {
        return Files.writeString(
                folder.resolve("kubeconfig-" + through), server.kubeconfig().replace(":" + port(), ":" + through));
    }

    /** A service account, whose token for an audience is {@code audience/namespace/account}. */
    public void account(String namespace, String name, boolean mayDoEverything) {
        server.account(namespace, name, mayDoEverything);
    }

    public int port() {
        return server.uri().getPort();
    }

    /** Another program writes itself into the Lease. */
    public void depose() {
        server.objects()
                .list(ApiResource.LEASES)
                .forEach(lease -> server.objects()
                        .update(
                                ApiResource.LEASES,
                                lease.path("metadata").path("namespace").asText(),
                                lease.path("metadata").path("name").asText(),
                                found -> {
                                    found.withObjectProperty("spec").put("holderIdentity", "another");
                                    return found;
                                }));
    }

    // ---- changes of the cluster

    public void node(String name, @Nullable String inventory) {
        JsonObject metadata = new JsonObject().put("name", name);
        if (inventory != null) {
            metadata.put("annotations", new JsonObject().put("gpushare.io/inventory", inventory));
        }
        JsonObject allocatable =
                new JsonObject().put("aliyun.com/gpu-mem", "1k").put("aliyun.com/gpu-count", "99");
        put(
                "Node",
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

    private void pod(String name, String uid, JsonObject limits, JsonObject annotations, int priority) {
        JsonObject metadata = new JsonObject()
                .put("annotations", annotations)
                .put("name", name)
                .put("namespace", NAMESPACE)
                .put("uid", uid)
                .put("creationTimestamp", "2026-11-20T12:00:00Z");
        put(
                "Pod",
                new JsonObject()
                        .put("metadata", metadata)
                        .put("spec", spec(limits).put("priority", priority))
                        .put("status", new JsonObject().put("phase", "Pending")));
    }

    /** The device plugin's pod of a node, which serves its metrics there. */
    public void plugin(String namespace, String node, String address, int port) {
        plugin(namespace, "gpu-share-device-plugin", node, address, port);
    }

    /** The same of a node that serves claims. */
    public void claimsPlugin(String node, String address, int port) {
        plugin("kube-system", "gpu-share-claims", node, address, port);
    }

    private void plugin(String namespace, String component, String node, String address, int port) {
        JsonObject metadata = new JsonObject()
                .put("name", "plugin-" + node)
                .put("namespace", namespace)
                .put("uid", "uid-plugin-" + namespace + node)
                .put("labels", new JsonObject().put("app", "gpushare").put("component", component))
                .put("annotations", new JsonObject().put("prometheus.io/port", String.valueOf(port)));
        put(
                "Pod",
                new JsonObject()
                        .put("metadata", metadata)
                        .put("spec", spec(new JsonObject()).put("nodeName", node))
                        .put("status", new JsonObject().put("phase", "Running").put("podIP", address)));
    }

    /** The pod of an extender, with the labels that its Deployment and an earlier process wrote. */
    public void extenderPod(String name, Map<String, String> labels) {
        JsonObject metadata = new JsonObject()
                .put("name", name)
                .put("namespace", "kube-system")
                .put("uid", "uid-" + name)
                .put("labels", new JsonObject(Map.copyOf(labels)));
        put("Pod", new JsonObject().put("metadata", metadata).put("spec", spec(new JsonObject())));
    }

    /** Removes a label of an extender's pod by hand. */
    public void unlabel(String pod, String label) {
        server.objects().update(ApiResource.PODS, "kube-system", pod, found -> {
            found.withObjectProperty("metadata").withObjectProperty("labels").remove(label);
            return found;
        });
    }

    public static JsonObject spec(JsonObject limits) {
        JsonObject resources = new JsonObject().put("limits", limits).put("requests", limits);
        JsonObject container = new JsonObject().put("name", "main").put("resources", resources);
        return new JsonObject().put("containers", new JsonArray().add(container));
    }

    /** kube-scheduler finds no node for the pod. */
    public void refused(String name) {
        unscheduled(name, "Unschedulable", "");
    }

    /** What kube-scheduler writes about a pod that it has not scheduled. */
    public void unscheduled(String name, String reason, String message) {
        change(
                name,
                pod -> pod.withObjectProperty("status")
                        .withArrayProperty("conditions")
                        .addObject()
                        .put("type", "PodScheduled")
                        .put("status", "False")
                        .put("reason", reason)
                        .put("message", message));
    }

    /** kube-scheduler has evicted pods from that node for the pod. */
    public void nominated(String name, @Nullable String node) {
        change(name, pod -> pod.withObjectProperty("status").put("nominatedNodeName", node));
    }

    /** The pod runs; after a deletion its containers take that long to end. */
    public void runs(String name, int grace) {
        change(name, pod -> {
            pod.withObjectProperty("spec").put("terminationGracePeriodSeconds", grace);
            pod.withObjectProperty("status").put("phase", "Running");
        });
    }

    /** The kubelet has started the pod's container. */
    public void started(String name) {
        change(
                name,
                pod -> pod.withObjectProperty("status")
                        .withArrayProperty("containerStatuses")
                        .addObject()
                        .put("name", "main")
                        .put("containerID", "containerd://1234"));
    }

    /** Adds to the pod's spec. */
    public void spec(String name, String json) {
        ObjectNode more = ApiClient.document(json);
        change(name, pod -> pod.withObjectProperty("spec").setAll(more));
    }

    public void label(String name, String key, String value) {
        change(
                name,
                pod -> pod.withObjectProperty("metadata")
                        .withObjectProperty("labels")
                        .put(key, value));
    }

    /** A PodDisruptionBudget on the pods with that label {@code app}. */
    public void budget(String name, String app, int allowed) {
        JsonObject selector = new JsonObject().put("matchLabels", new JsonObject().put("app", app));
        put(
                "PodDisruptionBudget",
                new JsonObject()
                        .put("metadata", new JsonObject().put("name", name).put("namespace", NAMESPACE))
                        .put("spec", new JsonObject().put("selector", selector))
                        .put("status", new JsonObject().put("disruptionsAllowed", allowed)));
    }

    public void taint(String node, String key) {
        taint(node, key, "NoSchedule");
    }

    /** The node lifecycle controller has found that the kubelet reports nothing. */
    public void unreachable(String node, String since) {
        server.objects().update(ApiResource.NODES, "", node, found -> {
            found.withObjectProperty("spec")
                    .withArrayProperty("taints")
                    .addObject()
                    .put("key", "node.kubernetes.io/unreachable")
                    .put("effect", "NoSchedule")
                    .put("timeAdded", since);
            return found;
        });
    }

    public void softTaint(String node, String key) {
        taint(node, key, "PreferNoSchedule");
    }

    private void taint(String node, String key, String effect) {
        server.objects().update(ApiResource.NODES, "", node, found -> {
            found.withObjectProperty("spec")
                    .withArrayProperty("taints")
                    .addObject()
                    .put("key", key)
                    .put("effect", effect);
            return found;
        });
    }

    /** The kubelet of a node has so many healthy devices of that resource. */
    public void allocatable(String node, String resource, String amount) {
        server.objects().update(ApiResource.NODES, "", node, found -> {
            found.withObjectProperty("status").withObjectProperty("allocatable").put(resource, amount);
            return found;
        });
    }

    /** Labels of a node, beside those that it has. */
    public void nodeLabels(String node, Map<String, String> labels) {
        server.objects().update(ApiResource.NODES, "", node, found -> {
            labels.forEach(found.withObjectProperty("metadata").withObjectProperty("labels")::put);
            return found;
        });
    }

    public void cordon(String node) {
        server.objects().update(ApiResource.NODES, "", node, found -> {
            found.withObjectProperty("spec").put("unschedulable", true);
            return found;
        });
    }

    /** A controller of that kind, with the uid, has created the pod. */
    public void controlled(String name, String kind, String uid) {
        controlled(name, kind, "owner-of-" + name, uid);
    }

    public void controlled(String name, String kind, String controller, String uid) {
        change(
                name,
                pod -> pod.withObjectProperty("metadata")
                        .putArray("ownerReferences")
                        .addObject()
                        .put("kind", kind)
                        .put("name", controller)
                        .put("uid", uid)
                        .put("controller", true));
    }

    /** The annotation gpushare.io/hold of that node; null removes it. */
    public void hold(String node, @Nullable String hold) {
        annotate(node, "gpushare.io/hold", hold);
    }

    /** An annotation of that node; null removes it. */
    public void annotate(String node, String key, @Nullable String value) {
        server.objects().update(ApiResource.NODES, "", node, found -> {
            ObjectNode annotations = found.withObjectProperty("metadata").withObjectProperty("annotations");
            if (value == null) {
                annotations.remove(key);
            } else {
                annotations.put(key, value);
            }
            return found;
        });
    }

    /** Another client binds the pod to that node with these annotations. */
    public void boundByOther(String name, String node, Map<String, String> annotations) {
        change(name, pod -> {
            pod.withObjectProperty("spec").put("nodeName", node);
            annotations.forEach(pod.withObjectProperty("metadata").withObjectProperty("annotations")::put);
        });
    }

    public void phase(String name, String phase) {
        change(name, pod -> pod.withObjectProperty("status").put("phase", phase));
    }

    /** The kubelet fails the pod without starting it. */
    public void rejected(String name, String reason) {
        rejected(name, reason, "");
    }

    public void rejected(String name, String reason, String message) {
        change(
                name,
                pod -> pod.withObjectProperty("status")
                        .put("phase", "Failed")
                        .put("reason", reason)
                        .put("message", message));
    }

    /** Deletion is requested; the containers still run. */
    public void deleting(String name) {
        change(name, pod -> pod.withObjectProperty("metadata").put("deletionTimestamp", "2026-11-20T12:05:00Z"));
    }

    public void delete(String name) {
        server.objects().remove(ApiResource.PODS, NAMESPACE, name);
    }

    private void change(String name, Consumer<ObjectNode> change) {
        server.objects().update(ApiResource.PODS, NAMESPACE, name, pod -> {
            change.accept(pod);
            return pod;
        });
    }

    /** Creates or replaces an object. */
    public void put(String json) {
        server.objects().put(ApiClient.document(json));
    }

    /** Whether it has {@code resource.k8s.io/v1}: Kubernetes 1.34 and newer. */
    public void claimsServed(boolean are) {
        claims.always(
                are
                        ? Outcome.Plain.SERVED
                        : Outcome.refused(404, "NotFound", "the server could not find the requested resource"));
    }

    /** Deletes a claim. */
    public void deleteClaim(String name) {
        server.objects().remove(ApiResource.RESOURCE_CLAIMS, NAMESPACE, name);
    }

    /** Deletes a rule that taints devices. */
    public void deleteTaintRule(String name) {
        server.objects().remove(ApiResource.DEVICE_TAINT_RULES, "", name);
    }

    private void put(String kind, JsonObject object) {
        server.objects().put(ApiClient.document(object.put("kind", kind).encode()));
    }

    // ---- faults

    public void next(Fault... faults) {
        bindings.next(Arrays.stream(faults).map(Fault::outcome).toArray(Outcome[]::new));
    }

    /** From now on, because the client library repeats a request by itself when a connection breaks. */
    public void always(Fault fault) {
        bindings.always(fault.outcome());
    }

    /** What becomes of evictions that are no tests. */
    public void evictions(Outcome outcome) {
        evictions.always(outcome);
    }

    /** Whether this program may evict pods. */
    public void mayEvict(boolean may) {
        access.always(may ? Outcome.Plain.SERVED : new Outcome.Reply(201, "{\"status\":{\"allowed\":false}}"));
    }

    /** Every response waits that many milliseconds. */
    public void delay(int millis) {
        server.faults().latency(Duration.ofMillis(millis));
    }

    /** The number of requests that are being delayed. */
    public int delayed() {
        return server.faults().delayed();
    }

    /** While true no new request gets a response. */
    public void away(boolean is) {
        server.faults().cutOff(is);
    }

    /** That percentage of Bindings is executed without a response. */
    public void losing(int percent) {
        bindings.share(percent / 100.0, Outcome.Plain.RESPONSE_LOST);
    }

    /** How many Bindings wait for {@link #release}. */
    public int waiting() {
        return bindings.held();
    }

    public void release() {
        bindings.release();
    }

    /** While true no request for a Lease gets a response. */
    public void leaseCut(boolean cut) {
        leases.always(cut ? Outcome.Plain.REQUEST_LOST : Outcome.Plain.SERVED);
    }

    // ---- the state of the cluster and its requests

    /** The paths of all requests. */
    public Set<String> requestedPaths() {
        return server.log().all().stream().map(ApiRequest::path).collect(Collectors.toSet());
    }

    /** How often that pod was read by itself. */
    public int readsOf(String pod) {
        return server.log()
                .matching(request -> request.method().equals("GET")
                        && request.path().equals("/api/v1/namespaces/" + NAMESPACE + "/pods/" + pod))
                .size();
    }

    /** The paths of all patches of pods. */
    public List<String> patches() {
        return server
                .log()
                .matching(request ->
                        request.method().equals("PATCH") && request.path().contains("/pods/"))
                .stream()
                .map(ApiRequest::path)
                .toList();
    }

    /** The number of lists of all bound pods. */
    public int listsOfBoundPods() {
        return server.log()
                .matching(request -> request.uri().contains("fieldSelector=spec.nodeName%21%3D"))
                .size();
    }

    /** While true, no watch sends anything, and what happens meanwhile is missed for ever. */
    public void muteWatches(boolean mute) {
        server.faults().muteWatches(mute);
    }

    /** The bodies of all Bindings received. */
    public List<JsonObject> bindings() {
        return server.log().matching(TestApiServer::isBinding).stream()
                .map(request -> new JsonObject(request.body()))
                .toList();
    }

    /** The names of the pods whose eviction was requested, in order. */
    public List<String> evicted() {
        return server.log().matching(TestApiServer::isEviction).stream()
                .map(request -> request.path().replaceFirst("^.*/pods/", "").replaceFirst("/.*$", ""))
                .toList();
    }

    /** The Events of that pod, each as its reason and message. */
    public List<String> eventsOf(String pod) {
        return server.objects().list(ApiResource.EVENTS).stream()
                .filter(event ->
                        event.path("involvedObject").path("name").asText().equals(pod))
                .map(event -> event.path("reason").asText() + ": "
                        + event.path("message").asText())
                .toList();
    }

    /** The bodies of all Events received. */
    public List<JsonObject> events() {
        return server.log().matching(request -> request.is("POST", "/events")).stream()
                .map(request -> new JsonObject(request.body()))
                .toList();
    }

    /** The Events that the server accepted. */
    public List<String> recordedEvents() {
        return server.objects().list(ApiResource.EVENTS).stream()
                .map(Object::toString)
                .toList();
    }

    /** The Lease's holder as written; empty without one. */
    public String leader() {
        return server.objects().list(ApiResource.LEASES).stream()
                .map(lease -> lease.path("spec").path("holderIdentity").asText(""))
                .findFirst()
                .orElse("");
    }

    /** The pods that a Service with that selector sends requests to, if they are ready. */
    public List<String> selected(String label, String value) {
        return server.objects().list(ApiResource.PODS).stream()
                .map(pod -> pod.path("metadata"))
                .filter(pod -> pod.path("labels").path(label).asText("").equals(value))
                .map(pod -> pod.path("name").asText())
                .toList();
    }

    /** A pod by {@code namespace/name}. */
    public JsonObject object(String name) {
        String[] parts = name.split("/", 2);
        return new JsonObject(
                server.objects().get(ApiResource.PODS, parts[0], parts[1]).toString());
    }

    @Override
    public void close() {
        server.close();
    }
}
