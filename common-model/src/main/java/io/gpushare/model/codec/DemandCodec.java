package io.gpushare.model.codec;

import io.gpushare.model.ContainerDemand;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.Demand;
import io.gpushare.model.card.Share;
import io.gpushare.model.card.ShareKind;
import io.gpushare.model.selector.CardSelector;
import io.gpushare.model.text.Quantity;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Decodes a pod's demand from its containers' resources, and its card requirements from its annotations. */
public final class DemandCodec {
    private static final Pattern CARDS = Pattern.compile("[1-9]|[1-5][0-9]|6[0-4]");

    private static final int MOST_CONTAINERS = 64;
    private static final int MOST_SHARES = 256;
    // What HAMi's pods request beside nvidia.com/gpu: without these a part of a card would become a whole card.
    private static final List<String> HAMI =
            List.of("nvidia.com/gpumem", "nvidia.com/gpumem-percentage", "nvidia.com/gpucores");

    private final ResourceNames names;
    private final Set<ShareKind> kinds;
    private final List<String> unsupported;

    public DemandCodec(ResourceNames names) {
        this.names = names;
        this.kinds = names.kinds();
        this.unsupported = HAMI.stream()
                .filter(name -> kinds.stream().noneMatch(kind -> names.of(kind).equals(name)))
                .toList();
    }

    /**
     * The demand of a pod with its card requirements.
     *
     * @param containers as for {@link #decode(List)}
     * @return also malformed if the annotation {@value AnnotationKeys#CARDS}, or one that selects cards, is invalid, or
     *     if a container requests a resource of HAMi too
     */
    public Decoded<Demand> decode(List<ContainerResources> containers, Map<String, String> annotations) {
        Decoded<Demand> amounts = decode(containers);
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
                .mapToLong(request -> request.wholeCards() + (request.shared().isNone() ? 0 : demand.split()))
                .sum();
        return containers <= MOST_CONTAINERS && shares <= MOST_SHARES
                ? new Decoded.Valid<>(demand)
                : new Decoded.Malformed<>("the pod requests " + shares + " cards or shares of cards in " + containers
                        + " containers: at most " + MOST_SHARES + " in " + MOST_CONTAINERS
                        + " containers are possible");
    }

    private Decoded<Demand> withRequirements(Demand amounts, Map<String, String> annotations) {
        Optional<String> mistake = AnnotationLimits.tooLong(annotations, AnnotationKeys.SELECTORS)
                .or(() -> AnnotationKeys.mistake(annotations));
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
            return new Decoded.Valid<>(
                    new Demand(amounts.containers(), split, selector.valid().orElse(CardSelector.ANY)));
        } catch (IllegalArgumentException e) {
            return new Decoded.Malformed<>("annotation " + AnnotationKeys.CARDS + ": " + e.getMessage());
        }
    }

    private int split(String written, Demand amounts) {
        if (!CARDS.matcher(written.strip()).matches()) {
            throw new IllegalArgumentException("write over how many cards the memory is split, from 1 to 64");
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
        return decode(containers, this::share);
    }

    /**
     * The demand of a bound pod: enough for a pod that has its cards. The names of the resources may have changed since
     * it was bound, so the former ones count as well.
     */
    public Decoded<Demand> decodeBound(List<ContainerResources> containers) {
        return decode(containers, container -> share(container).plus(formerShare(container)));
    }

    /** The names of the containers of a bound pod that request only former resources. */
    public Set<String> former(List<ContainerResources> containers) {
        return containers.stream()
                .filter(container -> names.all().stream().anyMatch(container.quantities()::containsKey)
                        && !container.quantities().containsKey(names.memory())
                        && !container.quantities().containsKey(names.cards()))
                .map(ContainerResources::name)
                .collect(Collectors.toSet());
    }

    private Decoded<Demand> decode(List<ContainerResources> containers, Function<ContainerResources, Share> share) {
        List<ContainerDemand> demands = new ArrayList<>();
        for (ContainerResources container : containers) {
            Share request;
            try {
                request = share.apply(container);
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
                if (kind.in(request) > 0 && request.units() == 0) {
                    return new Decoded.Malformed<>("container '" + container.name() + "' requests " + names.of(kind)
                            + (request.wholeCards() > 0
                                    ? " and " + names.cards() + ": a whole card has all its " + kind
                                            + ", request only one of them"
                                    : " without " + names.memory() + ": it is a part of the card of which the container"
                                            + " has memory, request both"));
                }
            }
            if (!request.isNone()) {
                demands.add(new ContainerDemand(container.name(), container.role(), request));
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
                .anyMatch(amounts -> names.kinds().stream().map(names::of).anyMatch(amounts::containsKey));
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
                int units = amount(container, names.memory());
                for (String former : names.formerMemory()) {
                    units = Math.addExact(units, amount(container, former));
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

    /** The amounts in a node's {@code status.allocatable}; none where they are invalid. */
    public Share allocatable(Map<String, String> allocatable) {
        try {
            return share(new ContainerResources("node", ContainerRole.APP, allocatable));
        } catch (IllegalArgumentException e) {
            return Share.NONE;
        }
    }

    private Share share(ContainerResources container) {
        Share share = Share.NONE;
        for (ShareKind kind : kinds) {
            share = share.plus(kind.share(amount(container, names.of(kind))));
        }
        return share;
    }

    private Share formerShare(ContainerResources container) {
        Share share = Share.NONE;
        for (ShareKind kind : kinds) {
            for (String name : names.formerOf(kind)) {
                share = share.plus(kind.share(amount(container, name)));
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
            if (units + total.wholeCards() > Integer.MAX_VALUE) {
                return new Decoded.Malformed<>("the pod requests more than any node could have");
            }
            for (ShareKind kind : ShareKind.PERCENTS) {
                if (kind.in(total) > 100) {
                    return new Decoded.Malformed<>("the pod requests " + kind.in(total) + " percent in "
                            + names.of(kind) + ": its containers share one card, which has 100");
                }
            }
            return new Decoded.Valid<>(demand);
        } catch (IllegalArgumentException e) {
            return new Decoded.Malformed<>(String.valueOf(e.getMessage()));
        }
    }

    private static int amount(ContainerResources container, String resource) {
        @Nullable String written = container.quantities().get(resource);
        if (written == null) {
            return 0;
        }
        BigDecimal amount = Quantity.parse(written)
                .orElseThrow(() -> new IllegalArgumentException("container '" + container.name() + "' requests "
                        + resource + ": '" + written + "' is not a quantity; write a whole number"));
        try {
            return amount.intValueExact();
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException(
                    "container '" + container.name() + "' requests " + resource + ": " + written
                            + " is not a whole number from 0 to " + Integer.MAX_VALUE,
                    e);
        }
    }
}
