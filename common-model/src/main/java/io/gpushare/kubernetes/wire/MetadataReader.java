package io.gpushare.kubernetes.wire;

import com.google.gson.TypeAdapter;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import com.google.gson.stream.JsonWriter;
import io.gpushare.model.codec.AnnotationKeys;
import io.gpushare.model.codec.AnnotationLimits;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import java.io.IOException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Reads an object's metadata: its identity, and of annotations and labels those that the programs use. Everything else is
 * skipped as it arrives.
 */
final class MetadataReader extends TypeAdapter<V1ObjectMeta> {
    // The API server accepts at most 63 characters after the prefix.
    private static final int LONGEST_KEY = 80;

    private final Predicate<String> labels;

    /** @param labels the keys of the labels to keep */
    MetadataReader(Predicate<String> labels) {
        this.labels = labels;
    }

    @Override
    public @Nullable V1ObjectMeta read(JsonReader in) throws IOException {
        if (in.peek() == JsonToken.NULL) {
            in.nextNull();
            return null;
        }
        V1ObjectMeta metadata = new V1ObjectMeta();
        in.beginObject();
        while (in.hasNext()) {
            switch (in.nextName()) {
                case "name" -> metadata.setName(text(in));
                case "namespace" -> metadata.setNamespace(ApiObject.shared(text(in)));
                case "uid" -> metadata.setUid(text(in));
                case "resourceVersion" -> metadata.setResourceVersion(text(in));
                case "creationTimestamp" -> metadata.setCreationTimestamp(time(in));
                case "deletionTimestamp" -> metadata.setDeletionTimestamp(time(in));
                case "ownerReferences" -> metadata.setOwnerReferences(controller(in));
                case "labels" -> metadata.setLabels(entries(in, labels));
                case "annotations" -> metadata.setAnnotations(annotations(in));
                default -> in.skipValue();
            }
        }
        in.endObject();
        return metadata;
    }

    /** A misspelt key is kept too, so that it can be refused: one of them, without its value. */
    private static Map<String, String> annotations(JsonReader in) throws IOException {
        @Nullable String[] unknown = {null};
        Map<String, String> kept = entries(in, key -> {
            if (AnnotationKeys.unknown(key)) {
                unknown[0] = key.substring(0, Math.min(key.length(), LONGEST_KEY));
            }
            return AnnotationLimits.reads(key);
        });
        kept.replaceAll(AnnotationLimits::cut);
        if (unknown[0] != null) {
            kept.put(unknown[0], "");
        }
        return kept;
    }

    /** Only the owner that controls the object, if there is one. */
    private static List<V1OwnerReference> controller(JsonReader in) throws IOException {
        List<V1OwnerReference> controllers = new ArrayList<>();
        if (in.peek() == JsonToken.NULL) {
            in.nextNull();
            return controllers;
        }
        in.beginArray();
        while (in.hasNext()) {
            V1OwnerReference owner = owner(in);
            if (Boolean.TRUE.equals(owner.getController()) && controllers.isEmpty()) {
                controllers.add(owner);
            }
        }
        in.endArray();
        return controllers;
    }

    private static V1OwnerReference owner(JsonReader in) throws IOException {
        V1OwnerReference owner = new V1OwnerReference();
        in.beginObject();
        while (in.hasNext()) {
            switch (in.nextName()) {
                case "kind" -> owner.setKind(ApiObject.shared(text(in)));
                case "uid" -> owner.setUid(ApiObject.shared(text(in)));
                case "controller" -> owner.setController(in.peek() == JsonToken.BOOLEAN && in.nextBoolean());
                default -> in.skipValue();
            }
        }
        in.endObject();
        return owner;
    }

    private static Map<String, String> entries(JsonReader in, Predicate<String> keys) throws IOException {
        Map<String, String> kept = new HashMap<>();
        if (in.peek() == JsonToken.NULL) {
            in.nextNull();
            return kept;
        }
        in.beginObject();
        while (in.hasNext()) {
            String key = in.nextName();
            if (keys.test(key) && in.peek() == JsonToken.STRING) {
                kept.put(key.intern(), in.nextString());
            } else {
                in.skipValue();
            }
        }
        in.endObject();
        return kept;
    }

    private static @Nullable String text(JsonReader in) throws IOException {
        if (in.peek() == JsonToken.NULL) {
            in.nextNull();
            return null;
        }
        return in.nextString();
    }

    private static @Nullable OffsetDateTime time(JsonReader in) throws IOException {
        @Nullable String text = text(in);
        return text == null ? null : OffsetDateTime.parse(text);
    }

    @Override
    public void write(JsonWriter out, V1ObjectMeta value) {
        throw new UnsupportedOperationException("the programs write no whole objects that they have read");
    }
}
