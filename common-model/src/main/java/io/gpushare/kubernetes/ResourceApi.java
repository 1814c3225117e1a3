package io.gpushare.kubernetes;

import static io.gpushare.kubernetes.ApiServer.path;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpushare.kubernetes.ApiServer.Request;
import io.gpushare.kubernetes.wire.ClaimJson;
import io.gpushare.kubernetes.wire.ClaimStateJson;
import io.gpushare.kubernetes.wire.ClaimUseJson;
import io.gpushare.kubernetes.wire.DeviceTaintRuleJson;
import io.gpushare.kubernetes.wire.Json;
import io.gpushare.kubernetes.wire.PrepareFailureJson;
import io.gpushare.kubernetes.wire.SliceJson;
import io.gpushare.model.PodRef;
import io.gpushare.model.claims.ClaimState;
import io.gpushare.model.claims.ClaimUse;
import io.gpushare.model.claims.DeviceTaintRule;
import io.gpushare.model.claims.PrepareFailure;
import io.gpushare.model.claims.ResourceClaim;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;

/** Claims, their templates, and slices: {@code resource.k8s.io/v1}. */
public final class ResourceApi {
    private static final String API_VERSION = "resource.k8s.io/v1";
    private static final String GROUP = "/apis/" + API_VERSION;
    private static final String SLICES = "resourceslices";
    private static final String TEMPLATES = "resourceclaimtemplates";
    private static final String TAINT_RULES = "devicetaintrules";
    /** Those that have rules in some version of Kubernetes, the newest first. */
    private static final List<String> TAINT_RULE_VERSIONS =
            List.of(API_VERSION, "resource.k8s.io/v1beta2", "resource.k8s.io/v1alpha3");

    private static final int PAGE = 500;
    /** Any user can make a claim or a pod as large as an object may be, 1.5 MB: as a tree that is 20 times as much. */
    private static final int MOST = 512 << 10;

    private final ApiServer server;
    private final ApiServer watches;
    /** Trees of users' objects are in memory one at a time. */
    private final Semaphore users = new Semaphore(1, true);

    ResourceApi(ApiServer server, ApiServer watches) {
        this.server = server;
        this.watches = watches;
    }

    /**
     * A slice in the API.
     *
     * @param spec as {@link SliceJson#canonical} writes it
     */
    public record Slice(String name, long generation, String spec) {
        static Slice of(JsonNode slice) {
            JsonNode spec = slice.path("spec");
            return new Slice(
                    Json.text(slice.path("metadata"), "name"),
                    spec.path("pool").path("generation").asLong(),
                    SliceJson.canonical(spec));
        }
    }

    /** Whether the API server has them: Kubernetes 1.34 and newer. */
    public boolean served() throws KubernetesException {
        return server.find(Request.get("asking for " + API_VERSION, GROUP)).isPresent();
    }

