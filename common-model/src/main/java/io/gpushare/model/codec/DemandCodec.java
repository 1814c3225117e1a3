package io.gpushare.model.codec;

import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerDemand;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.Demand;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.Share;
import io.gpushare.model.card.ShareKind;
import io.gpushare.model.selector.CardSelector;
import io.gpushare.model.text.NearestName;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Decodes a pod's demand from its containers' resources, and its card requirements from its annotations. */
public final class DemandCodec {
    private static final Pattern CARDS = Pattern.compile("[1-9]|[1-5][0-9]|6[0-4]");

    // The name that the documents use for parts of a card's cores; by default there is no such resource.
    private static final String CORES = "aliyun.com/gpu-core.percentage";

    private static final int MOST_CONTAINERS = 64;
    private static final int MOST_SHARES = 256;
    // No card has so many units, even of 1 MiB: the amount is in bytes.
    private static final int LEAST_BYTES = 1 << 20;
    private final ResourceNames names;
    private final Set<ShareKind> kinds;
    private final HamiCodec hami;
    private final List<String> unsupported;

    /** A codec for a cluster that counts no slots, or whose memory unit is GiB. */
    public DemandCodec(ResourceNames names) {
        this(names, MemoryUnit.GIB);
    }

    /** @param unit the memory unit of the cluster's nodes, for requests in MiB */
    public DemandCodec(ResourceNames names, MemoryUnit unit) {
        this.names = names;
        this.kinds = new TreeSet<>(names.kinds());
        this.kinds.remove(ShareKind.SLOTS);
        this.hami = new HamiCodec(unit);
        // Without these a part of a card would become a whole card.
        this.unsupported = HamiCodec.PARTS.stream()
                .filter(name -> !slotted()
                        && kinds.stream().noneMatch(kind -> names.of(kind).equals(name)))
                .toList();
    }

    private boolean slotted() {
        return names.kinds().contains(ShareKind.SLOTS);
    }

    /**
     * The demand of a pod with its card requirements.
     *
     * @param containers as for {@link #decode(List)}
     * @return also malformed if the annotation {@value AnnotationKeys#CARDS}, or one that selects cards, is invalid, or
     *     if a container requests a resource of HAMi too
     */
    public Decoded<Demand> decode(List<ContainerResources> containers, Map<String, String> annotations) {
        Decoded<Demand> amounts =
                decode(containers, container -> HamiCodec.request(request(container, slotted()), annotations));
        if (!(amounts instanceof Decoded.Valid<Demand>(Demand requested))) {
            return amounts;
        }
        for (ContainerResources container : containers) {
            for (String name : unsupported) {
                if (!container.quantities().getOrDefault(name, "0").equals("0")) {
                    return new Decoded.Malformed<>("container '" + container.name() + "' requests " + name
                            + ", which GPU Share does not support: remove it, and request a part of a card in "
                            + names.memory() + " or whole cards in " + names.cards());
                }
            }
        }
        Decoded<Demand> demand = annotations.isEmpty() ? amounts : withRequirements(requested, annotations);
        return demand instanceof Decoded.Valid<Demand>(Demand valid) ? writable(valid) : demand;
    }

    /** Refuses a demand whose allocation would not fit into an annotation; see {@link AnnotationLimits}. */
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

    private Decoded<Demand> withRequirements(Demand amounts, Map<String, String> annotations) {
        boolean instances = amounts.slotted() && HamiCodec.onInstances(annotations);
        Optional<String> mistake = AnnotationLimits.tooLong(annotations, AnnotationKeys.SELECTORS)
                .or(() -> AnnotationKeys.mistake(annotations))
                .or(() -> instances ? HamiCodec.mistakeOnInstances(amounts) : Optional.empty());
        if (mistake.isPresent()) {
            return new Decoded.Malformed<>(mistake.get());
        }
        Decoded<CardSelector> selector = SelectorCodec.decode(annotations);
        if (selector instanceof Decoded.Malformed<CardSelector>(String reason)) {
            return new Decoded.Malformed<>(reason);
        }
        @Nullable String cards = annotations.get(AnnotationKeys.CARDS);
        try {
            int split = cards == null ? 1 : split(cards, amounts);
            CardSelector written = selector.valid().orElse(CardSelector.ANY);
            return new Decoded.Valid<>(
                    new Demand(amounts.containers(), split, instances ? written.and(HamiCodec.INSTANCES) : written));
        } catch (IllegalArgumentException e) {
            return new Decoded.Malformed<>("annotation " + AnnotationKeys.CARDS + ": " + e.getMessage());
        }
    }

