package io.gpushare.kubernetes.eviction;

import io.gpushare.kubernetes.KubernetesException;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.PolicyV1Api;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudgetList;
import java.io.IOException;
import java.util.List;
import okhttp3.Call;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.ResponseBody;
import org.jspecify.annotations.Nullable;

/**
 * Lists the PodDisruptionBudgets of a namespace, within limits: any user may create many or large ones. Kubernetes before
 * 1.21 has them in policy/v1beta1 only.
 */
final class BudgetList {
    private static final int MOST = 500;
    private static final long MOST_BYTES = 4 << 20;

    private final ApiClient calls;

    BudgetList(ApiClient calls) {
        this.calls = calls;
    }

    List<DisruptionBudget> read(String namespace) throws KubernetesException {
        String doing = "listing the PodDisruptionBudgets of namespace " + namespace;
        try {
            @Nullable V1PodDisruptionBudgetList current = read(namespace, "v1", doing);
            boolean beta = current == null;
            @Nullable V1PodDisruptionBudgetList list = beta ? read(namespace, "v1beta1", doing) : current;
            if (list == null) {
                throw new KubernetesException(404, doing + ": the API server has no policy/v1 or policy/v1beta1", null);
            }
            if (list.getMetadata() != null
                    && list.getMetadata().getContinue() != null
                    && !list.getMetadata().getContinue().isEmpty()) {
                throw tooMuch(doing);
            }
            return list.getItems().stream()
                    .map(budget -> DisruptionBudget.of(budget, !beta))
                    .toList();
        } catch (ApiException e) {
            throw KubernetesException.of(doing, e);
        } catch (IOException | RuntimeException e) {
            throw new KubernetesException(0, doing + ": " + e.getMessage(), e);
        }
    }

    private static KubernetesException tooMuch(String doing) {
        return new KubernetesException(
                413, doing + ": there are more than " + MOST + ", or more than " + (MOST_BYTES >> 20) + " MiB", null);
    }

    /** Null if the API server does not have that version. */
    private @Nullable V1PodDisruptionBudgetList read(String namespace, String version, String doing)
            throws ApiException, IOException, KubernetesException {
        Call call = new PolicyV1Api(calls)
                .listNamespacedPodDisruptionBudget(namespace)
                .limit(MOST)
                .buildCall(null);
        Request request = call.request();
        String url = request.url().toString().replaceFirst("/apis/policy/v1/", "/apis/policy/" + version + "/");
        Call versioned =
                calls.getHttpClient().newCall(request.newBuilder().url(url).build());
        try (Response response = versioned.execute();
                ResponseBody body = response.peekBody(MOST_BYTES + 1)) {
            if (response.code() == 404) {
                return null;
            }
            if (!response.isSuccessful()) {
                throw new ApiException(
                        response.message(), response.code(), response.headers().toMultimap(), body.string());
            }
            if (body.contentLength() > MOST_BYTES) {
                throw tooMuch(doing);
            }
            return io.kubernetes.client.openapi.JSON.deserialize(body.string(), V1PodDisruptionBudgetList.class);
        }
    }
}
