package io.gpushare.kubernetes.wire;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An object in the API's JSON form, with only the fields that the programs use. The client library's models hold every
 * field (50,000 pods take 5 GiB to read and 0.5 GiB to keep) and reject the answers of a newer API server.
 */
public abstract class ApiObject implements KubernetesObject {
    @Nullable
    String apiVersion;

    @Nullable
    String kind;

    @Nullable
    V1ObjectMeta metadata;

    @Override
    public @Nullable String getApiVersion() {
        return apiVersion;
    }

    @Override
    public @Nullable String getKind() {
        return kind;
    }

    @Override
    public @Nullable V1ObjectMeta getMetadata() {
        return metadata;
    }

    // The items of a list lack both fields. The informer sets them, and warns about types without these methods.
    public void setApiVersion(String version) {
        apiVersion = version;
    }

    public void setKind(String name) {
        kind = name;
    }

    V1ObjectMeta meta() {
        return Objects.requireNonNull(metadata, "an API object without metadata");
    }

    public String name() {
        return text(meta().getName());
    }

    public String uid() {
        return text(meta().getUid());
    }

    /** The annotations that the programs read. */
    public Map<String, String> annotations() {
        Map<String, String> annotations = meta().getAnnotations();
        return annotations == null ? Map.of() : annotations;
    }

    /** Drops the fields that are not used, and interns values that many objects share. */
    abstract void strip();

    /**
     * Drops everything but the object's identity. A cache of what was already handed on needs no more, and would otherwise
     * be most of a program's memory.
     */
    public void forget() {
        if (metadata != null) {
            metadata.setAnnotations(null);
            metadata.setLabels(null);
            metadata.setOwnerReferences(null);
        }
    }

    /** One instance of each text, for names and amounts with few distinct values. */
    static @Nullable String shared(@Nullable String text) {
        return text == null ? null : text.intern();
    }

    static String text(@Nullable String value) {
        return value == null ? "" : value;
    }
}
