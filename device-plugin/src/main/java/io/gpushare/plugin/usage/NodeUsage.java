package io.gpushare.plugin.usage;

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
import java.util.function.LongFunction;
import java.util.stream.Collectors;

/**
 * What cards do and containers use at one moment.
 *
 * @param containers by container and card, of all that have a process there; empty where processes can't be followed
 * @param strangers bytes by card of processes that are in no container of this node's pods
 */
public record NodeUsage(CardUsages loads, Optional<Map<Where, Used>> containers, Map<CardId, Long> strangers) {
    /** Nothing was told yet. */
    public static final NodeUsage NOTHING =
            new NodeUsage(new CardUsages(Instant.EPOCH, Map.of()), Optional.empty(), Map.of());

    private static final Used IDLE = new Used(OptionalLong.of(0), OptionalInt.of(0));

    /** A container on a card. */
    public record Where(String podUid, String container, CardId card) {}

    /** What it uses there, percent of the card's time; empty is what the driver does not tell of one of its processes. */
    public record Used(OptionalLong bytes, OptionalInt percent) {
        Used with(CardUsage.GpuProcess process) {
            boolean memory = bytes.isPresent() && process.bytes().isPresent();
            boolean time = percent.isPresent() && process.percent().isPresent();
            return new Used(
                    memory ? OptionalLong.of(bytes.getAsLong() + process.bytes().getAsLong()) : OptionalLong.empty(),
                    time
                            ? OptionalInt.of(Math.min(
                                    100, percent.getAsInt() + process.percent().getAsInt()))
                            : OptionalInt.empty());
        }
    }

    public NodeUsage {
        Objects.requireNonNull(loads);
        containers = containers.map(Map::copyOf);
        strangers = Map.copyOf(strangers);
    }

    /**
     * Joins processes with their containers.
     *
     * @param cgroups where a process is; empty: it is not to be seen here
     */
    public static NodeUsage of(CardUsages loads, LongFunction<Optional<Cgroup>> cgroups, NodeSnapshot picture) {
        Map<String, NodePod> pods = picture.pods().stream()
                .filter(pod -> !pod.ended())
                .collect(Collectors.toMap(pod -> pod.ref().uid(), pod -> pod));
        Map<Where, Used> containers = new HashMap<>();
        Map<CardId, Long> strangers = new HashMap<>();
        int seen = 0;
        int hidden = 0;
        for (var entry : loads.cards().entrySet()) {
            for (CardUsage.GpuProcess process : entry.getValue().processes().orElse(List.of())) {
                Optional<Cgroup> cgroup = cgroups.apply(process.pid());
                if (cgroup.isPresent()) {
                    seen++;
                } else {
                    hidden++; // it ended in between, or this is another PID namespace than the driver's
                }
                Optional<Where> where = cgroup.flatMap(found -> where(found, entry.getKey(), pods));
                where.ifPresentOrElse(
                        container ->
                                containers.merge(container, IDLE.with(process), (before, _) -> before.with(process)),
                        () -> strangers.merge(entry.getKey(), process.bytes().orElse(0), Long::sum));
            }
        }
        boolean blind = seen == 0 && hidden > 0;
        return new NodeUsage(loads, blind ? Optional.empty() : Optional.of(containers), blind ? Map.of() : strangers);
    }

    /** By the container's ID; where the API has not told that yet, by the pod, if it has one container with a card. */
    private static Optional<Where> where(Cgroup cgroup, CardId card, Map<String, NodePod> pods) {
        String id = cgroup.containerId().orElse("");
        for (NodePod pod : pods.values()) {
            String name = pod.started().get(id);
            if (name != null) {
                return Optional.of(new Where(pod.ref().uid(), name, card));
            }
        }
        return cgroup.podUid()
                .flatMap(uid -> Optional.ofNullable(pods.get(uid)))
                .flatMap(pod -> pod.demand().valid())
                .filter(demand -> demand.containers().size() == 1)
                .map(demand -> new Where(
                        cgroup.podUid().orElseThrow(),
                        demand.containers().getFirst().name(),
                        card));
    }

    /** Of the same loads, where nobody can be followed. */
    public static NodeUsage withoutProcesses(CardUsages loads) {
        return new NodeUsage(loads, Optional.empty(), Map.of());
    }

    /** What that container uses of its card; empty where that is not known. */
    public Optional<Used> of(ContainerShare held) {
        return Optional.ofNullable(loads.cards().get(held.card().id()))
                .flatMap(CardUsage::processes)
                .flatMap(_ -> containers)
                .map(all -> all.getOrDefault(held.where(), IDLE));
    }
}