    private int split(String written, Demand amounts) {
        if (!CARDS.matcher(written.strip()).matches()) {
            throw new IllegalArgumentException("write over how many cards the memory is split, from 1 to 64");
        }
        if (amounts.slotted()) {
            throw new IllegalArgumentException("it splits memory in " + names.memory() + ", and the pod requests "
                    + HamiCodec.CARDS + ", whose number says over how many cards: remove the annotation");
        }
        if (amounts.total().units() == 0) {
            throw new IllegalArgumentException("it splits memory over cards, and no container requests "
                    + names.memory() + "; for whole cards write their number in " + names.cards());
        }
        return Integer.parseInt(written.strip());
    }

    /**
     * The demand of a pod without its card requirements.
     *
     * @param containers in the order in which they start: init containers and sidecars as in the spec, then the apps
     * @return absent if no container requests a resource; malformed if one requests memory and whole cards, cores
     *     without memory, or an amount that is not a whole number
     */
    public Decoded<Demand> decode(List<ContainerResources> containers) {
        return decode(containers, container -> counted(container, request(container, slotted())));
    }

    /**
     * The demand of a bound pod: enough for a pod that has its cards. The names of the resources may have changed since
     * it was bound, so the former ones count as well, and a pod that has slots keeps them in a cluster that does not
     * count slots any more.
     */
    public Decoded<Demand> decodeBound(List<ContainerResources> containers, Map<String, String> annotations) {
        boolean slots = slotted()
                || (containers.stream().anyMatch(HamiCodec::named)
                        && AllocationCodec.decode(annotations)
                                .valid()
                                .filter(Allocation::slotted)
                                .isPresent());
        return decode(
                containers,
                container -> HamiCodec.request(request(container, slots), annotations)
                        .plus(formerShare(container)));
    }

    /** How the node's device plugin counts in another way than this codec, as a sentence; empty if it does not. */
    public Optional<String> difference(Inventory node) {
        boolean slots = node.beside().slots() > 0;
        if (slots != slotted()) {
            return Optional.of("its device plugin " + (slots ? "has" : "lacks") + " --hami, and the extender "
                    + (slots ? "lacks" : "has") + " it: no pod that requests " + HamiCodec.CARDS
                    + " is placed there, set it for both");
        }
        return slots && !node.unit().equals(hami.unit())
                ? Optional.of("its device plugin counts memory in units of " + node.unit()
                        + ", and the extender in units of " + hami.unit() + ": no pod that requests " + HamiCodec.CARDS
                        + " is placed there, set the same --memory-unit for both")
                : Optional.empty();
    }

    /**
     * What the user should know of a pod's requests, because they have another effect than elsewhere: sentences without
     * a full stop.
     */
    public List<String> notes(Demand demand, List<ContainerResources> containers, Map<String, String> annotations) {
        List<String> notes = new ArrayList<>(demand.slotted() ? hami.notes(containers, annotations) : List.of());
        for (ContainerResources container : containers) {
            if (names.of(ShareKind.CORES).isEmpty() && container.quantities().containsKey(CORES)) {
                notes.add("container '" + container.name() + "' requests " + CORES + ", which is not offered: set"
                        + " --core-resource=" + CORES + " of both programs, and --isolation=mps of the device plugin");
            }
        }
        AnnotationKeys.SELECTORS.stream()
                .filter(key ->
                        annotations.getOrDefault(key, "-").replace(',', ' ').isBlank())
                .map(key -> "annotation " + key + " is empty and has no effect")
                .forEach(notes::add);
        if (demand.slotted()) {
            AnnotationKeys.HAMI_WITHOUT_EFFECT.stream()
                    .filter(annotations::containsKey)
                    .map(key -> "annotation " + key + " has no effect here")
                    .forEach(notes::add);
        }
        return notes;
    }

