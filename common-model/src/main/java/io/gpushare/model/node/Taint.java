package io.gpushare.model.node;

import java.time.Instant;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A taint of a node.
 *
 * @param since when it was added; null if that is unknown
 */
public record Taint(
        String key, String value, String effect, @Nullable Instant since) {
    /** What kube-scheduler requires pods to tolerate on a cordoned node. */
    public static final Taint UNSCHEDULABLE = new Taint("node.kubernetes.io/unschedulable", "", "NoSchedule");

    // What the node lifecycle controller writes.
    private static final Set<String> NOT_READY =
            Set.of("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable");

    /** One of which it is unknown since when it is there. */
    public Taint(String key, String value, String effect) {
        this(key, value, effect, null);
    }

    /** Whether kube-scheduler prefers nodes without it for a pod that does not tolerate it. */
    public boolean soft() {
        return effect.equals("PreferNoSchedule");
    }

    /** Whether a pod that does not tolerate it can't be placed on the node. */
    boolean excludes() {
        return effect.equals("NoSchedule") || effect.equals("NoExecute");
    }

    /** Whether it says that the node is cordoned. */
    public boolean cordon() {
        return key.equals(UNSCHEDULABLE.key);
    }

    /** Whether it says that the kubelet of the node is not known to be healthy. */
    public boolean notReady() {
        return NOT_READY.contains(key);
    }

    /** Whether it is one that Kubernetes and autoscalers set for a while, and that few pods tolerate. */
    public boolean passing() {
        return Stream.of("node.kubernetes.io/", "node.cloudprovider.kubernetes.io/")
                        .anyMatch(key::startsWith)
                || key.equals("ToBeDeletedByClusterAutoscaler")
                || key.equals("karpenter.sh/disrupted");
    }

    /** What it says of its node and what helps, after the name of the node: {@code is cordoned: uncordon it}. */
    public String sentence() {
        String time = since == null ? "" : " since " + since;
        return cordon()
                ? "is cordoned" + time + ": uncordon it"
                : notReady() ? "is not ready" + time + ": see kubectl describe node" : "has the taint " + this + time;
    }

    /** As kubectl writes it, such as {@code dedicated=ml:NoSchedule}. */
    @Override
    public String toString() {
        return key + (value.isEmpty() ? "" : "=" + value) + ":" + effect;
    }
}
