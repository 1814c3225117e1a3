package io.gpushare.extender.placement;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * The nodes that filter named for pods without a bind after it. kube-scheduler calls filter again for a pod only when
 * its last attempt has ended, however long a volume took: a later plugin or extender refused the node. After three
 * attempts that node is passed over, and so is each that is named after it, until the pod is bound. Thread-safe.
 */
public final class FilterAttempts {
    static final int PATIENCE = 3;
    static final int MOST_PODS = 4096;
    static final int MOST_NODES = 32;

    /**
     * What came of a pod so far.
     *
     * @param times how often a node was named since it started anew
     * @param all how often a node was named
     */
    private record Attempts(int times, int all, Set<String> nodes) {
        Attempts with(String node) {
            Set<String> more = new HashSet<>(nodes);
            more.add(node);
            return new Attempts(times + 1, all + 1, Set.copyOf(more));
        }

        Attempts anew() {
            return new Attempts(0, all, Set.of());
        }
    }

    private static final Attempts NONE = new Attempts(0, 0, Set.of());

    // In the order of their last attempts: beyond the limit the eldest pod starts anew.
    private final Map<String, Attempts> pods = new LinkedHashMap<>();

    /** The nodes that are not to be named again for the pod now. */
    public synchronized Set<String> passedOver(String podUid) {
        Attempts before = pods.getOrDefault(podUid, NONE);
        return before.times() < PATIENCE ? Set.of() : before.nodes();
    }

    /**
     * Filter names the node for the pod. A pod that was named a node again, or too many, starts anew.
     *
     * @return whether fewer than three nodes were named for the pod in vain
     */
    public synchronized boolean named(String podUid, String node) {
        boolean again = passedOver(podUid).contains(node);
        Attempts before = pods.getOrDefault(podUid, NONE);
        boolean anew = again || before.nodes().size() >= MOST_NODES;
        pods.remove(podUid);
        pods.put(podUid, (anew ? before.anew() : before).with(node));
        if (pods.size() > MOST_PODS) {
            pods.remove(pods.keySet().iterator().next());
        }
        return before.all() < PATIENCE;
    }

    /** A bind came for the pod, or the pod is gone. */
    public synchronized void forget(String podUid) {
        pods.remove(podUid);
    }
}
