package io.gpushare.extender.ledger;

import io.gpushare.model.HostResources;
import io.gpushare.model.PodRef;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What every pod requests of its node's cpu and memory, also of pods without any card: a policy weighs what is left of
 * them. One pod a name, so that a pod made anew replaces the one before it, whether or not that one's end was told.
 */
final class HostRequests {
    private final NodeTable nodes;
    private final Map<String, Load> pods = new ConcurrentHashMap<>();

    private record Load(String uid, String node, HostResources requested) {}

    HostRequests(NodeTable nodes) {
        this.nodes = nodes;
    }

    /** That pod is on that node, or soon will be. */
    void at(PodRef pod, String node, HostResources requested) {
        Load now = new Load(pod.uid(), node, requested);
        pods.compute(pod.toString(), (name, old) -> {
            if (now.equals(old)) {
                return old;
            }
            leave(old);
            nodes.change(node, entry -> entry.requested(requested));
            return now;
        });
    }

    /** That pod is nowhere any more. */
    void gone(PodRef name, String uid) {
        pods.computeIfPresent(name.toString(), (key, old) -> {
            if (!old.uid().equals(uid)) {
                return old;
            }
            leave(old);
            return null;
        });
    }

    private void leave(@Nullable Load old) {
        if (old != null) {
            nodes.change(old.node(), entry -> entry.requested(HostResources.NONE.minus(old.requested())));
        }
    }
}