    /** The policy that a pod with slots asks for in HAMi's annotations. */
    public static Optional<String> hamisPolicy(Map<String, String> annotations) {
        return HamiCodec.policy(annotations);
    }

    /** The names of the containers of a bound pod that request only former resources. */
    public Set<String> former(List<ContainerResources> containers) {
        return containers.stream()
                .filter(container -> names.all().stream().anyMatch(container.quantities()::containsKey)
                        && !container.quantities().containsKey(names.memory())
                        && !container.quantities().containsKey(names.cards())
                        && !container.quantities().containsKey(names.of(ShareKind.SLOTS)))
                .map(ContainerResources::name)
                .collect(Collectors.toSet());
    }

    private Decoded<Demand> decode(List<ContainerResources> containers, Function<ContainerResources, Share> share) {
        List<ContainerDemand> demands = new ArrayList<>();
        for (ContainerResources container : containers) {
            Share request;
            @Nullable String profile;
            try {
                Share other = share.apply(container);
                profile = container.profile();
                request = profile == null ? other : instances(container, profile, other);
            } catch (IllegalArgumentException e) {
                return new Decoded.Malformed<>(String.valueOf(e.getMessage()));
            }
            if (request.wholeCards() > 0 && request.units() > 0) {
                return new Decoded.Malformed<>(
                        "container '" + container.name() + "' requests " + names.memory() + " and " + names.cards()
                                + ": a container has memory of a shared card or whole cards, request only one of them"
                                + " (for memory on several cards: annotation " + AnnotationKeys.CARDS + ")");
            }
            for (ShareKind kind : ShareKind.PERCENTS) {
                if (kind.in(request) > 0 && request.units() == 0 && request.slots() == 0) {
                    return new Decoded.Malformed<>("container '" + container.name() + "' requests " + names.of(kind)
                            + (request.wholeCards() > 0
                                    ? " and " + names.cards() + ": a whole card has all its " + kind
                                            + ", request only one of them"
                                    : " without " + names.memory() + ": it is a part of the card of which the container"
                                            + " has memory, request both"));
                }
            }
            if (!request.isNone()) {
                demands.add(new ContainerDemand(container.name(), container.role(), request, profile));
            }
        }
        if (demands.isEmpty()) {
            return new Decoded.Absent<>();
        }
        return checked(demands);
    }

    /** Whether a container names a resource, even with the amount 0. */
    public boolean named(List<ContainerResources> containers) {
        return containers.stream()
                .map(ContainerResources::quantities)
                .anyMatch(amounts -> names.kinds().stream().map(names::of).anyMatch(amounts::containsKey)
                        || amounts.keySet().stream().anyMatch(name -> name.startsWith(ResourceNames.INSTANCES)));
    }

    /**
     * What a pod without a demand may have meant, as a sentence: it requests 0 of a resource, or one whose name is not
     * quite that of a resource. Empty for others.
     */
    public Optional<String> nearly(List<ContainerResources> containers) {
        Set<String> known = names.kinds().stream().map(names::of).collect(Collectors.toCollection(TreeSet::new));
        for (ContainerResources container : containers) {
            for (String name : new TreeSet<>(container.quantities().keySet())) {
                if (known.contains(name)) {
                    return Optional.of("container '" + container.name() + "' requests " + name
                            + ": 0, which is nothing: write a number from 1 up");
                }
                Optional<String> near = name.contains("/") ? NearestName.of(name, known) : Optional.empty();
                if (near.isPresent()) {
                    return Optional.of("container '" + container.name() + "' requests " + name
                            + ", which GPU Share does not have; did you mean " + near.get() + "?");
                }
            }
        }
        return Optional.empty();
    }

