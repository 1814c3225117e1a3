package io.gpushare.plugin.snapshot;

import io.gpushare.model.PodRef;
import java.util.Objects;

/** A pod as pod-resources identifies it: by name; the kubelet does not report the uid there. */
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
