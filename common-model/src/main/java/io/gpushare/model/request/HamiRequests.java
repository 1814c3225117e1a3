package io.gpushare.model.request;

import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerDemand;
import io.gpushare.model.Demand;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.Share;
import io.gpushare.model.card.ShareKind;
import io.gpushare.model.codec.AllocationCodec;
import io.gpushare.model.foreign.ForeignPod;
import io.gpushare.model.foreign.HamiPod;
import io.gpushare.model.selector.CardCondition;
import io.gpushare.model.selector.CardCondition.Test;
import io.gpushare.model.selector.CardFact;
import io.gpushare.model.selector.CardSelector;
import io.gpushare.model.selector.FactValue;
import io.gpushare.model.selector.SelectorParser;
import io.gpushare.model.text.NearestName;
import io.gpushare.model.text.Printable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The requests of HAMi's users: {@code nvidia.com/gpu} cards, and of each of them memory ({@code gpumem} in
 * MiB, or {@code gpumem-percentage}) and cores ({@code gpucores} in percent). The names, the defaults and the limits
 * are those of HAMi 2.10 ({@code pkg/device/nvidia/device.go}):
 *
 * <ul>
 *   <li>A percentage counts only where {@code gpumem} is absent or 0, and 0 is none.
 *   <li>A container that requests neither, or all of the memory or the cores, has its cards alone.
 * </ul>
 *
 * <p>{@value #CARD_POLICY} with the word {@code mutex} asks for a card without pods at that moment;
 * here no other pod joins it later.
 *
 * <p>Memory is rounded up to whole units; {@link Share#on} resolves a percentage.
 */
final class HamiRequests implements FrontEnd {
    static final String CARDS = "nvidia.com/gpu";

    private static final String MEMORY = "nvidia.com/gpumem";
    private static final String PERCENTAGE = "nvidia.com/gpumem-percentage";
    private static final String CORES = "nvidia.com/gpucores";
    private static final String PRIORITY = "nvidia.com/priority";

    /** What requests no card, and a part of one: no node reports these resources. */
    private static final List<String> PARTS = List.of(MEMORY, PERCENTAGE, CORES);

    private static final String USE_TYPE = "nvidia.com/use-gputype";
    private static final String NO_TYPE = "nvidia.com/nouse-gputype";
    private static final String USE_UUID = "nvidia.com/use-gpuuuid";
    private static final String NO_UUID = "nvidia.com/nouse-gpuuuid";
    private static final String USE_INDEX = "nvidia.com/use-gpuindexes";
    private static final String NO_INDEX = "nvidia.com/nouse-gpuindexes";

    /** How nodes are chosen. */
    private static final String NODE_POLICY = "hami.io/node-scheduler-policy";

    /** How cards within a node are chosen: words joined by commas. */
    private static final String CARD_POLICY = "hami.io/gpu-scheduler-policy";

    /** How a card is divided: hami-core, mps or mig. */
    private static final String MODE = "nvidia.com/vgpu-mode";

    // Users are told that these have no effect here.
    private static final List<String> WITHOUT_EFFECT = List.of(
            "hami.io/device-scoring-weights",
            "hami.io/vulkan",
            "nvidia.com/numa-bind",
            "nvidia.com/mig-profile-preference");

    private static final List<String> READ =
            List.of(USE_TYPE, NO_TYPE, USE_UUID, NO_UUID, USE_INDEX, NO_INDEX, NODE_POLICY, CARD_POLICY, MODE);

    private static final Pattern COMMA = Pattern.compile(",");
    // What HAMi's policies for nodes and cards have in common.
    private static final Set<String> PLACING = Set.of("binpack", "spread");
    /** Only a card that nobody uses. */
    private static final String MUTEX = "mutex";
    /** Cards that are linked, for a pod with several: as every policy here. */
    private static final String DEFAULT = "topology-aware";

    /** The cards of a pod that asks for MIG instances. */
    private static final CardSelector INSTANCES = SelectorParser.parse("mig = on");

    /**
     * What is wrong with a pod that asks for MIG instances: without an amount of memory it would take cards whole, and
     * a program sees one instance at most.
     */
    private static Optional<String> mistakeOnInstances(Demand demand) {
        String begin = "annotation " + MODE + ": mig gives a part of one MIG instance: request ";
        return demand.wholeCards() > 0
                ? Optional.of(begin + MEMORY + ", or an instance whole by its profile, such as "
                        + ResourceNames.INSTANCES + "3g.40gb, and remove the annotation")
                : demand.sharedCards() > 1
                        ? Optional.of(begin + CARDS + ": 1 in each container, since a program sees only one")
                        : Optional.empty();
    }

    private static final int ALL = ShareKind.ALL;

    private final ResourceNames names;
    private final MemoryUnit unit;
    private final boolean offered;
    // Without these a part of a card would become a whole card.
    private final List<String> unsupported;

    /** @param unit the memory unit of the cluster's nodes */
    HamiRequests(ResourceNames names, MemoryUnit unit) {
        this.names = names;
        this.unit = unit;
        this.offered = names.kinds().contains(ShareKind.SLOTS);
        this.unsupported = PARTS.stream()
                .filter(name -> !offered && !names.names().containsValue(name))
                .toList();
    }

    @Override
    public Set<String> resources() {
        return offered ? Set.of(CARDS) : Set.of();
    }

    @Override
    public Map<String, Integer> annotations() {
        return Stream.concat(READ.stream(), WITHOUT_EFFECT.stream())
                .collect(Collectors.toMap(
                        Function.identity(), key -> selectors().containsKey(key) ? SelectorCodec.LONGEST : 64));
    }

    /** An empty list has no effect. */
    @Override
    public Map<String, Function<String, CardSelector>> selectors() {
        Map<String, Function<String, CardSelector>> selectors = new LinkedHashMap<>();
        selectors.put(USE_TYPE, text -> list(CardFact.MODEL, Test.LIKE, text));
        selectors.put(NO_TYPE, text -> list(CardFact.MODEL, Test.NOT_LIKE, text));
        selectors.put(USE_UUID, text -> list(CardFact.UUID, Test.IN, text));
        selectors.put(NO_UUID, text -> list(CardFact.UUID, Test.NOT_IN, text));
        selectors.put(USE_INDEX, text -> list(CardFact.INDEX, Test.IN, text));
        selectors.put(NO_INDEX, text -> list(CardFact.INDEX, Test.NOT_IN, text));
        return selectors;
    }

    private static CardSelector list(CardFact fact, Test test, String text) {
        List<FactValue> values = SelectorParser.list(fact, text);
        return values.isEmpty() ? CardSelector.ANY : new CardSelector(List.of(new CardCondition(fact, test, values)));
    }

    /**
     * A key in the form of those that select cards, or almost one that is read. HAMi writes further keys into pods
     * itself.
     */
    @Override
    public Optional<String> misspelt(String key) {
        boolean hamis = key.startsWith("nvidia.com/") || key.startsWith("hami.io/");
        if (!hamis || READ.contains(key) || WITHOUT_EFFECT.contains(key)) {
            return Optional.empty();
        }
        return key.startsWith("nvidia.com/use-")
                        || key.startsWith("nvidia.com/nouse-")
                        || NearestName.of(key, READ).isPresent()
                ? Optional.of(
                        PodAnnotations.misspelt(key, READ, ": of these keys there are " + String.join(", ", READ)))
                : Optional.empty();
    }

    @Override
    public String resource(Share request) {
        return CARDS;
    }

    @Override
    public Share request(ContainerResources container, Map<String, String> annotations) {
        return offered ? exclusive(request(container), annotations) : Share.NONE;
    }

    @Override
    public Share requestOfBound(ContainerResources container, Map<String, String> annotations) {
        boolean slots = offered
                || (named(container)
                        && AllocationCodec.decode(annotations)
                                .valid()
                                .filter(Allocation::slotted)
                                .isPresent());
        return slots ? exclusive(request(container), annotations) : Share.NONE;
    }

    @Override
    public Optional<String> mistake(
            Demand amounts, List<ContainerResources> containers, Map<String, String> annotations) {
        return amounts.slotted() && onInstances(annotations)
                ? mistakeOnInstances(amounts)
                : containers.stream()
                        .flatMap(container -> unsupported.stream()
                                .filter(name -> !container
                                        .quantities()
                                        .getOrDefault(name, "0")
                                        .equals("0"))
                                .map(name -> "container '" + container.name() + "' requests " + name
                                        + ", which GPU Share does not support: remove it, and request a part of a card"
                                        + " in " + names.memory() + " or whole cards in " + names.cards()))
                        .findFirst();
    }

    @Override
    public CardSelector selector(Demand amounts, Map<String, String> annotations) {
        return amounts.slotted() && onInstances(annotations) ? INSTANCES : CardSelector.ANY;
    }

    @Override
    public Optional<NamedPolicy> policy(Optional<Demand> demand, Map<String, String> annotations) {
        return demand.filter(Demand::slotted)
                .flatMap(_ -> policy(annotations))
                .map(name -> new NamedPolicy(NODE_POLICY, name));
    }

    @Override
    public Optional<String> difference(Inventory node) {
        if (node.servesClaims()) {
            return Optional.empty(); // no pod is placed there, whatever it requests
        }
        boolean slots = node.beside().slots() > 0;
        if (slots != offered) {
            return Optional.of("its device plugin " + (slots ? "has" : "lacks") + " --hami, and the extender "
                    + (slots ? "lacks" : "has") + " it: no pod that requests " + CARDS
                    + " is placed there, set it for both");
        }
        return slots && !node.unit().equals(unit)
                ? Optional.of("its device plugin counts memory in units of " + node.unit()
                        + ", and the extender in units of " + unit + ": no pod that requests " + CARDS
                        + " is placed there, set the same --memory-unit for both")
                : Optional.empty();
    }

    /** What is invalid for this project may be a whole card for HAMi. */
    @Override
    public Optional<ForeignPod> foreign(
            List<ContainerResources> containers, Map<String, String> annotations, String node) {
        List<ContainerDemand> slots = containers.stream()
                .filter(container -> offered && inSlots(container).slots() > 0)
                .map(container -> new ContainerDemand(container.name(), container.role(), inSlots(container)))
                .toList();
        return slots.isEmpty() ? Optional.empty() : Optional.of(HamiPod.of(annotations, node, slots));
    }

    private Share inSlots(ContainerResources container) {
        try {
            return request(container);
        } catch (IllegalArgumentException e) {
            return Share.SLOTTED_CARD;
        }
    }

    /** Whether the container names one of these resources, even with the amount 0. */
    private static boolean named(ContainerResources container) {
        return container.quantities().containsKey(CARDS)
                || PARTS.stream().anyMatch(container.quantities()::containsKey);
    }

    /**
     * The request over all cards; none for 0 cards.
     *
     * @throws IllegalArgumentException with a sentence for the user if an amount is invalid
     */
    private Share request(ContainerResources container) {
        int cards = container.amount(CARDS);
        int mib = container.amount(MEMORY);
        int percentage = container.amount(PERCENTAGE);
        int cores = Math.min(ALL, container.amount(CORES));
        if (cards == 0) {
            for (String part : PARTS) {
                if (container.amount(part) > 0) {
                    throw new IllegalArgumentException("container '" + container.name() + "' requests " + part
                            + " and no " + CARDS + ": add " + CARDS + ": 1, as HAMi's webhook does");
                }
            }
            return Share.NONE;
        }
        if (percentage > ALL) {
            throw new IllegalArgumentException("container '" + container.name() + "' requests " + percentage + " in "
                    + PERCENTAGE + ": write 1 to 100, the part of each card's memory");
        }
        try {
            if (alone(container)) {
                return Share.whole(cards).plus(Share.slots(cards));
            }
            return Share.memory(Math.multiplyExact(cards, units(mib)))
                    .plus(Share.cores(Math.multiplyExact(cards, cores)))
                    .plus(Share.slots(cards))
                    .plus(Share.part(mib > 0 ? 0 : Math.multiplyExact(cards, percentage)));
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException(
                    "container '" + container.name() + "' requests more than any node could have", e);
        }
    }

    /** Whether it has its cards alone, with all of their memory. */
    private static boolean alone(ContainerResources container) {
        return container.amount(CORES) >= ALL
                || (container.amount(MEMORY) == 0 && container.amount(PERCENTAGE) % ALL == 0);
    }

    /** Whether the pod accepts MIG instances only. HAMi gives each of its cards an instance of its own. */
    private static boolean onInstances(Map<String, String> annotations) {
        return annotations.getOrDefault(MODE, "").strip().equals("mig");
    }

    /** The words of HAMi's policy for cards, in their order. */
    private static List<String> cardPolicies(Map<String, String> annotations) {
        return COMMA.splitAsStream(annotations.getOrDefault(CARD_POLICY, ""))
                .map(String::strip)
                .filter(word -> !word.isEmpty())
                .toList();
    }

    /** The policy that the pod asks for, for nodes or else for cards: here one policy chooses both. */
    private static Optional<String> policy(Map<String, String> annotations) {
        return Optional.ofNullable(annotations.get(NODE_POLICY))
                .or(() -> cardPolicies(annotations).stream()
                        .filter(PLACING::contains)
                        .findFirst());
    }

    /** The same request, of whole cards where the pod asks for cards that nobody else uses. */
    private static Share exclusive(Share request, Map<String, String> annotations) {
        return request.slots() > 0 && cardPolicies(annotations).contains(MUTEX)
                ? Share.whole(request.slots()).plus(Share.slots(request.slots()))
                : request;
    }

    private List<String> amountNotes(ContainerResources container) {
        List<String> notes = new ArrayList<>();
        int mib = container.amount(MEMORY);
        long rounded = units(mib) * unit.size().mib();
        if (mib > 0 && alone(container)) {
            notes.add("container '" + container.name() + "' requests all cores of its cards, and gets their memory"
                    + " too: nobody else can use it");
        } else if (rounded - mib > mib / 10) {
            notes.add("container '" + container.name() + "' gets " + rounded + " MiB for the " + mib + " of " + MEMORY
                    + ": the cluster counts memory in units of " + unit);
        }
        if (container.amount(CORES) > ALL) {
            notes.add("container '" + container.name() + "' requests " + container.amount(CORES) + " in " + CORES
                    + ", and gets 100: a card has no more");
        }
        return notes;
    }

    private static List<String> cardNotes(Map<String, String> annotations) {
        List<String> notes = new ArrayList<>();
        Optional<String> policy = policy(annotations);
        for (String word : cardPolicies(annotations)) {
            if (word.equals(MUTEX)) {
                notes.add("annotation " + CARD_POLICY + ": " + MUTEX + " gives the pod its cards alone, until it ends");
            } else if (!word.equals(DEFAULT) && !policy.equals(Optional.of(word))) {
                notes.add("annotation " + CARD_POLICY + ": " + Printable.quoted(word)
                        + " has no effect here"
                        + policy.map(named -> ", policy " + Printable.quoted(named) + " chooses nodes and cards")
                                .orElse(""));
            }
        }
        return notes;
    }

    private int units(int mib) {
        return unit.unitsCovering(mib, MemoryUnit.ofMib(1));
    }

    /** One sentence for each request that has another effect than at HAMi. */
    @Override
    public List<String> notes(Demand demand, List<ContainerResources> containers, Map<String, String> annotations) {
        if (!demand.slotted()) {
            return List.of();
        }
        List<String> notes = cardNotes(annotations);
        if (onInstances(annotations)) {
            notes.add("annotation " + MODE
                    + ": mig places the pod on MIG instances that exist, and other pods may share them");
        }
        for (ContainerResources container : containers) {
            try {
                notes.addAll(amountNotes(container));
            } catch (IllegalArgumentException e) {
                // A bound pod's amount can't be read: it holds its cards all the same, see inSlots.
                continue;
            }
            if (container.quantities().containsKey(PRIORITY)) {
                notes.add("container '" + container.name() + "' requests " + PRIORITY
                        + ", which has no effect here: it orders programs in HAMi's preload library");
            }
        }
        WITHOUT_EFFECT.stream()
                .filter(annotations::containsKey)
                .map(key -> "annotation " + key + " has no effect here")
                .forEach(notes::add);
        return notes;
    }
}
