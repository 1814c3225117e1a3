package io.gpushare.model;

import java.util.Optional;
import java.util.Set;

/** The object that controls a pod, and creates another one in its place: a ReplicaSet, a StatefulSet, a Job. */
public record PodController(String kind, String name, String uid) {
    // A DaemonSet creates its pod on the same node again, and a kubelet its static pod.
    private static final Set<String> BOUND_TO_NODE = Set.of("DaemonSet", "Node");

    // The letters of rand.SafeEncodeString.
    private static final String TEMPLATE_HASH = "[bcdfghjklmnpqrstvwxz2456789]{6,10}";

    /**
     * The name of the Deployment of a ReplicaSet, by the ReplicaSet's name; empty if a Deployment gave it no such name.
     */
    public Optional<String> deployment() {
        int end = name.lastIndexOf('-');
        return kind.equals("ReplicaSet") && end > 0 && name.substring(end + 1).matches(TEMPLATE_HASH)
                ? Optional.of(name.substring(0, end))
                : Optional.empty();
    }

    /** Whether the pod that it creates may be placed on another node. */
    public boolean moves() {
        return !BOUND_TO_NODE.contains(kind);
    }
}
