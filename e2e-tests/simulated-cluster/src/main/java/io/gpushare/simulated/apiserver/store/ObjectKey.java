package io.gpushare.simulated.apiserver.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Comparator;

/** An object's namespace (empty for objects of the cluster) and name: the order of every list. */
public record ObjectKey(String namespace, String name) implements Comparable<ObjectKey> {
    private static final Comparator<ObjectKey> ORDER =
            Comparator.comparing(ObjectKey::namespace).thenComparing(ObjectKey::name);

    public static ObjectKey of(ObjectNode object) {
        return new ObjectKey(Documents.text(object, "metadata.namespace"), Documents.text(object, "metadata.name"));
    }

    @Override
    public int compareTo(ObjectKey other) {
        return ORDER.compare(this, other);
    }
}