    /**
     * The containers that request memory, with the memory alone, as gpushare reads a pod; former resources count as
     * well.
     *
     * @return empty if an amount is invalid
     */
    public List<ContainerDemand> memory(List<ContainerResources> containers) {
        List<ContainerDemand> demands = new ArrayList<>();
        try {
            for (ContainerResources container : containers) {
                int units = container.amount(names.memory());
                for (String former : names.formerOf(ShareKind.MEMORY)) {
                    units = Math.addExact(units, container.amount(former));
                }
                if (units > 0) {
                    demands.add(new ContainerDemand(container.name(), container.role(), Share.memory(units)));
                }
            }
        } catch (IllegalArgumentException | ArithmeticException e) {
            return List.of();
        }
        return demands.isEmpty()
                ? List.of()
                : checked(demands).valid().map(Demand::containers).orElse(List.of());
    }

    /**
     * The containers that request slots, as HAMi reads a pod: what is invalid for this codec may be a whole card there.
     */
    public List<ContainerDemand> slots(List<ContainerResources> containers) {
        return containers.stream()
                .filter(container -> slotted() && inSlots(container).slots() > 0)
                .map(container -> new ContainerDemand(container.name(), container.role(), inSlots(container)))
                .toList();
    }

    private Share inSlots(ContainerResources container) {
        try {
            return hami.request(container);
        } catch (IllegalArgumentException e) {
            return Share.SLOTTED_CARD;
        }
    }

    /** The amounts in a node's {@code status.allocatable}; none where they are invalid. */
    public Share allocatable(Map<String, String> allocatable) {
        try {
            ContainerResources node = new ContainerResources("node", ContainerRole.APP, allocatable);
            return share(node)
                    .plus(Share.slots(slotted() ? node.amount(names.of(ShareKind.SLOTS)) : 0))
                    .plus(Share.instances(node.instances()));
        } catch (IllegalArgumentException e) {
            return Share.NONE;
        }
    }

    private Share share(ContainerResources container) {
        Share share = Share.NONE;
        for (ShareKind kind : kinds) {
            share = share.plus(kind.share(container.amount(names.of(kind))));
        }
        return share;
    }

    /** The container's request, unless it is a number of bytes. */
    private Share counted(ContainerResources container, Share request) {
        for (ShareKind kind : kinds) {
            if (kind.in(request) >= LEAST_BYTES) {
                throw new IllegalArgumentException(
                        container.tooLarge(names.of(kind), BigDecimal.valueOf(kind.in(request))));
            }
        }
        return request;
    }

    /** What the container requests, in one of the two vocabularies. */
    private Share request(ContainerResources container, boolean slotted) {
        Share own = share(container);
        Share inSlots = slotted ? hami.request(container) : Share.NONE;
        if (!own.isNone() && !inSlots.isNone()) {
            throw new IllegalArgumentException("container '" + container.name() + "' requests " + HamiCodec.CARDS
                    + " and " + (own.wholeCards() > 0 ? names.cards() : names.memory())
                    + ": request its cards in only one of them");
        }
        return own.isNone() ? inSlots : own;
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

    private Share formerShare(ContainerResources container) {
        Share share = Share.NONE;
        for (ShareKind kind : kinds) {
            for (String name : names.formerOf(kind)) {
                share = share.plus(kind.share(container.amount(name)));
            }
        }
        return share;
    }

    private Decoded<Demand> checked(List<ContainerDemand> demands) {
        try {
            Demand demand = new Demand(demands);
            Share total = demand.total();
            long units = Demand.peak(
                    demands, ContainerDemand::role, each -> each.request().units());
            if (units + total.takenWhole() > Integer.MAX_VALUE) {
                return new Decoded.Malformed<>("the pod requests more than any node could have");
            }
            if (demand.slotted()
                    && demands.stream().anyMatch(each -> each.request().slots() == 0)) {
                return new Decoded.Malformed<>("the pod requests " + HamiCodec.CARDS + " in one container and "
                        + names.memory() + " or " + names.cards() + " in another: request all its cards in "
                        + HamiCodec.CARDS + ", or none");
            }
            for (ShareKind kind : ShareKind.PERCENTS) {
                if (!demand.slotted() && kind.in(total) > 100) {
                    return new Decoded.Malformed<>("the pod requests " + kind.in(total) + " percent in "
                            + names.of(kind) + ": its containers share one card, which has 100");
                }
            }
            return new Decoded.Valid<>(demand);
        } catch (IllegalArgumentException e) {
            return new Decoded.Malformed<>(String.valueOf(e.getMessage()));
        }
    }
}
