package io.gpushare.model;

import java.util.Objects;

/** A pod. Its uid identifies it; namespace and name are for messages. */
public record PodRef(String uid, String namespace, String name) {
    public PodRef {
        Objects.requireNonNull(uid);
        Objects.requireNonNull(namespace);
        Objects.requireNonNull(name);
    }

    @Override
    public String toString() {
        return namespace + "/" + name;
    }
}
