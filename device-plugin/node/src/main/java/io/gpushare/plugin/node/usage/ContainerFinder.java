package io.gpushare.plugin.node.usage;

import io.gpushare.model.Demand;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.CardId;
import io.gpushare.plugin.node.holdings.Holdings;
import io.gpushare.plugin.node.pod.NodePod;
import io.gpushare.plugin.node.usage.NodeUsage.ContainerOnCard;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Finds the container of a process by its cgroup. The API reports the names of containers by their IDs, late after a
 * start and not at all while the API server is unavailable. Until then the kubelet's mounts in the container do, or
 * else the pod's uid in the cgroup and the pod's shares, of which the plugin knows from its own responses or from the
 * kubelet.
 */
final class ContainerFinder {
    private static final Pattern STATIC = Pattern.compile("[0-9a-f]{32}");

    private final Map<String, NodePod> pods;
    private final Map<String, ContainerName> byId = new HashMap<>();
    private final Map<String, List<ContainerShare>> shares;

    private record ContainerName(String podUid, String name) {}

    /** The processes of a container on one card. */
    private record Group(Cgroup container, List<CardProcess> processes) {
        long counted() {
            long bytes = processes.stream()
                    .mapToLong(process -> process.memoryUsedBytes().orElse(0))
                    .sum();
            return OverUse.counted(bytes, processes.size());
        }

        String id() {
            return container.containerId().orElse("");
        }
    }

    ContainerFinder(Holdings holdings) {
        pods = holdings.pods().stream()
                .filter(pod -> !pod.ended())
                .collect(Collectors.toMap(pod -> pod.ref().uid(), Function.identity()));
        pods.values()
                .forEach(pod -> pod.started()
                        .forEach((id, name) ->
                                byId.put(id, new ContainerName(pod.ref().uid(), name))));
        shares = ContainerShare.of(holdings).stream()
                .collect(Collectors.groupingBy(share -> share.pod().uid()));
    }

    /** The pod of that cgroup; empty if it is none of the node's, or none that is known. */
    Optional<PodRef> pod(Cgroup cgroup) {
        Optional<String> uid = started(cgroup).map(ContainerName::podUid).or(cgroup::podUid);
        return uid.map(pods::get)
                .map(NodePod::ref)
                .or(() -> uid.map(shares::get).map(all -> all.getFirst().pod()));
    }

    /**
     * The UID of the pod of that cgroup, if it is none of the node any more. That of a static pod can't be told: its
     * cgroup has a hash instead.
     */
    Optional<String> ended(Cgroup cgroup) {
        return cgroup.podUid()
                .filter(uid ->
                        cgroup.containerId().isPresent() && !STATIC.matcher(uid).matches())
                .filter(_ -> pod(cgroup).isEmpty());
    }

    /**
     * The container of that cgroup's ID, unless the cgroup is below another pod's: whoever may make cgroups can name
     * those below its own like any container's. The kubelet names the cgroup of a static pod by a hash, which is not
     * the UID that its mirror pod has in the API.
     */
    private Optional<ContainerName> started(Cgroup cgroup) {
        return cgroup.containerId()
                .map(byId::get)
                .filter(name -> cgroup.podUid()
                        .filter(uid -> !STATIC.matcher(uid).matches())
                        .map(name.podUid()::equals)
                        .orElse(true));
    }

    /** Whether the pod requests a share of cards, or has one. */
    boolean requests(PodRef pod) {
        return hasShare(pod)
                || Optional.ofNullable(pods.get(pod.uid()))
                        .flatMap(known -> known.demand().valid())
                        .isPresent();
    }

    /** Whether the API has the pod. */
    boolean reported(PodRef pod) {
        return pods.containsKey(pod.uid());
    }

    /** Whether it is known which cards the pod has. */
    boolean hasShare(PodRef pod) {
        return shares.containsKey(pod.uid());
    }

