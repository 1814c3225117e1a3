package io.gpushare.kubernetes.wire;

import io.kubernetes.client.common.KubernetesListObject;
import io.kubernetes.client.openapi.models.V1ListMeta;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A list, or a page of a list. */
public final class ObjectList<O extends ApiObject> implements KubernetesListObject {
    private final List<O> items;
    private V1ListMeta metadata;

    ObjectList(V1ListMeta metadata, List<O> items) {
        this.metadata = metadata;
        this.items = items;
    }

    /** Null: nothing asks for the kind of an object that a list holds. */
    @Override
    public @Nullable String getApiVersion() {
        return null;
    }

    @Override
    public @Nullable String getKind() {
        return null;
    }

    @Override
    public V1ListMeta getMetadata() {
        return metadata;
    }

    @Override
    public List<O> getItems() {
        return items;
    }

    /** The token of the next page; null where this is the last. */
    public @Nullable String next() {
        String next = metadata.getContinue();
        return next == null || next.isEmpty() ? null : next;
    }

    /** Appends the next page. */
    public void add(ObjectList<O> page) {
        items.addAll(page.items);
        metadata = page.metadata;
    }
}
