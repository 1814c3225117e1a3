package io.gpushare.e2e.sandbox.apiserver;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Comparator;

/** An object's namespace (empty for objects of the cluster) and name: the order of every list. */
record Key(String namespace, String name) implements Comparable<Key> {
    private static final Comparator<Key> ORDER =
            Comparator.comparing(Key::namespace).thenComparing(Key::name);

    static Key of(ObjectNode object) {
        return new Key(Documents.text(object, "metadata.namespace"), Documents.text(object, "metadata.name"));
    }

    @Override
    public int compareTo(Key other) {
        return ORDER.compare(this, other);
    }
}
