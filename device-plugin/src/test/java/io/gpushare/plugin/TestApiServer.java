package io.gpushare.plugin;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.simulated.apiserver.ApiRequest;
import io.gpushare.simulated.apiserver.FaultRule;
import io.gpushare.simulated.apiserver.Outcome;
import io.gpushare.simulated.apiserver.SimulatedApiServer;
import io.gpushare.simulated.apiserver.store.ApiResource;
import io.gpushare.simulated.client.ApiClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/** The cluster of the plugin's tests in the simulated API server: the node {@code n1} and its pods. */
public final class TestApiServer implements AutoCloseable {
    private static final String NODE = "n1";
    private static final String NAMESPACE = "default";
    private static final String MERGE_PATCH = "application/merge-patch+json";

    private final SimulatedApiServer server = SimulatedApiServer.start();

    public TestApiServer() {
        server.log().start();
        server.faults()
                .rule(request -> request.path().equals("/api/v1/pods")
                        && !request.uri().contains("fieldSelector=spec.nodeName%3D" + NODE))
                .always(Outcome.refused(400, "BadRequest", "the plugin may list the pods of its node only"));
        node("uid-n1");
    }

    private void node(String uid) {
        ObjectNode node = ApiClient.document().put("kind", "Node");
        node.putObject("metadata").put("name", NODE).put("uid", uid);
        server.objects().put(node);
    }

    /** Writes a kubeconfig of the server. */
    public Path kubeconfig(Path file) throws IOException {
        return Files.writeString(file, server.kubeconfig());
    }

    /** The patches of the node that write labels, newest last. */
    public List<String> labels() {
        return bodies(request -> isNodePatch(request) && request.body().contains("\"labels\":"));
    }

    /** The other patches of the node, newest last. */
    public List<String> patches() {
        return bodies(request -> isNodePatch(request) && !request.body().contains("\"labels\":"));
    }

    private static boolean isNodePatch(ApiRequest request) {
        return request.is("PATCH", "/nodes/" + NODE + "/status")
                && request.contentType().startsWith(MERGE_PATCH);
    }

    /** While true, no request gets a response, and no watch goes on. */
    public void cutOff(boolean cut) {
        server.faults().cutOff(cut);
        if (cut) {
            server.cutWatches();
        }
    }

    /** The node's Lease. */
    public ObjectNode lease() {
        return server.objects().get(ApiResource.LEASES, "gpushare-node-lease", NODE);
    }

    public boolean hasLease() {
        return !server.objects().list(ApiResource.LEASES).isEmpty();
    }

    /** From now on, the role of an earlier version refuses the calls for Leases. */
    public void refuseLeases() {
        server.faults()
                .rule(request -> request.path().contains("/leases"))
                .always(Outcome.refused(403, "Forbidden", "leases is forbidden: cannot patch resource"));
    }

    /** Deletes the node and its Lease, as the garbage collector does, and creates the node again. */
    public void recreateNode(String uid) {
        server.objects().remove(ApiResource.NODES, "", NODE);
        server.objects().remove(ApiResource.LEASES, "gpushare-node-lease", NODE);
        node(uid);
    }

    /** Keeps changes from now on from watches; a list shows them. */
    public void muteWatches() {
        server.faults().muteWatches(true);
    }

    /** How often the node's pods were listed. */
    public int podLists() {
        return server.log()
                .matching(request ->
                        request.path().equals("/api/v1/pods") && !request.uri().contains("watch=true"))
                .size();
    }

    /** The rule for lists of the node's pods. */
    public FaultRule listsOfPods() {
        return server.faults()
                .rule(request ->
                        request.path().equals("/api/v1/pods") && !request.uri().contains("watch=true"));
    }

    /** A pod of one container {@code main} in namespace default. */
    public void pod(String name, String phase, Map<String, String> limits, String allocation) {
        annotated(name, phase, limits, allocation.isEmpty() ? Map.of() : Map.of("gpushare.io/allocation", allocation));
    }

    /** The pod was deleted, and another one has its name. */
    public void recreated(String name, Map<String, String> limits, String allocation) {
        annotated(name, "uid-next-" + name, "Pending", limits, Map.of("gpushare.io/allocation", allocation));
    }

    /** The same with these annotations. */
    public void annotated(String name, String phase, Map<String, String> limits, Map<String, String> annotations) {
        annotated(name, "uid-" + name, phase, limits, annotations);
    }

