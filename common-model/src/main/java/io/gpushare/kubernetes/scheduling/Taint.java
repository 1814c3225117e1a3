package io.gpushare.kubernetes.scheduling;

import java.util.Objects;

/** A taint of a node. */
public record Taint(String key, String value, String effect) {
    /** What kube-scheduler requires pods to tolerate on a cordoned node. */
    public static final Taint UNSCHEDULABLE = new Taint("node.kubernetes.io/unschedulable", "", "NoSchedule");

    public Taint {
        Objects.requireNonNull(key);
        Objects.requireNonNull(value);
        Objects.requireNonNull(effect);
    }

    /** Whether a pod that does not tolerate it can't be placed on the node. */
    boolean excludes() {
        return effect.equals("NoSchedule") || effect.equals("NoExecute");
    }
}
