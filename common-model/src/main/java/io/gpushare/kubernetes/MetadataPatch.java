package io.gpushare.kubernetes;

import com.google.gson.JsonObject;
import io.gpushare.kubernetes.wire.Responses;
import io.kubernetes.client.custom.V1Patch;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.util.PatchUtils;
import java.util.Map;
import java.util.regex.Pattern;
import okhttp3.Call;
import org.jspecify.annotations.Nullable;

/**
 * A JSON merge patch of an object's metadata: it sets the given keys and leaves all others. Pods and nodes are patched
 * through their subresource {@code status}, which takes annotations and labels and keeps the spec: the permission for it
 * can't change what runs.
 */
final class MetadataPatch {
    /** Builds the call that sends a patch. */
    interface Request {
        Call call(V1Patch patch) throws ApiException;
    }

    private static final Pattern UID_IS_INVALID = Pattern.compile("\"field\":\\s*\"metadata\\.uid\"");

    private final JsonObject metadata = new JsonObject();

    /** The patch fails with 409 if the object has another uid. */
    MetadataPatch uid(String uid) {
        metadata.addProperty("uid", uid);
        return this;
    }

    /** A null value removes the annotation. */
    MetadataPatch annotations(Map<String, ? extends @Nullable String> annotations) {
        return put("annotations", annotations);
    }

    /** A null value removes the label. */
    MetadataPatch labels(Map<String, @Nullable String> labels) {
        return put("labels", labels);
    }

    /** A patch can't change the uid: the server calls another one invalid, unlike in a Binding or a deletion. */
    private static boolean isOtherObject(ApiException e) {
        @Nullable String body = e.getResponseBody();
        return e.getCode() == 422
                && body != null
                && UID_IS_INVALID.matcher(body).find();
    }

    private MetadataPatch put(String field, Map<String, ? extends @Nullable String> entries) {
        JsonObject values = new JsonObject();
        entries.forEach(values::addProperty);
        metadata.add(field, values);
        return this;
    }

    void send(String doing, ApiClient client, Request request) throws KubernetesException {
        JsonObject document = new JsonObject();
        document.add("metadata", metadata);
        try {
            V1Patch patch = new V1Patch(document.toString());
            Responses.of(() -> PatchUtils.patch(
                    Object.class, () -> request.call(patch), V1Patch.PATCH_FORMAT_JSON_MERGE_PATCH, client));
        } catch (ApiException e) {
            throw isOtherObject(e)
                    ? new KubernetesException(409, doing + ": another object has that name now", e)
                    : KubernetesException.of(doing, e);
        }
    }
}
