package io.gpushare.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpushare.kubernetes.ApiServer.Request;
import io.gpushare.kubernetes.wire.Json;
import java.util.HashMap;
import java.util.Map;

/** Asks who presents a token, and what a user may do: TokenReview and SubjectAccessReview. */
public final class AccessReviews {
    private final ApiServer server;

    AccessReviews(ApiServer server) {
        this.server = server;
    }

    /** The result for one token. */
    public sealed interface Access {
        record Allowed(String user) implements Access {}

        record Denied(String user) implements Access {}

        /** The token is of nobody, has expired, or is for other recipients. */
        record Unauthenticated() implements Access {}
    }

    /**
     * Whether the owner of the token may do that.
     *
     * @param audience the recipient for which the token must have been issued
     * @param resource of a SubjectAccessReview: {@code verb}, {@code group}, {@code resource}, {@code namespace}
     */
    public Access review(String token, String audience, Map<String, String> resource) throws KubernetesException {
        JsonNode owner = server.send(Request.post(
                        "asking whose token it is",
                        "/apis/authentication.k8s.io/v1/tokenreviews",
                        Map.of(
                                "apiVersion",
                                "authentication.k8s.io/v1",
                                "kind",
                                "TokenReview",
                                "spec",
                                Map.of("token", token, "audiences", new String[] {audience}))))
                .path("status");
        // A server that does not know audiences leaves them out.
        boolean ours = owner.path("audiences")
                .valueStream()
                .anyMatch(each -> each.asText().equals(audience));
        if (!owner.path("authenticated").asBoolean() || !ours) {
            return new Access.Unauthenticated();
        }
        String user = Json.text(owner.path("user"), "username");
        return allowed(owner.path("user"), user, resource) ? new Access.Allowed(user) : new Access.Denied(user);
    }

    private boolean allowed(JsonNode owner, String user, Map<String, String> resource) throws KubernetesException {
        Map<String, Object> spec = new HashMap<>(Map.of("user", user, "resourceAttributes", resource));
        for (String field : new String[] {"uid", "groups", "extra"}) {
            if (owner.has(field)) {
                spec.put(field, owner.get(field));
            }
        }
        return server.send(Request.post(
                        "asking what " + user + " may do",
                        "/apis/authorization.k8s.io/v1/subjectaccessreviews",
                        Map.of("apiVersion", "authorization.k8s.io/v1", "kind", "SubjectAccessReview", "spec", spec)))
                .path("status")
                .path("allowed")
                .asBoolean();
    }
}
