package io.gpushare.kubernetes;

import io.kubernetes.client.openapi.ApiException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A call that the API server rejected or did not answer. */
public final class KubernetesException extends Exception {
    private static final long serialVersionUID = 1;
    private static final Pattern MESSAGE = Pattern.compile("\"message\":\\s*\"((?:[^\"\\\\]|\\\\.)*)\"");

    private final int status;

    /** @param status 0 if there was no response */
    public KubernetesException(int status, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.status = status;
    }

    /** The failure of a call. */
    public static KubernetesException of(String doing, ApiException e) {
        if (e.getCode() == 0) {
            // The client's own message has four lines, its cause has one.
            Throwable why = e.getCause() == null ? e : e.getCause();
            return new KubernetesException(0, doing + ": no answer from the API server: " + why.getMessage(), e);
        }
        return new KubernetesException(e.getCode(), doing + ": " + e.getCode() + " " + reason(e.getResponseBody()), e);
    }

    /** The message in a Status body: the only part of it that a user needs. */
    private static String reason(@Nullable String body) {
        if (body == null) {
            return "";
        }
        Matcher message = MESSAGE.matcher(body);
        return message.find() ? message.group(1).replace("\\\"", "\"") : "";
    }

    /** The HTTP status; 0 if there was no response and it is unknown whether the call took effect. */
    public int status() {
        return status;
    }
}
