package io.gpushare.kubernetes.wire;

import com.google.gson.Gson;
import com.google.gson.stream.JsonReader;
import io.kubernetes.client.openapi.models.V1ListMeta;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Status;
import io.kubernetes.client.util.Watch;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Reads objects of one kind from the API server's JSON while it arrives. Each object is reduced before the next one is
 * read, so the memory that a list or a watch takes does not depend on what others write into the objects.
 */
public final class ObjectReader<O extends ApiObject> {
    /** The pods of one node. */
    public static final ObjectReader<PodObject> PODS = new ObjectReader<>(PodObject.class, PodObject.LABELS, _ -> {});

    /** The pods of all nodes, without what only a pod's own node needs. */
    public static final ObjectReader<PodObject> PODS_OF_ALL_NODES =
            new ObjectReader<>(PodObject.class, PodObject.LABELS, PodObject::stripForAllNodes);

    /** The nodes. */
    public static final ObjectReader<NodeObject> NODES = new ObjectReader<>(NodeObject.class, _ -> true, _ -> {});

    /** The Leases of the nodes. */
    public static final ObjectReader<LeaseObject> LEASES = new ObjectReader<>(LeaseObject.class, _ -> false, _ -> {});

    /** The ResourceQuotas. */
    public static final ObjectReader<QuotaObject> QUOTAS = new ObjectReader<>(QuotaObject.class, _ -> false, _ -> {});

    private final Class<O> type;
    private final Gson gson;
    private final Consumer<O> further;

    private ObjectReader(Class<O> type, Set<String> labels, Consumer<O> further) {
        this(type, labels::contains, further);
    }

    private ObjectReader(Class<O> type, Predicate<String> labels, Consumer<O> further) {
        this.type = type;
        this.gson = LenientJson.builder()
                .registerTypeAdapter(V1ObjectMeta.class, new MetadataReader(labels))
                .create();
        this.further = further;
    }

    public Class<O> type() {
        return type;
    }

    /** Reads one object. */
    public O object(JsonReader in) throws IOException {
        O object = value(in, type);
        object.strip();
        further.accept(object);
        return object;
    }

    /** Reads a list, or a page of one. */
    public ObjectList<O> list(JsonReader in) throws IOException {
        List<O> items = new ArrayList<>();
        V1ListMeta metadata = new V1ListMeta();
        in.beginObject();
        while (in.hasNext()) {
            switch (in.nextName()) {
                case "metadata" -> metadata = value(in, V1ListMeta.class);
                case "items" -> {
                    in.beginArray();
                    while (in.hasNext()) {
                        items.add(object(in));
                    }
                    in.endArray();
                }
                default -> in.skipValue();
            }
        }
        in.endObject();
        return new ObjectList<>(metadata, items);
    }

    /** Reads one event of a watch. The API server writes its type before its object. */
    public Watch.Response<O> event(JsonReader in) throws IOException {
        Watch.Response<O> event = new Watch.Response<>();
        in.beginObject();
        while (in.hasNext()) {
            switch (in.nextName()) {
                case "type" -> event.type = in.nextString();
                case "object" -> {
                    if ("ERROR".equals(event.type)) {
                        event.status = value(in, V1Status.class);
                    } else {
                        event.object = object(in);
                    }
                }
                default -> in.skipValue();
            }
        }
        in.endObject();
        return event;
    }

    private <V> V value(JsonReader in, Class<V> of) throws IOException {
        @Nullable V value = gson.fromJson(in, of);
        if (value == null) {
            throw new IOException("the API server's response has null in place of a " + of.getSimpleName());
        }
        return value;
    }
}
