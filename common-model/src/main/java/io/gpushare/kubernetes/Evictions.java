package io.gpushare.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpushare.kubernetes.ApiServer.Request;
import io.gpushare.kubernetes.eviction.DisruptionBudget;
import io.gpushare.kubernetes.eviction.PodDetails;
import io.gpushare.kubernetes.eviction.PodStatusPatch;
import io.gpushare.kubernetes.wire.Json;
import io.gpushare.model.PodRef;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Evicts pods, and reads what decides about it. */
public final class Evictions {
    // Any user may create many or large PodDisruptionBudgets.
    private static final int MOST_BUDGETS = 500;
    private static final int MOST_BYTES = 4 << 20;

    private final ApiServer server;

    Evictions(ApiServer server) {
        this.server = server;
    }

    /** The pod of that name as it is now; empty if there is none. */
    public Optional<PodDetails> pod(String namespace, String name) throws KubernetesException {
        return server.find(Request.get("reading pod " + namespace + "/" + name, Pods.pod(namespace, name)))
                .map(PodDetails::of);
    }

    /** The PodDisruptionBudgets of that namespace. It fails with 413 if they are too many or too large to be read. */
    public List<DisruptionBudget> budgets(String namespace) throws KubernetesException {
        try {
            return budgets(namespace, "v1");
        } catch (KubernetesException e) {
            if (e.status() != 404) {
                throw e;
            }
            // Kubernetes before 1.21.
            return budgets(namespace, "v1beta1");
        }
    }

    private List<DisruptionBudget> budgets(String namespace, String version) throws KubernetesException {
        String doing = "listing the PodDisruptionBudgets of namespace " + namespace;
        JsonNode list = server.send(
                Request.get(
                                doing,
                                ApiServer.path(
                                        "/apis/policy/" + version, "namespaces", namespace, "poddisruptionbudgets"))
                        .with("limit", MOST_BUDGETS),
                MOST_BYTES);
        if (!Json.text(list.path("metadata"), "continue").isEmpty()) {
            throw new KubernetesException(413, doing + ": there are more than " + MOST_BUDGETS, null);
        }
        return list.path("items")
                .valueStream()
                .map(budget -> DisruptionBudget.of(budget, version.equals("v1")))
                .toList();
    }

    /**
     * Evicts that pod gracefully. It fails with 429 while a PodDisruptionBudget forbids it, and with 409 if another pod has
     * the name now. A pod that no longer exists counts as evicted.
     */
    public void evict(PodRef pod) throws KubernetesException {
        evict(pod, false);
    }

    /** Whether {@link #evict} would succeed now, by its failures: the server checks everything and evicts nothing. */
    public void dryRun(PodRef pod) throws KubernetesException {
        evict(pod, true);
    }

    private void evict(PodRef pod, boolean dryRun) throws KubernetesException {
        try {
            evict(pod, "policy/v1", dryRun);
        } catch (KubernetesException e) {
            if (e.status() != 400) {
                throw e;
            }
            // Kubernetes before 1.22 has only this version; 1.25 removed it.
            evict(pod, "policy/v1beta1", dryRun);
        }
    }

    private void evict(PodRef pod, String version, boolean dryRun) throws KubernetesException {
        Map<String, Object> options = new HashMap<>(Map.of("preconditions", Map.of("uid", pod.uid())));
        if (dryRun) {
            options.put("dryRun", List.of("All"));
        }
        Request request = Request.post(
                (dryRun ? "testing the eviction of pod " : "evicting pod ") + pod,
                Pods.pod(pod.namespace(), pod.name(), "eviction"),
                Map.of(
                        "apiVersion",
                        version,
                        "kind",
                        "Eviction",
                        "metadata",
                        Map.of("name", pod.name(), "namespace", pod.namespace()),
                        "deleteOptions",
                        options));
        server.find(dryRun ? request.with("dryRun", "All") : request);
    }

    /** Changes the status of that pod. It fails with 409 if another pod has the name now. */
    public void patch(PodRef pod, PodStatusPatch patch) throws KubernetesException {
        server.send(Request.strategicPatch(
                "changing the status of pod " + pod,
                Pods.pod(pod.namespace(), pod.name(), "status"),
                Map.of("metadata", Map.of("uid", pod.uid()), "status", patch.status())));
    }

    /** Whether this program may evict pods and read PodDisruptionBudgets, in all namespaces. */
    public boolean permitted() throws KubernetesException {
        return allowed(Map.of("verb", "create", "group", "", "resource", "pods", "subresource", "eviction"))
                && allowed(Map.of("verb", "list", "group", "policy", "resource", "poddisruptionbudgets"));
    }

    private boolean allowed(Map<String, String> attributes) throws KubernetesException {
        return server.send(Request.post(
                        "asking for the permission to " + attributes.get("verb") + " " + attributes.get("resource"),
                        "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
                        Map.of(
                                "apiVersion",
                                "authorization.k8s.io/v1",
                                "kind",
                                "SelfSubjectAccessReview",
                                "spec",
                                Map.of("resourceAttributes", attributes))))
                .path("status")
                .path("allowed")
                .asBoolean();
    }
}