    /** The claim of that name as it is now; empty if there is none. */
    public Optional<ResourceClaim> claim(String namespace, String name) throws KubernetesException {
        Request request = Request.get(
                "reading claim " + namespace + "/" + name,
                path(GROUP, "namespaces", namespace, "resourceclaims", name));
        try {
            return Optional.of(ofUser(request, ClaimJson::read));
        } catch (KubernetesException e) {
            if (e.status() == 404) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /** Watches the claims of all namespaces, reduced to what is about our cards. */
    public Informer watchClaims(Informer.Listener<ClaimState> listener) {
        return Informer.start(
                watches,
                new Informer.Kind<>(
                        "claims",
                        GROUP + "/resourceclaims",
                        "",
                        true,
                        ClaimStateJson::read,
                        state -> new ClaimState(state.claim().identity(), List.of(), ClaimState.Constraints.NONE)),
                listener);
    }

    /** Watches what the kubelets of all nodes say of claims that they can't prepare. */
    public Informer watchPrepareFailures(Informer.Listener<PrepareFailure> listener) {
        return Informer.start(
                watches,
                new Informer.Kind<>(
                        "Events of claims",
                        "/api/v1/events",
                        "reason=" + PrepareFailure.REASON,
                        true,
                        PrepareFailureJson::read,
                        PrepareFailure::identity),
                listener);
    }

    /**
     * The newest version in which the API server has DeviceTaintRules; empty if it has none: Kubernetes before 1.35, or
     * with its defaults before 1.37.
     */
    public Optional<String> taintRuleVersion() throws KubernetesException {
        for (String version : TAINT_RULE_VERSIONS) {
            boolean has = server.find(Request.get("asking for " + version, "/apis/" + version)).stream()
                    .flatMap(found -> found.path("resources").valueStream())
                    .anyMatch(resource -> Json.text(resource, "name").equals(TAINT_RULES));
            if (has) {
                return Optional.of(version);
            }
        }
        return Optional.empty();
    }

    /** Watches the rules that taint devices, in that version. */
    public Informer watchTaintRules(String version, Informer.Listener<DeviceTaintRule> listener) {
        return Informer.start(
                watches,
                new Informer.Kind<>(
                        "DeviceTaintRules",
                        "/apis/" + version + "/" + TAINT_RULES,
                        "",
                        true,
                        DeviceTaintRuleJson::read,
                        DeviceTaintRule::identity),
                listener);
    }

    private <T> T ofUser(Request request, Function<JsonNode, T> reader) throws KubernetesException {
        users.acquireUninterruptibly();
        try {
            return reader.apply(server.send(request, MOST));
        } finally {
            users.release();
        }
    }

    /** What the containers of that pod use of claims; none if there is no such pod any more. */
    public List<ClaimUse> uses(PodRef pod) throws KubernetesException {
        // A list, because the device plugin may list the pods of its node, and not read others by name.
        Request request = Request.get("reading pod " + pod, path("/api/v1", "namespaces", pod.namespace(), "pods"))
                .with("fieldSelector", "metadata.name=" + pod.name());
        return ofUser(
                request,
                pods -> pods.path("items")
                        .valueStream()
                        .filter(each -> Json.text(each.path("metadata"), "uid").equals(pod.uid()))
                        .flatMap(each -> ClaimUseJson.read(each).stream())
                        .toList());
    }

    /**
     * Creates the template of a claim with that label; false if there is one of that name, whoever made it.
     *
     * @param label {@code key=value}
     */
    public boolean createTemplate(String namespace, String name, String label, Map<String, Object> spec)
            throws KubernetesException {
        String[] pair = label.split("=", 2);
        Map<String, Object> template = Map.of(
                "apiVersion",
                API_VERSION,
                "kind",
                "ResourceClaimTemplate",
                "metadata",
                Map.of("name", name, "labels", Map.of(pair[0], pair[1])),
                "spec",
                spec);
        try {
            server.send(
                    Request.post("creating claim template " + namespace + "/" + name, templates(namespace), template));
            return true;
        } catch (KubernetesException e) {
            if (e.status() == 409) {
                return false;
            }
            throw e;
        }
    }

    /** Whether there is a template of that name with that spec; empty if there is none of that name. */
    public Optional<Boolean> templateIs(String namespace, String name, Map<String, Object> spec)
            throws KubernetesException {
        Request request = Request.get("reading claim template " + namespace + "/" + name, templates(namespace, name));
        try {
            return Optional.of(ofUser(
                    request,
                    template -> SliceJson.canonical(template.path("spec")).equals(SliceJson.canonical(spec))));
        } catch (KubernetesException e) {
            if (e.status() == 404) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /** The namespaces and names of the templates with that label, a page at a time. */
    public void eachTemplate(String label, BiConsumer<String, String> consumer) throws KubernetesException {
        server.list(
                Request.get("listing the claim templates with the label " + label, path(GROUP, TEMPLATES))
                        .with("labelSelector", label)
                        .with("limit", PAGE),
                template -> consumer.accept(
                        Json.text(template.path("metadata"), "namespace"),
                        Json.text(template.path("metadata"), "name")));
    }

    /** Deletes the template; it succeeds if there is none. */
    public void deleteTemplate(String namespace, String name) throws KubernetesException {
        delete("claim template " + namespace + "/" + name, templates(namespace, name));
    }

    private static String templates(String namespace, String... name) {
        return path(GROUP, "namespaces", namespace, TEMPLATES) + path("", name);
    }

    /** The slices of that driver on that node. */
    public List<Slice> slices(String driver, String node) throws KubernetesException {
        return server.send(Request.get("listing the slices of node " + node, path(GROUP, SLICES))
                        .with("fieldSelector", "spec.driver=" + driver + ",spec.nodeName=" + node))
                .path("items")
                .valueStream()
                .map(Slice::of)
                .toList();
    }

    /**
     * Where a slice is.
     *
     * @param node empty for one that is not of one node
     */
    public record SlicePlace(String name, String node, String pool) {}

    /** The slices of that driver on all nodes, a page at a time. */
    public void eachSlice(String driver, Consumer<SlicePlace> consumer) throws KubernetesException {
        server.list(
                Request.get("listing the slices of all nodes", path(GROUP, SLICES))
                        .with("fieldSelector", "spec.driver=" + driver)
                        .with("limit", PAGE),
                slice -> consumer.accept(new SlicePlace(
                        Json.text(slice.path("metadata"), "name"),
                        Json.text(slice.path("spec"), "nodeName"),
                        Json.text(slice.path("spec").path("pool"), "name"))));
    }

    /** Creates the slice, which Kubernetes deletes with its node; returns it as the API server stored it. */
    public Slice create(String name, NodeState owner, Map<String, Object> spec) throws KubernetesException {
        return Slice.of(
                server.send(Request.post("creating slice " + name, path(GROUP, SLICES), document(name, owner, spec))));
    }

    /** Replaces the slice, whoever wrote it; returns it as the API server stored it. */
    public Slice replace(String name, NodeState owner, Map<String, Object> spec) throws KubernetesException {
        return Slice.of(server.send(new Request(
                "writing slice " + name,
                "PUT",
                path(GROUP, SLICES, name),
                Map.of(),
                document(name, owner, spec),
                "application/json",
                null)));
    }

    private static Map<String, Object> document(String name, NodeState owner, Map<String, Object> spec) {
        Map<String, Object> ofNode =
                Map.of("apiVersion", "v1", "kind", "Node", "name", owner.name(), "uid", owner.uid());
        return Map.of(
                "apiVersion",
                API_VERSION,
                "kind",
                "ResourceSlice",
                "metadata",
                Map.of("name", name, "ownerReferences", List.of(ofNode)),
                "spec",
                spec);
    }

    /** Deletes the slice; it succeeds if there is none. */
    public void delete(String name) throws KubernetesException {
        delete("slice " + name, path(GROUP, SLICES, name));
    }

    private void delete(String what, String path) throws KubernetesException {
        server.find(new Request("deleting " + what, "DELETE", path, Map.of(), null, "application/json", null));
    }
}
