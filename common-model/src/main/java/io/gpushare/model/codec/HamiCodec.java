package io.gpushare.model.codec;

import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.Share;
import java.util.ArrayList;
import java.util.List;

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
                return new Share(0, cards, 0, cards, 0);
            }
            return new Share(
                    Math.multiplyExact(cards, units(mib)),
                    0,
                    Math.multiplyExact(cards, cores),
                    cards,
                    mib > 0 ? 0 : Math.multiplyExact(cards, percentage));
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

    MemoryUnit unit() {
        return unit;
    }

    private int units(int mib) {
        return unit.unitsCovering(mib, MemoryUnit.ofMib(1));
    }

    /** What the user should know of these requests: one sentence for each that has another effect than at HAMi. */
    List<String> notes(List<ContainerResources> containers) {
        List<String> notes = new ArrayList<>();
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
