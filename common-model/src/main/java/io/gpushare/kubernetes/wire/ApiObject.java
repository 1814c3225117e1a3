package io.gpushare.kubernetes.wire;

import io.gpushare.model.codec.AnnotationKeys;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.HashMap;
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
        return read(meta().getAnnotations());
    }

    /**
     * Drops the fields that are not used and interns values that many objects share. The caches of these objects are most
     * of the extender's memory.
     */
    public void strip() {
        V1ObjectMeta meta = metadata;
        if (meta != null) {
            meta.setAnnotations(Map.copyOf(read(meta.getAnnotations())));
            meta.setNamespace(shared(meta.getNamespace()));
            meta.setGenerateName(null);
            meta.setSelfLink(null);
            meta.setManagedFields(null);
            meta.setOwnerReferences(null);
            meta.setFinalizers(null);
        }
    }

    /** One instance of each text, for names and amounts with few distinct values. */
    static @Nullable String shared(@Nullable String text) {
        return text == null ? null : text.intern();
    }

    private static Map<String, String> read(@Nullable Map<String, String> annotations) {
        Map<String, String> kept = new HashMap<>();
        if (annotations != null) {
            annotations.forEach((key, value) -> {
                if (AnnotationKeys.read(key) && value != null) {
                    kept.put(key.intern(), value);
                }
            });
        }
        return kept;
    }

    static String text(@Nullable String value) {
        return value == null ? "" : value;
    }
}
