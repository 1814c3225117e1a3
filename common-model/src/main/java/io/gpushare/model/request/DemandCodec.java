package io.gpushare.model.request;

import io.gpushare.model.ContainerDemand;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.Demand;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.Share;
import io.gpushare.model.card.ShareKind;
import io.gpushare.model.codec.Decoded;
import io.gpushare.model.foreign.AliyunPod;
import io.gpushare.model.foreign.ForeignPod;
import io.gpushare.model.selector.CardSelector;
import io.gpushare.model.text.NearestName;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Decodes a pod's demand from its containers' resources and its annotations, by all front ends. */
public final class DemandCodec {
    private static final int MOST_CONTAINERS = 64;
    private static final int MOST_SHARES = 256;

    private final ResourceNames names;
    private final List<FrontEnd> frontEnds;
    private final Set<String> resources;

    /** A codec for a cluster that counts no slots, or whose memory unit is GiB. */
    public DemandCodec(ResourceNames names) {
        this(names, MemoryUnit.GIB);
    }

    /** @param unit the memory unit of the cluster's nodes, for requests in MiB */
    public DemandCodec(ResourceNames names, MemoryUnit unit) {
        this.names = names;
        this.frontEnds = FrontEnds.in(names, unit);
        this.resources = frontEnds.stream()
                .flatMap(each -> each.resources().stream())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /**
     * The demand of a pod with its card requirements.
     *
     * @param containers in the order in which they start: init containers and sidecars as in the spec, then the apps
     * @return absent if no container requests a resource; malformed if one requests what can't be, or in two
     *     vocabularies, or if an annotation of the front ends is invalid
     */
    public Decoded<Demand> decode(List<ContainerResources> containers, Map<String, String> annotations) {
        Decoded<Demand> amounts =
                amounts(containers, container -> request(container, each -> each.request(container, annotations)));
        return amounts instanceof Decoded.Valid<Demand>(Demand requested)
                ? withRequirements(requested, containers, annotations)
                : amounts;
    }

    /** Refuses a demand whose allocation would not fit into an annotation. */
    private static Decoded<Demand> writable(Demand demand) {
        int containers = demand.containers().size();
        long shares = demand.containers().stream()
                .map(ContainerDemand::request)
                .mapToLong(request -> request.slots() > 0
                        ? request.slots()
                        : request.takenWhole() + (request.hasPart() ? demand.split() : 0))
                .sum();
        return containers <= MOST_CONTAINERS && shares <= MOST_SHARES
                ? new Decoded.Valid<>(demand)
                : new Decoded.Malformed<>("the pod requests " + shares + " cards or shares of cards in " + containers
                        + " containers: at most " + MOST_SHARES + " in " + MOST_CONTAINERS
                        + " containers are possible");
    }

    private Decoded<Demand> withRequirements(
            Demand amounts, List<ContainerResources> containers, Map<String, String> annotations) {
        Optional<String> mistake = PodAnnotations.mistake(annotations)
                .or(() -> frontEnds.stream()
                        .flatMap(each -> each.mistake(amounts, containers, annotations).stream())
                        .findFirst());
        if (mistake.isPresent()) {
            return new Decoded.Malformed<>(mistake.get());
        }
        if (annotations.isEmpty()) {
            return writable(amounts);
        }
        Decoded<CardSelector> written = SelectorCodec.decode(annotations);
        if (written instanceof Decoded.Malformed<CardSelector>(String reason)) {
            return new Decoded.Malformed<>(reason);
        }
        try {
            int split = 1;
            CardSelector selector = written.valid().orElse(CardSelector.ANY);
            for (FrontEnd each : frontEnds) {
                split = Math.max(split, each.split(amounts, annotations));
                selector = selector.and(each.selector(amounts, annotations));
            }
            return writable(new Demand(amounts.containers(), split, selector));
        } catch (IllegalArgumentException e) {
            return new Decoded.Malformed<>("annotation " + OwnRequests.CARDS + ": " + e.getMessage());
        }
    }

    /**
     * The demand of a bound pod: enough for a pod that has its cards. The names of the resources may have changed since
     * it was bound, so the former ones count as well, and a pod that has slots keeps them in a cluster that does not
     * count slots any more.
     */
    public Decoded<Demand> decodeBound(List<ContainerResources> containers, Map<String, String> annotations) {
        return amounts(
                containers,
                container -> request(container, each -> each.requestOfBound(container, annotations))
                        .plus(frontEnds.stream()
                                .map(each -> each.former(container))
                                .reduce(Share.NONE, Share::plus)));
    }

    /** How the node's device plugin counts in another way than this codec, as a sentence; empty if it does not. */
    public Optional<String> difference(Inventory node) {
        return frontEnds.stream()
                .flatMap(each -> each.difference(node).stream())
                .findFirst();
    }

    /**
     * What the user should know of a pod's requests, because they have another effect than elsewhere: sentences without
     * a full stop.
     */
    public List<String> notes(Demand demand, List<ContainerResources> containers, Map<String, String> annotations) {
        List<String> notes = new ArrayList<>();
        frontEnds.forEach(each -> notes.addAll(each.notes(demand, containers, annotations)));
        PodAnnotations.selectors().stream()
                .filter(key ->
                        annotations.getOrDefault(key, "-").replace(',', ' ').isBlank())
                .map(key -> "annotation " + key + " is empty and has no effect")
                .forEach(notes::add);
        return notes;
    }

    /** The policy that a pod asks for, valid or not. */
    public Optional<NamedPolicy> policy(Decoded<Demand> demand, Map<String, String> annotations) {
        return frontEnds.stream()
                .flatMap(each -> each.policy(demand.valid(), annotations).stream())
                .findFirst();
    }

    /** The pod as another scheduler and its device plugin annotated it. */
    public ForeignPod foreign(List<ContainerResources> containers, Map<String, String> annotations, String node) {
        return frontEnds.reversed().stream()
                .flatMap(each -> each.foreign(containers, annotations, node).stream())
                .findFirst()
                .orElse(AliyunPod.NONE);
    }

    /** The names of the containers of a bound pod that request only former resources. */
    public Set<String> former(List<ContainerResources> containers) {
        return containers.stream()
                .filter(container -> names.all().stream().anyMatch(container::requests)
                        && names.names().entrySet().stream()
                                .noneMatch(present ->
                                        !present.getKey().percent() && container.requests(present.getValue())))
                .map(ContainerResources::name)
                .collect(Collectors.toSet());
    }

    private Decoded<Demand> amounts(List<ContainerResources> containers, Function<ContainerResources, Share> request) {
        List<ContainerDemand> demands = new ArrayList<>();
        try {
            for (ContainerResources container : containers) {
                Share share = request.apply(container);
                @Nullable String profile = container.profile();
                if (profile != null) {
                    share = instances(container, profile, share);
                }
                check(container, share);
                if (!share.isNone()) {
                    demands.add(new ContainerDemand(container.name(), container.role(), share, profile));
                }
            }
            return demands.isEmpty() ? new Decoded.Absent<>() : checked(demands);
        } catch (IllegalArgumentException e) {
            return new Decoded.Malformed<>(String.valueOf(e.getMessage()));
        }
    }

    /** What the container requests, in one of the vocabularies. */
    private Share request(ContainerResources container, Function<FrontEnd, Share> request) {
        Share found = Share.NONE;
        String resource = "";
        for (FrontEnd each : frontEnds) {
            Share share = request.apply(each);
            if (!share.isNone() && !found.isNone()) {
                throw new IllegalArgumentException("container '" + container.name() + "' requests "
                        + each.resource(share) + " and " + resource + ": request its cards in only one of them");
            }
            if (!share.isNone()) {
                found = share;
                resource = each.resource(share);
            }
        }
        return found;
    }

    private static Share instances(ContainerResources container, String profile, Share other) {
        if (!other.isNone()) {
            throw new IllegalArgumentException("container '" + container.name() + "' requests "
                    + ResourceNames.INSTANCES + profile
                    + " and another resource of GPUs: a MIG instance taken whole has"
                    + " its memory and cores, request only one of them");
        }
        return Share.instances(container.instances());
    }

    private void check(ContainerResources container, Share request) {
        if (request.wholeCards() > 0 && request.units() > 0) {
            throw new IllegalArgumentException("container '" + container.name() + "' requests " + names.memory()
                    + " and " + names.cards()
                    + ": a container has memory of a shared card or whole cards, request only one of them"
                    + " (for memory on several cards: annotation " + OwnRequests.CARDS + ")");
        }
        for (ShareKind kind : ShareKind.PERCENTS) {
            if (kind.in(request) > 0 && request.units() == 0 && request.slots() == 0) {
                throw new IllegalArgumentException("container '" + container.name() + "' requests " + names.of(kind)
                        + (request.wholeCards() > 0
                                ? " and " + names.cards() + ": a whole card has all its " + kind
                                        + ", request only one of them"
                                : " without " + names.memory() + ": it is a part of the card of which the container"
                                        + " has memory, request both"));
            }
        }
    }

    /** Whether a container names a resource, even with the amount 0. */
    public boolean named(List<ContainerResources> containers) {
        return containers.stream()
                .flatMap(container -> container.quantities().keySet().stream())
                .anyMatch(name -> resources.contains(name) || name.startsWith(ResourceNames.INSTANCES));
    }

    /** The names of resources of GPUs that these quantities have with the amount 0. */
    public Set<String> zeros(Map<String, String> quantities) {
        return new ContainerResources("", ContainerRole.APP, quantities).zeros(names::counts);
    }

    /** The same of all containers: a kubelet refuses these too if it has no healthy device of the resource. */
    public Set<String> zeros(List<ContainerResources> containers) {
        return containers.stream()
                .flatMap(container -> container.zeros(names::counts).stream())
                .collect(Collectors.toSet());
    }

    /**
     * What a pod without a demand may have meant, as a sentence: it requests 0 of a resource, or one whose name is not
     * quite that of a resource. Empty for others.
     */
    public Optional<String> nearly(List<ContainerResources> containers) {
        for (ContainerResources container : containers) {
            for (String name : new TreeSet<>(container.quantities().keySet())) {
                if (resources.contains(name)) {
                    return Optional.of("container '" + container.name() + "' requests " + name
                            + ": 0, which is nothing: write a number from 1 up");
                }
                Optional<String> near = name.contains("/") ? NearestName.of(name, resources) : Optional.empty();
                if (near.isPresent()) {
                    return Optional.of("container '" + container.name() + "' requests " + name
                            + ", which GPU Share does not have; did you mean " + near.get() + "?");
                }
            }
        }
        return Optional.empty();
    }

    /** The amounts in a node's {@code status.allocatable}; none where they are invalid. */
    public Share allocatable(Map<String, String> allocatable) {
        try {
            ContainerResources node = new ContainerResources("node", ContainerRole.APP, allocatable);
            Share share = Share.instances(node.instances());
            for (ShareKind kind : names.kinds()) {
                share = share.plus(kind.share(node.amount(names.of(kind))));
            }
            return share;
        } catch (IllegalArgumentException e) {
            return Share.NONE;
        }
    }

    /** The most memory units that these hold at one time. */
    static long units(List<ContainerDemand> demands) {
        return Demand.peak(
                demands, ContainerDemand::role, each -> each.request().units());
    }

    private Decoded<Demand> checked(List<ContainerDemand> demands) {
        Demand demand = new Demand(demands);
        Share total = demand.total();
        if (units(demands) + total.takenWhole() > Integer.MAX_VALUE) {
            return new Decoded.Malformed<>("the pod requests more than any node could have");
        }
        if (demand.slotted() && demands.stream().anyMatch(each -> each.request().slots() == 0)) {
            return new Decoded.Malformed<>("the pod requests " + HamiRequests.CARDS + " in one container and "
                    + names.memory() + " or " + names.cards() + " in another: request all its cards in "
                    + HamiRequests.CARDS + ", or none");
        }
        for (ShareKind kind : ShareKind.PERCENTS) {
            if (!demand.slotted() && kind.in(total) > ShareKind.ALL) {
                return new Decoded.Malformed<>("the pod requests " + kind.in(total) + " percent in " + names.of(kind)
                        + ": its containers share one card, which has 100");
            }
        }
        return new Decoded.Valid<>(demand);
    }
}