    private void annotated(
            String name, String uid, String phase, Map<String, String> limits, Map<String, String> annotations) {
        ObjectNode pod = ApiClient.document().put("kind", "Pod");
        ObjectNode metadata = pod.putObject("metadata")
                .put("name", name)
                .put("namespace", NAMESPACE)
                .put("uid", uid)
                .put("creationTimestamp", "2026-01-01T00:00:00Z");
        ObjectNode written = metadata.putObject("annotations");
        annotations.forEach(written::put);
        ObjectNode resources = pod.putObject("spec")
                .put("nodeName", NODE)
                .putArray("containers")
                .addObject()
                .put("name", "main")
                .putObject("resources");
        for (String side : List.of("limits", "requests")) {
            limits.forEach(resources.withObjectProperty(side)::put);
        }
        ObjectNode status = pod.putObject("status").put("phase", phase);
        if (phase.equals("Running")) {
            status.putArray("containerStatuses")
                    .addObject()
                    .put("name", "main")
                    .put("containerID", "containerd://" + containerId(name));
        }
        server.objects().put(pod);
    }

    public void put(ObjectNode pod) {
        server.objects().put(pod);
    }

    /** All objects of that kind, newest version. */
    public List<ObjectNode> all(ApiResource resource) {
        return server.objects().list(resource);
    }

    public void remove(ApiResource resource, String namespace, String name) {
        server.objects().remove(resource, namespace, name);
    }

    /** Has no claims and slices from now on, as before Kubernetes 1.34. */
    public void withoutClaims() {
        server.faults()
                .rule(request -> request.path().startsWith("/apis/resource.k8s.io"))
                .always(Outcome.refused(404, "NotFound", "the server could not find the requested resource"));
    }

    /** The rule for the reads of single claims. */
    public FaultRule claimReads() {
        return server.faults().rule(request -> request.path().contains("/resourceclaims/"));
    }

    /** Does not store these fields from now on: their features are off. */
    public void dropFields(ApiResource resource, String... fields) {
        server.objects().drop(resource, Set.of(fields));
    }

    /** The rule for the deletion of slices. */
    public FaultRule sliceDeletions() {
        return slices("DELETE");
    }

    /** The rule for lists of slices. */
    public FaultRule sliceLists() {
        return slices("GET");
    }

    private FaultRule slices(String method) {
        return server.faults()
                .rule(request ->
                        request.method().equals(method) && request.path().contains("/resourceslices"));
    }

    /** Refuses every slice from now on, as an admission policy does. */
    public void refuseSlices() {
        server.faults()
                .rule(request ->
                        request.method().equals("POST") && request.path().endsWith("/resourceslices"))
                .always(Outcome.refused(403, "Forbidden", "the policy of this cluster denies the slice"));
    }

    /** The container runtime's ID of the container of that pod. */
    public static String containerId(String pod) {
        return "%064x".formatted(pod.hashCode());
    }

    /** Refuses evictions of these pods as a PodDisruptionBudget does. */
    public void guard(String... names) {
        Set<String> guarded = Set.of(names);
        server.faults()
                .rule(request -> isEviction(request) && guarded.contains(podOf(request)))
                .always(Outcome.refused(429, "TooManyRequests", "Cannot evict pod: the disruption budget forbids it"));
    }

    /** The names of the pods whose eviction was requested, granted or not. */
    public List<String> evictions() {
        return server.log().matching(TestApiServer::isEviction).stream()
                .map(TestApiServer::podOf)
                .toList();
    }

    private static boolean isEviction(ApiRequest request) {
        return request.is("POST", "/eviction");
    }

    public void delete(String name) {
        server.objects().remove(ApiResource.PODS, NAMESPACE, name);
    }

    /** The patches of pods, newest last: the pod's name and the patch. */
    public List<String> podPatches() {
        return server
                .log()
                .matching(request ->
                        request.method().equals("PATCH") && request.path().contains("/pods/"))
                .stream()
                .map(request -> podOf(request) + " " + request.body())
                .toList();
    }

    /** The Events that were recorded. */
    public List<String> events() {
        return bodies(request -> request.is("POST", "/events"));
    }

    /** Waits until an Event with all these words was recorded: programs record Events after they have acted. */
    public void awaitEvent(String... words) {
        await().untilAsserted(() ->
                assertThat(events()).anySatisfy(event -> assertThat(event).contains(words)));
    }

    /** Writes the node's cordon annotation. */
    public void cordon(String uuids) {
        server.objects().update(ApiResource.NODES, "", NODE, node -> {
            node.withObjectProperty("metadata")
                    .withObjectProperty("annotations")
                    .put("gpushare.io/cordon", uuids);
            return node;
        });
    }

    /** Labels the node. */
    public void label(String key, String value) {
        server.objects().update(ApiResource.NODES, "", NODE, node -> {
            node.withObjectProperty("metadata").withObjectProperty("labels").put(key, value);
            return node;
        });
    }

    private static String podOf(ApiRequest request) {
        return request.path().replaceFirst(".*/pods/", "").replaceFirst("/.*", "");
    }

    private List<String> bodies(Predicate<ApiRequest> filter) {
        return server.log().matching(filter).stream().map(ApiRequest::body).toList();
    }

    @Override
    public void close() {
        server.close();
    }
}
