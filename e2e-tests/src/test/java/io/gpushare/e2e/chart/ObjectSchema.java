package io.gpushare.e2e.chart;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import io.gpushare.e2e.chart.Chart.Rendered;
import io.kubernetes.client.openapi.models.V1Pod;
import java.lang.reflect.InvocationTargetException;
import java.util.Set;

/**
 * Kubernetes' schemas, as the client library has them: a field that does not exist, is missing or has another type is
 * an error. Kinds of custom resources and those that a newer Kubernetes has are not checked.
 */
final class ObjectSchema {
    private static final Set<String> UNKNOWN = Set.of(
            "PodMonitor",
            "PrometheusRule",
            "Certificate",
            "Issuer",
            "SecurityContextConstraints",
            "MutatingAdmissionPolicy",
            "MutatingAdmissionPolicyBinding");

    private ObjectSchema() {}

    static void check(Rendered object) {
        if (UNKNOWN.contains(object.kind())) {
            return;
        }
        JsonElement json = new Gson().toJsonTree(object.content());
        try {
            Class.forName(V1Pod.class.getPackageName() + ".V1" + object.kind())
                    .getMethod("validateJsonElement", JsonElement.class)
                    .invoke(null, json);
        } catch (InvocationTargetException e) {
            throw new AssertionError(object + ": " + e.getTargetException().getMessage(), e);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("no schema of " + object, e);
        }
    }
}
