package io.gpushare.model;

import java.util.Objects;

/** A pod: its uid is its identity, namespace and name are for people. */
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
