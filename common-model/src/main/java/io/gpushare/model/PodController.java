package io.gpushare.model;

import java.util.Set;

/** The object that controls a pod, and creates another one in its place: a ReplicaSet, a StatefulSet, a Job. */
public record PodController(String kind, String name, String uid) {
    // A DaemonSet creates its pod on the same node again, and a kubelet its static pod.
    private static final Set<String> BOUND_TO_NODE = Set.of("DaemonSet", "Node");

    /** Whether the pod that it creates may be placed on another node. */
    public boolean moves() {
        return !BOUND_TO_NODE.contains(kind);
    }
}
