package io.gpushare.model;

import io.gpushare.model.selector.CardSelector;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * What a pod asks for, by container, and which cards will do.
 *
 * @param containers in the order in which they start; those that ask for nothing are left out
 * @param split over how many cards the memory of each container is divided, the same cards for all of them
 * @param selector which cards it may have
 */
public record Demand(List<ContainerDemand> containers, int split, CardSelector selector) {
    public Demand {
        containers = List.copyOf(containers);
        Objects.requireNonNull(selector);
        if (containers.isEmpty()) {
            throw new IllegalArgumentException("a demand asks for something");
        }
        if (containers.stream().map(ContainerDemand::name).distinct().count() != containers.size()) {
            throw new IllegalArgumentException("container names of a pod are unique");
        }
        if (split < 1) {
            throw new IllegalArgumentException("memory can't be split over " + split + " cards");
        }
        for (ContainerDemand container : containers) {
            if (container.memoryUnits() % split != 0) {
                throw new IllegalArgumentException("container '" + container.name() + "' asks for "
                        + container.memoryUnits() + " units of memory on " + split
                        + " cards: ask for a multiple of " + split + ", so that each card gives the same");
            }
        }
        for (int i = 1; i < containers.size(); i++) {
            if (containers.get(i - 1).role() == ContainerRole.APP
                    && containers.get(i).role() != ContainerRole.APP) {
                throw new IllegalArgumentException("init containers and sidecars come before the apps");
            }
        }
    }

    /** All memory on one card, of any kind. */
    public Demand(List<ContainerDemand> containers) {
        this(containers, 1, CardSelector.ANY);
    }

    /** The part of one container alone, on the same terms. */
    public Demand only(ContainerDemand container) {
        return new Demand(List.of(container), split, selector);
    }

    /** The most memory units that are held at one time on each of its cards; 0 for a pod of whole cards only. */
    public int unitsOnEachCard() {
        return memoryUnits() / split;
    }

    /** The most memory units that are held at one time, on all cards; 0 for a pod of whole cards only. */
    public int memoryUnits() {
        return Math.toIntExact(peak(containers, ContainerDemand::role, ContainerDemand::memoryUnits));
    }

    /** The most whole cards that are held at one time; 0 for a pod of memory only. */
    public int cards() {
        return Math.toIntExact(peak(containers, ContainerDemand::role, ContainerDemand::cards));
    }

    /**
     * The most that containers hold at one time: each init container runs alone beside the sidecars before it, the apps
     * run together beside all sidecars. This is the rule by which Kubernetes itself sums a pod's requests.
     */
    public static <C> long peak(List<C> containers, Function<C, ContainerRole> role, ToLongFunction<C> amount) {
        long sidecars = 0;
        long apps = 0;
        long most = 0;
        for (C container : containers) {
            long asked = amount.applyAsLong(container);
            switch (role.apply(container)) {
                case INIT -> most = Math.max(most, Math.addExact(sidecars, asked));
                case SIDECAR -> sidecars = Math.addExact(sidecars, asked);
                case APP -> apps = Math.addExact(apps, asked);
            }
        }
        return Math.max(most, Math.addExact(sidecars, apps));
    }
}
