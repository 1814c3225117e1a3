package io.gpushare.plugin.node;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;

/**
 * In which order the kubelet began to list its pods, which is the order in which it admits them: one begins when the one
 * before is through. So of two that look as if they waited, the one that came first has been rejected by the kubelet on its
 * own account, and the API may not tell of it yet.
 *
 * @param lists how many lists were taken into account
 * @param asked when the last of them was asked for
 */
public record AdmissionOrder(Map<PodName, Arrival> pods, long lists, Instant asked) {
    /**
     * When a pod was listed for the first time.
     *
     * @param list the number of that list
     * @param uid of the pod that the API had under that name then; empty when it had none
     */
    record Arrival(long list, Optional<String> uid) {}

    static final AdmissionOrder NONE = new AdmissionOrder(Map.of(), 0, Instant.EPOCH);

    public AdmissionOrder {
        pods = Map.copyOf(pods);
    }

    /**
     * After one more list.
     *
     * @param uids the API's pod of a name, as far as it is known
     */
    AdmissionOrder with(PodResourcesList listed, Instant when, Function<PodName, Optional<String>> uids) {
        if (when.isBefore(asked)) {
            return this; // overtaken by a later one
        }
        Map<PodName, Arrival> changed = new HashMap<>();
        for (PodName pod : listed.pods().keySet()) {
            Arrival before = pods.get(pod);
            changed.put(pod, before == null ? new Arrival(lists + 1, uids.apply(pod)) : before);
        }
        return new AdmissionOrder(changed, lists + 1, when);
    }

    /** The number of the list in which a pod of that name came first; 0 when none is listed. */
    long number(PodName name) {
        Arrival arrival = pods.get(name);
        return arrival == null ? 0 : arrival.list();
    }

    /** The number of the list in which that very pod came first; empty where an earlier one of its name may have. */
    public OptionalLong of(NodePod pod) {
        Arrival arrival = pods.get(pod.name());
        if (arrival == null) {
            return OptionalLong.empty();
        }
        boolean same = arrival.list() == lists
                || arrival.uid().equals(Optional.of(pod.ref().uid()));
        return same ? OptionalLong.of(arrival.list()) : OptionalLong.empty();
    }
}
