package io.gpushare.plugin.usage;

import io.gpushare.model.PodRef;
import io.gpushare.model.card.CardId;
import io.gpushare.plugin.node.NodePod;
import io.gpushare.plugin.node.NodeSnapshot;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.LongFunction;
import java.util.stream.Collectors;

/**
 * The measured usage of the node's cards and containers at one moment.
 *
 * @param reported what the driver reported
 * @param containers by container and card, of all that have a process there; empty if no process can be identified
 * @param foreign the bytes of processes on cards on which their container, if they have one, has no share
 */
public record NodeUsage(
        CardUsages reported, Optional<Map<ContainerOnCard, Measured>> containers, Map<Foreign, Long> foreign) {
    /** The usage before the first report. */
    public static final NodeUsage NONE =
            new NodeUsage(new CardUsages(Instant.EPOCH, Map.of()), Optional.empty(), Map.of());

    private static final Measured IDLE = new Measured(OptionalLong.of(0), OptionalInt.of(0));

    /** A container on a card. */
    public record ContainerOnCard(String podUid, String container, CardId card) {}

    /**
     * Processes on a card without a share of it.
     *
     * @param pod empty if they belong to no pod of the node
     */
    public record Foreign(CardId card, Optional<PodRef> pod) {}

    /** What a container uses of a card; a value is empty if the driver does not report it for one of its processes. */
    public record Measured(OptionalLong bytes, OptionalInt percent) {
        Measured with(CardUsage.GpuProcess process) {
            boolean memory = bytes.isPresent() && process.bytes().isPresent();
            boolean time = percent.isPresent() && process.percent().isPresent();
            return new Measured(
                    memory ? OptionalLong.of(bytes.getAsLong() + process.bytes().getAsLong()) : OptionalLong.empty(),
                    time
                            ? OptionalInt.of(Math.min(
                                    100, percent.getAsInt() + process.percent().getAsInt()))
                            : OptionalInt.empty());
        }
    }

    public NodeUsage {
        Objects.requireNonNull(reported);
        containers = containers.map(Map::copyOf);
        foreign = Map.copyOf(foreign);
    }

    /**
     * Attributes the reported processes to containers.
     *
     * @param cgroups the cgroup of a process; empty if the process is not visible
     */
    public static NodeUsage of(CardUsages reported, LongFunction<Optional<Cgroup>> cgroups, NodeSnapshot snapshot) {
        Map<String, NodePod> pods = snapshot.pods().stream()
                .filter(pod -> !pod.ended())
                .collect(Collectors.toMap(pod -> pod.ref().uid(), pod -> pod));
        Shares shares = Shares.of(snapshot);
        Map<ContainerOnCard, Measured> containers = new HashMap<>();
        Map<Foreign, Long> foreign = new HashMap<>();
        int visible = 0;
        int hidden = 0;
        for (var entry : reported.cards().entrySet()) {
            for (CardUsage.GpuProcess process : entry.getValue().processes().orElse(List.of())) {
                Optional<Cgroup> cgroup = cgroups.apply(process.pid());
                if (cgroup.isEmpty()) {
                    hidden++; // it has ended, or it is in another PID namespace than the plugin
                    continue;
                }
                visible++;
                Optional<ContainerOnCard> owner = owner(cgroup.get(), entry.getKey(), pods);
                owner.ifPresent(container ->
                        containers.merge(container, IDLE.with(process), (before, _) -> before.with(process)));
                Optional<NodePod> pod = owner.map(ContainerOnCard::podUid)
                        .or(cgroup.get()::podUid)
                        .flatMap(uid -> Optional.ofNullable(pods.get(uid)));
                if (pod.filter(known -> shares.allow(known, owner)).isEmpty()) {
                    foreign.merge(
                            new Foreign(entry.getKey(), pod.map(NodePod::ref)),
                            process.bytes().orElse(0),
                            Long::sum);
                }
            }
        }
        return visible == 0 && hidden > 0
                ? withoutProcesses(reported)
                : new NodeUsage(reported, Optional.of(containers), foreign);
    }

    /** The container of a process: by its ID; until the API reports that ID, by its pod, if only one of its containers has cards. */
    public static Optional<ContainerOnCard> owner(Cgroup cgroup, CardId card, Map<String, NodePod> pods) {
        String id = cgroup.containerId().orElse("");
        for (NodePod pod : pods.values()) {
            String name = pod.started().get(id);
            if (name != null) {
                return Optional.of(new ContainerOnCard(pod.ref().uid(), name, card));
            }
        }
        return cgroup.podUid()
                .flatMap(uid -> Optional.ofNullable(pods.get(uid)))
                .flatMap(pod -> pod.demand().valid())
                .filter(demand -> demand.containers().size() == 1)
                .map(demand -> new ContainerOnCard(
                        cgroup.podUid().orElseThrow(),
                        demand.containers().getFirst().name(),
                        card));
    }

    /** The containers that have a share, and their pods. */
    private record Shares(Set<ContainerOnCard> containers, Set<String> podUids) {
        static Shares of(NodeSnapshot snapshot) {
            Set<ContainerOnCard> containers = ContainerShare.of(snapshot).stream()
                    .map(ContainerShare::key)
                    .collect(Collectors.toSet());
            return new Shares(
                    containers, containers.stream().map(ContainerOnCard::podUid).collect(Collectors.toSet()));
        }

        /** Also where it is not known which container of a requesting pod it is, or which cards the pod has. */
        boolean allow(NodePod pod, Optional<ContainerOnCard> container) {
            boolean unknown = container.isEmpty() || !podUids.contains(pod.ref().uid());
            return container.filter(containers::contains).isPresent()
                    || (unknown && pod.demand().valid().isPresent());
        }
    }

    /** The bytes of processes without a share of that card. */
    public long foreignOn(CardId card) {
        return foreign.entrySet().stream()
                .filter(each -> each.getKey().card().equals(card))
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    /** The usage of the cards alone, when no process can be identified. */
    public static NodeUsage withoutProcesses(CardUsages reported) {
        return new NodeUsage(reported, Optional.empty(), Map.of());
    }

    /** What the container uses of its card; empty if that is unknown. */
    public Optional<Measured> of(ContainerShare share) {
        return Optional.ofNullable(reported.cards().get(share.card().id()))
                .flatMap(CardUsage::processes)
                .flatMap(_ -> containers)
                .map(all -> all.getOrDefault(share.key(), IDLE));
    }
}
