package io.gpushare.plugin.node;

import io.gpushare.model.PodRef;
import java.util.Objects;

/** A pod as the kubelet's pod-resources knows it: by name only, its uid is told nowhere. */
public record PodName(String namespace, String name) {
    public PodName {
        Objects.requireNonNull(namespace);
        Objects.requireNonNull(name);
    }

    public static PodName of(PodRef ref) {
        return new PodName(ref.namespace(), ref.name());
    }

    @Override
    public String toString() {
        return namespace + "/" + name;
    }
}
