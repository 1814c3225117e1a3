package io.gpushare.plugin.node.usage;

import io.gpushare.model.PodRef;
import io.gpushare.plugin.node.holdings.Holdings;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Tells which pods of processes have ended. */
public final class EndedPods {
    private EndedPods() {}

    /**
     * The UIDs of the pods of these cgroups that have ended: the API has them no more, or they had a share and have
     * none now, which the plugin may know before the API's watch says it.
     *
     * @param had the UIDs of pods that had a share
     */
    public static Set<String> among(Collection<Cgroup> cgroups, Holdings holdings, Set<String> had) {
        ContainerFinder finder = new ContainerFinder(holdings);
        return cgroups.stream()
                .map(cgroup -> finder.ended(cgroup)
                        .or(() -> finder.pod(cgroup)
                                .filter(pod -> had.contains(pod.uid()) && !finder.hasShare(pod))
                                .map(PodRef::uid)))
                .flatMap(Optional::stream)
                .collect(Collectors.toSet());
    }
}
