package io.gpushare.model.codec;

import io.gpushare.model.Demand;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.Share;
import io.gpushare.model.selector.CardSelector;
import io.gpushare.model.text.Printable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Decodes the requests of HAMi's users: {@code nvidia.com/gpu} cards, and of each of them memory ({@code gpumem} in
 * MiB, or {@code gpumem-percentage}) and cores ({@code gpucores} in percent). The names, the defaults and the limits
 * are those of HAMi 2.10 ({@code pkg/device/nvidia/device.go}):
 *
 * <ul>
 *   <li>A percentage counts only where {@code gpumem} is absent or 0, and 0 is none.
 *   <li>A container that requests neither, or all of the memory or the cores, has its cards alone.
 * </ul>
 *
 * <p>{@value AnnotationKeys#HAMI_CARD_POLICY} with the word {@code mutex} asks for a card without pods at that moment;
 * here no other pod joins it later.
 *
 * <p>Memory is rounded up to whole units; {@link Share#on} resolves a percentage.
 */
final class HamiCodec {
    static final String CARDS = "nvidia.com/gpu";

    private static final String MEMORY = "nvidia.com/gpumem";
    private static final String PERCENTAGE = "nvidia.com/gpumem-percentage";
    private static final String CORES = "nvidia.com/gpucores";
    private static final String PRIORITY = "nvidia.com/priority";

    /** What requests no card, and a part of one: no node reports these resources. */
    static final List<String> PARTS = List.of(MEMORY, PERCENTAGE, CORES);

    private static final Pattern COMMA = Pattern.compile(",");
    // What HAMi's policies for nodes and cards have in common.
    private static final Set<String> PLACING = Set.of("binpack", "spread");
    /** Only a card that nobody uses. */
    private static final String MUTEX = "mutex";
    /** Cards that are linked, for a pod with several: as every policy here. */
    private static final String DEFAULT = "topology-aware";

    /** The cards of a pod that asks for MIG instances. */
    static final CardSelector INSTANCES = SelectorCodec.parse("mig = on");

    /**
     * What is wrong with a pod that asks for MIG instances: without an amount of memory it would take cards whole, and
     * a program sees one instance at most.
     */
    static Optional<String> mistakeOnInstances(Demand demand) {
        String begin = "annotation " + AnnotationKeys.HAMI_MODE + ": mig gives a part of one MIG instance: request ";
        return demand.wholeCards() > 0
                ? Optional.of(begin + MEMORY + ", or an instance whole by its profile, such as "
                        + ResourceNames.INSTANCES + "3g.40gb, and remove the annotation")
                : demand.sharedCards() > 1
                        ? Optional.of(begin + CARDS + ": 1 in each container, since a program sees only one")
                        : Optional.empty();
    }

    private static final int ALL = 100;

    private final MemoryUnit unit;

    /** @param unit the memory unit of the cluster's nodes */
    HamiCodec(MemoryUnit unit) {
        this.unit = unit;
    }

    /** Whether the container names one of these resources, even with the amount 0. */
    static boolean named(ContainerResources container) {
        return container.quantities().containsKey(CARDS)
                || PARTS.stream().anyMatch(container.quantities()::containsKey);
    }

    /**
     * The request over all cards; none for 0 cards.
     *
     * @throws IllegalArgumentException with a sentence for the user if an amount is invalid
     */
    Share request(ContainerResources container) {
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
    static boolean onInstances(Map<String, String> annotations) {
        return annotations.getOrDefault(AnnotationKeys.HAMI_MODE, "").strip().equals("mig");
    }

    /** The words of HAMi's policy for cards, in their order. */
    private static List<String> cardPolicies(Map<String, String> annotations) {
        return COMMA.splitAsStream(annotations.getOrDefault(AnnotationKeys.HAMI_CARD_POLICY, ""))
                .map(String::strip)
                .filter(word -> !word.isEmpty())
                .toList();
    }

    /** The policy that the pod asks for, for nodes or else for cards: here one policy chooses both. */
    static Optional<String> policy(Map<String, String> annotations) {
        return Optional.ofNullable(annotations.get(AnnotationKeys.HAMI_NODE_POLICY))
                .or(() -> cardPolicies(annotations).stream()
                        .filter(PLACING::contains)
                        .findFirst());
    }

    /** The same request, of whole cards where the pod asks for cards that nobody else uses. */
    static Share request(Share request, Map<String, String> annotations) {
        return request.slots() > 0 && cardPolicies(annotations).contains(MUTEX)
                ? Share.whole(request.slots()).plus(Share.slots(request.slots()))
                : request;
    }

    private static List<String> cardNotes(Map<String, String> annotations) {
        List<String> notes = new ArrayList<>();
        Optional<String> policy = policy(annotations);
        for (String word : cardPolicies(annotations)) {
            if (word.equals(MUTEX)) {
                notes.add("annotation " + AnnotationKeys.HAMI_CARD_POLICY + ": " + MUTEX
                        + " gives the pod its cards alone, until it ends");
            } else if (!word.equals(DEFAULT) && !policy.equals(Optional.of(word))) {
                notes.add("annotation " + AnnotationKeys.HAMI_CARD_POLICY + ": " + Printable.quoted(word)
                        + " has no effect here"
                        + policy.map(named -> ", policy " + Printable.quoted(named) + " chooses nodes and cards")
                                .orElse(""));
            }
        }
        return notes;
    }

    MemoryUnit unit() {
        return unit;
    }

    private int units(int mib) {
        return unit.unitsCovering(mib, MemoryUnit.ofMib(1));
    }

    /** What the user should know of these requests: one sentence for each that has another effect than at HAMi. */
    List<String> notes(List<ContainerResources> containers, Map<String, String> annotations) {
        List<String> notes = cardNotes(annotations);
        if (onInstances(annotations)) {
            notes.add("annotation " + AnnotationKeys.HAMI_MODE
                    + ": mig places the pod on MIG instances that exist, and other pods may share them");
        }
        for (ContainerResources container : containers) {
            int mib = container.amount(MEMORY);
            long rounded = units(mib) * unit.size().mib();
            if (mib > 0 && alone(container)) {
                notes.add("container '" + container.name() + "' requests all cores of its cards, and gets their memory"
                        + " too: nobody else can use it");
            } else if (rounded - mib > mib / 10) {
                notes.add("container '" + container.name() + "' gets " + rounded + " MiB for the " + mib + " of "
                        + MEMORY + ": the cluster counts memory in units of " + unit);
            }
            if (container.amount(CORES) > ALL) {
                notes.add("container '" + container.name() + "' requests " + container.amount(CORES) + " in " + CORES
                        + ", and gets 100: a card has no more");
            }
            if (container.quantities().containsKey(PRIORITY)) {
                notes.add("container '" + container.name() + "' requests " + PRIORITY
                        + ", which has no effect here: it orders programs in HAMi's preload library");
            }
        }
        return notes;
    }
}
