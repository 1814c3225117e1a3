package io.gpushare.plugin.node.pod;

import io.gpushare.model.PodRef;

/** A pod as pod-resources identifies it: by name; the kubelet does not report the uid there. */
public record PodName(String namespace, String name) {
    public static PodName of(PodRef ref) {
        return new PodName(ref.namespace(), ref.name());
    }

    @Override
    public String toString() {
        return namespace + "/" + name;
    }
}
