package io.gpushare.simulated.apiserver;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.simulated.apiserver.store.ApiError;
import io.gpushare.simulated.apiserver.store.Documents;

/** The subresource {@code scale} of a Deployment, by which {@code kubectl scale} changes the number of its pods. */
final class Scale {
    private Scale() {}

    static ObjectNode of(ObjectNode deployment) {
        ObjectNode scale = Documents.empty().put("kind", "Scale").put("apiVersion", "autoscaling/v1");
        scale.set("metadata", deployment.path("metadata"));
        scale.putObject("spec")
                .put("replicas", deployment.path("spec").path("replicas").asInt(1));
        scale.putObject("status")
                .put("replicas", deployment.path("status").path("replicas").asInt());
        return scale;
    }

    /** @param scale a Scale, or a merge patch of one */
    static ObjectNode apply(ObjectNode deployment, ObjectNode scale) {
        if (!scale.path("spec").path("replicas").isInt()) {
            throw ApiError.badRequest("spec.replicas must be a number");
        }
        deployment.withObject("/spec").set("replicas", scale.path("spec").path("replicas"));
        return deployment;
    }
}
