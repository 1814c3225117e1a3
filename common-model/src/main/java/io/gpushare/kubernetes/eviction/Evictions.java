package io.gpushare.kubernetes.eviction;

import com.google.gson.reflect.TypeToken;
import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.kubernetes.wire.Responses;
import io.gpushare.model.PodRef;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.AuthorizationV1Api;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1DeleteOptions;
import io.kubernetes.client.openapi.models.V1Eviction;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1Preconditions;
import io.kubernetes.client.openapi.models.V1ResourceAttributes;
import io.kubernetes.client.openapi.models.V1SelfSubjectAccessReview;
import io.kubernetes.client.openapi.models.V1SelfSubjectAccessReviewSpec;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Evicts pods, and reads what decides about it. */
public final class Evictions {
    private final ApiClient calls;
    private final CoreV1Api core;

    public Evictions(ApiClient calls) {
        this.calls = calls;
        this.core = new CoreV1Api(calls);
    }

    /** The pod of that name as it is now; empty if there is none. */
    public Optional<PodDetails> pod(String namespace, String name) throws KubernetesException {
        try {
            return Optional.of(PodDetailsReader.read(calls.<V1Pod>execute(
                            core.readNamespacedPod(name, namespace).buildCall(null),
                            TypeToken.get(V1Pod.class).getType())
                    .getData()));
        } catch (ApiException e) {
            if (e.getCode() == 404) {
                return Optional.empty();
            }
            throw KubernetesException.of("reading pod " + namespace + "/" + name, e);
        }
    }

    /** The PodDisruptionBudgets of that namespace. It fails with 413 if they are too many or too large to be read. */
    public List<DisruptionBudget> budgets(String namespace) throws KubernetesException {
        return new BudgetList(calls).read(namespace);
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
        String doing = (dryRun ? "testing the eviction of pod " : "evicting pod ") + pod;
        try {
            evict(pod, "policy/v1", dryRun);
        } catch (ApiException e) {
            if (e.getCode() != 400) {
                throw KubernetesException.of(doing, e);
            }
            try {
                // Kubernetes before 1.22 has only this version; 1.25 removed it.
                evict(pod, "policy/v1beta1", dryRun);
            } catch (ApiException older) {
                throw KubernetesException.of(doing, older);
            }
        }
    }

    private void evict(PodRef pod, String version, boolean dryRun) throws ApiException {
        V1DeleteOptions options = new V1DeleteOptions().preconditions(new V1Preconditions().uid(pod.uid()));
        V1Eviction eviction = new V1Eviction()
                .apiVersion(version)
                .kind("Eviction")
                .metadata(new V1ObjectMeta().name(pod.name()).namespace(pod.namespace()))
                .deleteOptions(dryRun ? options.dryRun(List.of("All")) : options);
        @Nullable String parameter = dryRun ? "All" : null;
        try {
            // The server responds with a Status: without a type the client does not parse it as an Eviction.
            calls.execute(core.createNamespacedPodEviction(pod.name(), pod.namespace(), eviction)
                    .dryRun(parameter)
                    .buildCall(null));
        } catch (ApiException e) {
            if (e.getCode() != 404) {
                throw e;
            }
        }
    }

    /** Changes the status of that pod. It fails with 409 or 422 if another pod has the name now. */
    public void patch(PodRef pod, PodStatusPatch status) throws KubernetesException {
        status.send(pod, calls);
    }

    /** Whether this program may evict pods and read PodDisruptionBudgets, in all namespaces. */
    public boolean permitted() throws KubernetesException {
        return allowed("create", "", "pods", "eviction") && allowed("list", "policy", "poddisruptionbudgets", null);
    }

    private boolean allowed(String verb, String group, String resource, @Nullable String subresource)
            throws KubernetesException {
        V1ResourceAttributes attributes = new V1ResourceAttributes()
                .verb(verb)
                .group(group)
                .resource(resource)
                .subresource(subresource);
        V1SelfSubjectAccessReview review = new V1SelfSubjectAccessReview()
                .apiVersion("authorization.k8s.io/v1")
                .kind("SelfSubjectAccessReview")
                .spec(new V1SelfSubjectAccessReviewSpec().resourceAttributes(attributes));
        try {
            V1SelfSubjectAccessReview answer = Responses.of(() -> new AuthorizationV1Api(calls)
                    .createSelfSubjectAccessReview(review)
                    .execute());
            return answer.getStatus() != null
                    && Boolean.TRUE.equals(answer.getStatus().getAllowed());
        } catch (ApiException e) {
            throw KubernetesException.of("asking for the permission to " + verb + " " + resource, e);
        }
    }
}
