package io.gpushare.extender.ledger;

import io.gpushare.model.HostResources;
import io.gpushare.model.PodRef;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The CPU and memory that all pods request on their nodes, with and without cards: policies weigh what is left. Keyed
 * by name, so that a pod that was created again replaces its predecessor even if the deletion was missed.
 */
final class HostRequests {
    private final NodeTable nodes;
    private final Map<String, Request> pods = new ConcurrentHashMap<>();

    private record Request(String uid, String node, HostResources requested) {}

    HostRequests(NodeTable nodes) {
        this.nodes = nodes;
    }

    /** The pod is on that node, or is being bound to it. */
    void add(PodRef pod, String node, HostResources requested) {
        Request now = new Request(pod.uid(), node, requested);
        pods.compute(pod.toString(), (name, old) -> {
            if (now.equals(old)) {
                return old;
            }
            subtract(old);
            nodes.change(node, entry -> entry.requested(requested));
            return now;
        });
    }

    /** The pod is gone, or is not bound after all. */
    void remove(PodRef name, String uid) {
        pods.computeIfPresent(name.toString(), (key, old) -> {
            if (!old.uid().equals(uid)) {
                return old;
            }
            subtract(old);
            return null;
        });
    }

    private void subtract(@Nullable Request old) {
        if (old != null) {
            nodes.change(old.node(), entry -> entry.requested(HostResources.NONE.minus(old.requested())));
        }
    }
}
