package io.gpushare.extender.ledger;

import io.gpushare.extender.pod.PodDemand;
import io.gpushare.extender.pod.WaitingPod;
import io.gpushare.model.pod.PodState;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The pods for which kube-scheduler found no node: those with a valid demand by uid, and those that no node can take;
 * and those that scheduling gates keep from it.
 */
final class UnscheduledPods {
    private final Set<String> valid = ConcurrentHashMap.newKeySet();
    private final Map<String, WaitingPod> invalid = new ConcurrentHashMap<>();
    private final Set<String> gated = ConcurrentHashMap.newKeySet();

    void update(PodState pod, PodDemand demand) {
        String uid = pod.ref().uid();
        if (pod.waiting() && demand instanceof PodDemand.Valid) {
            valid.add(uid);
        } else {
            valid.remove(uid);
        }
        if (pod.gated() && demand instanceof PodDemand.Valid) {
            gated.add(uid);
        } else {
            gated.remove(uid);
        }
        if (pod.waiting() && demand instanceof PodDemand.Invalid) {
            invalid.put(uid, new WaitingPod(pod.ref(), pod.priority(), demand));
        } else {
            invalid.remove(uid);
        }
    }

    void remove(String uid) {
        valid.remove(uid);
        gated.remove(uid);
        invalid.remove(uid);
    }

    /** The uids of the pods with a valid demand. */
    Set<String> valid() {
        return valid;
    }

    /** The number of pods with a valid demand that kube-scheduler does not look at yet. */
    int gated() {
        return gated.size();
    }

    /** The pods with an invalid demand. */
    Collection<WaitingPod> invalid() {
        return invalid.values();
    }
}
