package io.gpushare.kubernetes.wire;

import io.kubernetes.client.common.KubernetesListObject;
import io.kubernetes.client.openapi.models.V1ListMeta;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A list, or a page of a list, in the API's JSON form. */
public abstract class ObjectList<T extends ApiObject> implements KubernetesListObject {
    public static final class Pods extends ObjectList<PodObject> {}

    public static final class Nodes extends ObjectList<NodeObject> {}

    public static final class Leases extends ObjectList<LeaseObject> {}

    @Nullable
    String apiVersion;

    @Nullable
    String kind;

    @Nullable
    V1ListMeta metadata;

    @Nullable
    List<T> items;

    @Override
    public @Nullable String getApiVersion() {
        return apiVersion;
    }

    @Override
    public @Nullable String getKind() {
        return kind;
    }

    @Override
    public @Nullable V1ListMeta getMetadata() {
        return metadata;
    }

    @Override
    public List<T> getItems() {
        return items == null ? List.of() : items;
    }

    /** The token of the next page; null where this is the last. */
    public @Nullable String next() {
        String next = metadata == null ? null : metadata.getContinue();
        return next == null || next.isEmpty() ? null : next;
    }

    /** Appends the next page. */
    public void add(ObjectList<T> page) {
        if (items == null) {
            items = new ArrayList<>();
        }
        items.addAll(page.getItems());
        metadata = page.metadata;
    }
}
