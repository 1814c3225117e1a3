package io.gpushare.insight.scaleup;

import io.gpushare.extender.pod.PodDemand;
import java.util.List;
import java.util.Set;

/**
 * The pods that need new nodes: one, or those of its pod group that lack cards.
 *
 * @param waiting the uids of all pods of the group that wait, which come with the pod and not before it
 * @param demands what those request that lack cards
 */
public record Together(Set<String> waiting, List<PodDemand.Valid> demands) {
    public Together {
        waiting = Set.copyOf(waiting);
        demands = List.copyOf(demands);
    }

    /** A pod that needs no other. */
    public static Together alone(PodDemand.Valid demand) {
        return new Together(Set.of(), List.of(demand));
    }
}
