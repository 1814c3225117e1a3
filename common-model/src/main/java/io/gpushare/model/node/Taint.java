package io.gpushare.model.node;

/** A taint of a node. */
public record Taint(String key, String value, String effect) {
    /** What kube-scheduler requires pods to tolerate on a cordoned node. */
    public static final Taint UNSCHEDULABLE = new Taint("node.kubernetes.io/unschedulable", "", "NoSchedule");

    /** Whether kube-scheduler prefers nodes without it for a pod that does not tolerate it. */
    public boolean soft() {
        return effect.equals("PreferNoSchedule");
    }

    /** Whether a pod that does not tolerate it can't be placed on the node. */
    boolean excludes() {
        return effect.equals("NoSchedule") || effect.equals("NoExecute");
    }

    /** As kubectl writes it, such as {@code dedicated=ml:NoSchedule}. */
    @Override
    public String toString() {
        return key + (value.isEmpty() ? "" : "=" + value) + ":" + effect;
    }
}
