package io.gpushare.insight;

import io.gpushare.insight.routes.Viewers;
import io.gpushare.kubernetes.AccessReviews;
import io.gpushare.kubernetes.KubernetesException;
import java.util.Map;
import java.util.Optional;

/**
 * Asks the API server whether a caller may see the view: whether it may {@code get} the resource {@code
 * view.gpushare.io}, which exists in roles only, in the namespace of the extender.
 */
record ViewerReviews(AccessReviews reviews, String namespace) implements Viewers {
    /** The recipient of the tokens: no other program accepts them, and this one accepts no others. */
    static final String AUDIENCE = "gpushare-view";

    private static final int UNAUTHORIZED = 401;
    private static final int FORBIDDEN = 403;
    private static final int BAD_GATEWAY = 502;

    @Override
    public Optional<Refusal> refusal(String token) {
        try {
            Map<String, String> resource =
                    Map.of("verb", "get", "group", "gpushare.io", "resource", "view", "namespace", namespace);
            return switch (reviews.review(token, AUDIENCE, resource)) {
                case AccessReviews.Access.Allowed _ -> Optional.empty();
                case AccessReviews.Access.Denied denied ->
                    refusal(
                            FORBIDDEN,
                            denied.user() + " lacks the permission 'get' on 'view.gpushare.io' in namespace "
                                    + namespace);
                case AccessReviews.Access.Unauthenticated _ ->
                    refusal(
                            UNAUTHORIZED,
                            "the token is not valid, has expired, or is not for the audience " + AUDIENCE);
            };
        } catch (KubernetesException e) {
            return refusal(BAD_GATEWAY, String.valueOf(e.getMessage()));
        }
    }

    private static Optional<Refusal> refusal(int status, String sentence) {
        return Optional.of(new Refusal(status, sentence));
    }
}