    /** Whether the container has a share of its card. */
    boolean hasShare(ContainerOnCard container) {
        return onCard(container.podUid(), container.card()).stream()
                .anyMatch(share -> share.container().equals(container.container()));
    }

    private List<ContainerShare> onCard(String podUid, CardId card) {
        return shares.getOrDefault(podUid, List.of()).stream()
                .filter(share -> share.card().id().equals(card))
                .toList();
    }

    /** The containers of the processes on that card; a cgroup whose container is unknown is missing. */
    Map<Cgroup, ContainerOnCard> containers(CardId card, Map<CardProcess, Cgroup> processes) {
        Map<Cgroup, ContainerOnCard> found = new HashMap<>();
        Map<String, List<Group>> unnamed = new HashMap<>();
        Map<Cgroup, ContainerName> mounted = mounted(processes.values());
        for (Group group : groups(processes)) {
            Optional<ContainerName> named = named(group.container(), mounted);
            named.ifPresent(
                    name -> found.put(group.container(), new ContainerOnCard(name.podUid(), name.name(), card)));
            if (named.isEmpty()) {
                group.container()
                        .podUid()
                        .ifPresent(uid -> unnamed.computeIfAbsent(uid, _ -> new ArrayList<>())
                                .add(group));
            }
        }
        Set<ContainerOnCard> taken = new HashSet<>(found.values());
        unnamed.forEach((uid, groups) -> found.putAll(paired(
                groups,
                onCard(uid, card).stream()
                        .filter(share -> !taken.contains(share.key()))
                        .toList())));
        return found;
    }

    private static Collection<Group> groups(Map<CardProcess, Cgroup> processes) {
        Map<Cgroup, List<CardProcess>> byCgroup = new HashMap<>();
        processes.forEach((process, cgroup) ->
                byCgroup.computeIfAbsent(cgroup, _ -> new ArrayList<>()).add(process));
        return byCgroup.entrySet().stream()
                .map(each -> new Group(each.getKey(), each.getValue()))
                .toList();
    }

    /** The names that processes tell by their mounts, by the cgroup without its container's name. */
    private static Map<Cgroup, ContainerName> mounted(Collection<Cgroup> cgroups) {
        Map<Cgroup, ContainerName> names = new HashMap<>();
        cgroups.forEach(cgroup -> cgroup.container()
                .ifPresent(name -> names.putIfAbsent(
                        cgroup.withoutName(), new ContainerName(cgroup.podUid().orElseThrow(), name))));
        return names;
    }

    /** By the container's ID; or by its mounts; or if only one container of the pod requests cards, that one. */
    private Optional<ContainerName> named(Cgroup cgroup, Map<Cgroup, ContainerName> mounted) {
        return started(cgroup)
                .or(() -> Optional.ofNullable(mounted.get(cgroup.withoutName())))
                .or(() -> cgroup.podUid()
                        .map(pods::get)
                        .flatMap(pod -> pod.demand().valid())
                        .map(Demand::containers)
                        .filter(all -> all.size() == 1)
                        .map(all -> new ContainerName(
                                cgroup.podUid().orElseThrow(), all.getFirst().name())));
    }

    /**
     * Pairs processes with shares so that the processes fit if any pairing lets them: the most memory with the largest
     * share. The name may be another one's of the pod, the limit is never too low.
     */
    private static Map<Cgroup, ContainerOnCard> paired(List<Group> groups, List<ContainerShare> shares) {
        Iterator<ContainerShare> largest = shares.stream()
                .sorted(Comparator.comparingLong(
                                (ContainerShare share) -> share.memory().bytes())
                        .reversed()
                        .thenComparing(ContainerShare::container))
                .iterator();
        Map<Cgroup, ContainerOnCard> paired = new HashMap<>();
        groups.stream()
                .sorted(Comparator.comparingLong(Group::counted).reversed().thenComparing(Group::id))
                .takeWhile(_ -> largest.hasNext())
                .forEach(group -> paired.put(group.container(), largest.next().key()));
        return paired;
    }
}
