package io.gpushare.plugin.node.usage;

import io.gpushare.model.PodRef;
import io.gpushare.model.card.CardId;
import io.gpushare.plugin.node.holdings.Holdings;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.LongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The measured usage of the node's cards and containers at one moment.
 *
 * @param reported what the driver reported
 * @param containers by container and card, of all that have a process there, or just had; empty if no process can be
 *     identified
 * @param foreign the bytes of processes on cards on which their container, if they have one, has no share
 */
public record NodeUsage(
        CardUsages reported, Optional<Map<ContainerOnCard, Measured>> containers, Map<Foreign, Long> foreign) {
    /** The usage before the first report. */
    public static final NodeUsage NONE =
            new NodeUsage(new CardUsages(Instant.EPOCH, Map.of()), Optional.empty(), Map.of());

    private static final Measured IDLE = new Measured(ProcessUse.NOTHING, Set.of());
    private static final Measured ENDED = new Measured(ProcessUse.ofMemory(0), Set.of());

    /** A container on a card. */
    public record ContainerOnCard(String podUid, String container, CardId card) {}

    /**
     * Processes on a card without a share of it.
     *
     * @param pod empty if they belong to no pod of the node
     * @param ended the UID of the pod that they belonged to, if it has ended
     */
    public record Foreign(CardId card, Optional<PodRef> pod, Optional<String> ended) {
        /** Processes that did not belong to a pod which has ended. */
        public Foreign(CardId card, Optional<PodRef> pod) {
            this(card, pod, Optional.empty());
        }
    }

    /**
     * What a container uses of a card.
     *
     * @param pids its processes there
     */
    public record Measured(ProcessUse use, Set<Long> pids) {
        static final Measured UNKNOWN = new Measured(ProcessUse.UNKNOWN, Set.of());

        public Measured {
            pids = Set.copyOf(pids);
        }

        public OptionalLong bytes() {
            return use.memoryUsedBytes();
        }

        public OptionalInt percent() {
            return use.gpuUtilization();
        }

        Measured with(long pid, ProcessUse more) {
            Set<Long> all = new HashSet<>(pids);
            all.add(pid);
            return new Measured(use.plus(more), all);
        }
    }

    public NodeUsage {
        containers = containers.map(Map::copyOf);
        foreign = Map.copyOf(foreign);
    }

    /**
     * The usage of one more report: attributes its processes to containers.
     *
     * @param cgroups the cgroup of a process; empty if the process is not visible
     */
    public NodeUsage next(CardUsages reported, LongFunction<Optional<Cgroup>> cgroups, Holdings holdings) {
        ContainerFinder finder = new ContainerFinder(holdings);
        Map<ContainerOnCard, Measured> measured = new HashMap<>();
        Map<Foreign, Long> found = new HashMap<>();
        boolean visible = false;
        boolean hidden = false;
        for (var entry : reported.cards().entrySet()) {
            Map<CardProcess, Cgroup> processes = new HashMap<>();
            for (CardProcess process : entry.getValue().processes().orElse(List.of())) {
                Optional<Cgroup> cgroup = cgroups.apply(process.pid());
                cgroup.ifPresent(of -> processes.put(process, of));
                visible |= cgroup.isPresent();
                hidden |= cgroup.isEmpty(); // it has ended, or it is in another PID namespace than the plugin
            }
            Map<Cgroup, ContainerOnCard> named = finder.containers(entry.getKey(), processes);
            Map<Long, ContainerOnCard> owners = new HashMap<>();
            processes.forEach((process, cgroup) ->
                    Optional.ofNullable(named.get(cgroup)).ifPresent(owner -> owners.put(process.pid(), owner)));
            MpsClients clients = MpsClients.of(
                    entry.getValue(),
                    Optional.ofNullable(reported.servers().get(entry.getKey())),
                    owners,
                    on(entry.getKey()));
            clients.ended().forEach(container -> measured.put(container, ENDED));
            processes.forEach((process, cgroup) -> {
                Optional<ContainerOnCard> container = Optional.ofNullable(owners.get(process.pid()));
                container.ifPresent(
                        owner -> measured.put(owner, clients.plus(measured.getOrDefault(owner, IDLE), process)));
                Optional<PodRef> pod = finder.pod(cgroup);
                if (pod.filter(known -> allowed(known, container, finder)).isEmpty()) {
                    found.merge(
                            new Foreign(entry.getKey(), pod, finder.ended(cgroup)),
                            process.memoryUsedBytes().orElse(0),
                            Long::sum);
                }
            });
        }
        return hidden && !visible ? withoutProcesses(reported) : new NodeUsage(reported, Optional.of(measured), found);
    }

    /** The containers that have a process on that card. */
    private Set<ContainerOnCard> on(CardId card) {
        return containers.orElse(Map.of()).entrySet().stream()
                .filter(each -> each.getKey().card().equals(card)
                        && !each.getValue().pids().isEmpty())
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }

    /**
     * Also where it is not known which container of a requesting pod it is, or which cards the pod has. Of a pod that
     * is gone from the API only the claim is known, and not which container used it.
     */
    private static boolean allowed(PodRef pod, Optional<ContainerOnCard> container, ContainerFinder finder) {
        boolean unknown = container.isEmpty() || !finder.hasShare(pod) || !finder.reported(pod);
        return container.filter(finder::hasShare).isPresent() || (unknown && finder.requests(pod));
    }

    /** The pod of a process; empty if it belongs to none of the node. */
    public static Optional<PodRef> pod(Cgroup cgroup, Holdings holdings) {
        return new ContainerFinder(holdings).pod(cgroup);
    }

    /** The bytes of processes without a share of that card. */
    public long foreignOn(CardId card) {
        return foreignOn(card, true) + foreignOn(card, false);
    }

    /** The same of processes that belonged to a pod which has ended, or of all others. */
    public long foreignOn(CardId card, boolean ended) {
        return foreign.entrySet().stream()
                .filter(each -> each.getKey().card().equals(card)
                        && each.getKey().ended().isPresent() == ended)
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    /** The usage of the cards alone, when no process can be identified. */
    public static NodeUsage withoutProcesses(CardUsages reported) {
        return new NodeUsage(reported, Optional.empty(), Map.of());
    }

    /** What the containers that have this share use together, as far as that is known. */
    public Measured together(ContainerShare share) {
        if (share.together().size() == 1) {
            return of(share).orElse(Measured.UNKNOWN);
        }
        return new Measured(
                ProcessUse.ofMemory(measured(share.together())
                        .mapToLong(each -> each.bytes().orElse(0))
                        .sum()),
                pids(share.together()));
    }

    /** The processes of these containers. */
    public Set<Long> pids(Set<ContainerOnCard> of) {
        return measured(of).flatMap(each -> each.pids().stream()).collect(Collectors.toSet());
    }

    private Stream<Measured> measured(Set<ContainerOnCard> of) {
        return of.stream()
                .flatMap(each -> Stream.ofNullable(containers.orElse(Map.of()).get(each)));
    }

    /** What the container uses of its card; empty if that is unknown. */
    public Optional<Measured> of(ContainerShare share) {
        return Optional.ofNullable(reported.cards().get(share.card().id()))
                .flatMap(CardUtilization::processes)
                .flatMap(_ -> containers)
                .map(all -> all.getOrDefault(share.key(), IDLE));
    }
}
