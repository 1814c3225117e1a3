package io.gpushare.plugin.allocate.snapshot;

import io.gpushare.plugin.node.pod.NodePod;
import io.gpushare.plugin.node.pod.PodName;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;

/**
 * The order in which the kubelet admits pods, read from the order in which pod-resources begins to list them. The
 * kubelet admits one pod at a time. Of two pods that both seem to wait, the kubelet has therefore already rejected the
 * earlier one, even if the API does not report that yet.
 *
 * @param lists the number of lists that are taken into account
 * @param requested when the last of them was requested
 */
public record AdmissionOrder(Map<PodName, Arrival> pods, long lists, Instant requested) {
    /**
     * The list in which a pod appeared first.
     *
     * @param list the number of that list
     * @param uid of the pod that the API had under that name at that time; empty if it had none
     */
    record Arrival(long list, Optional<String> uid) {}

    static final AdmissionOrder NONE = new AdmissionOrder(Map.of(), 0, Instant.EPOCH);

    public AdmissionOrder {
        pods = Map.copyOf(pods);
    }

    /**
     * The order after one more list.
     *
     * @param uids the uid of the API's pod with a name; empty if no such pod is known
     */
    AdmissionOrder with(PodResourcesList listed, Instant when, Function<PodName, Optional<String>> uids) {
        if (when.isBefore(requested)) {
            return this; // a later list came first
        }
        Map<PodName, Arrival> changed = new HashMap<>();
        for (PodName pod : listed.pods().keySet()) {
            Arrival before = pods.get(pod);
            changed.put(pod, before == null ? new Arrival(lists + 1, uids.apply(pod)) : before);
        }
        return new AdmissionOrder(changed, lists + 1, when);
    }

    /** The number of the list in which a pod of that name appeared first; 0 if none is listed. */
    long number(PodName name) {
        Arrival arrival = pods.get(name);
        return arrival == null ? 0 : arrival.list();
    }

    /** The number of the list in which this pod appeared first; empty if it may have been another pod of its name. */
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
