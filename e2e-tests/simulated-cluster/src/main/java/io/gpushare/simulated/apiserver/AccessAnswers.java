package io.gpushare.simulated.apiserver;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.simulated.apiserver.store.ApiError;
import io.gpushare.simulated.apiserver.store.Documents;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Answers who calls and who may do what. Every client may do everything. Tokens are of the service accounts that a test
 * adds, for the audiences that the request names; a token is {@code audience/namespace/account}.
 */
public final class AccessAnswers {
    private static final Pattern TOKEN_REQUEST =
            Pattern.compile("/api/v1/namespaces/([^/]+)/serviceaccounts/([^/]+)/token");
    private static final Pattern TOKEN = Pattern.compile("([^/]+)/([^/]+)/([^/]+)");

    // The accounts that exist, and those of them that may do everything: namespace/name.
    private final Set<String> accounts = ConcurrentHashMap.newKeySet();
    private final Set<String> permitted = ConcurrentHashMap.newKeySet();

    /** Adds a service account. */
    public void add(String namespace, String name, boolean mayDoEverything) {
        accounts.add(namespace + "/" + name);
        if (mayDoEverything) {
            permitted.add("system:serviceaccount:" + namespace + ":" + name);
        }
    }

    /** The answer to a POST; empty if the path is none of access. */
    public Optional<ObjectNode> answer(String path, byte[] body) {
        Matcher token = TOKEN_REQUEST.matcher(path);
        if (token.matches()) {
            return Optional.of(token(token.group(1), token.group(2), Documents.parse(body)));
        }
        return switch (path) {
            case "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews" -> {
                ObjectNode review = Documents.parse(body);
                review.putObject("status").put("allowed", true);
                yield Optional.of(review);
            }
            case "/apis/authorization.k8s.io/v1/subjectaccessreviews" -> {
                ObjectNode review = Documents.parse(body);
                String user = review.at("/spec/user").asText();
                review.putObject("status").put("allowed", permitted.contains(user));
                yield Optional.of(review);
            }
            case "/apis/authentication.k8s.io/v1/tokenreviews" -> Optional.of(review(Documents.parse(body)));
            default -> Optional.empty();
        };
    }

    private ObjectNode token(String namespace, String account, ObjectNode request) {
        if (!accounts.contains(namespace + "/" + account)) {
            throw ApiError.of(404, "NotFound", "serviceaccounts \"" + account + "\" not found");
        }
        String audience = request.at("/spec/audiences/0").asText();
        request.putObject("status").put("token", audience + "/" + namespace + "/" + account);
        return request;
    }

    private ObjectNode review(ObjectNode review) {
        Matcher token = TOKEN.matcher(review.at("/spec/token").asText());
        ObjectNode status = review.putObject("status");
        Set<String> audiences = new HashSet<>();
        for (JsonNode audience : review.at("/spec/audiences")) {
            audiences.add(audience.asText());
        }
        if (!token.matches()
                || !audiences.contains(token.group(1))
                || !accounts.contains(token.group(2) + "/" + token.group(3))) {
            status.put("authenticated", false);
            return review;
        }
        status.put("authenticated", true).putArray("audiences").add(token.group(1));
        ObjectNode user = status.putObject("user");
        user.put("username", "system:serviceaccount:" + token.group(2) + ":" + token.group(3));
        user.putArray("groups").add("system:serviceaccounts").add("system:authenticated");
        return review;
    }
}
