package io.gpushare.model;

import java.util.List;
import java.util.function.Function;
import java.util.function.ToIntFunction;

/** What a pod asks for, by container, in the order in which they start; containers that ask for nothing are left out. */
public record Demand(List<ContainerDemand> containers) {
    public Demand {
        containers = List.copyOf(containers);
        if (containers.isEmpty()) {
            throw new IllegalArgumentException("a demand asks for something");
        }
        if (containers.stream().map(ContainerDemand::name).distinct().count() != containers.size()) {
            throw new IllegalArgumentException("container names of a pod are unique");
        }
        for (int i = 1; i < containers.size(); i++) {
            if (containers.get(i - 1).role() == ContainerRole.APP
                    && containers.get(i).role() != ContainerRole.APP) {
                throw new IllegalArgumentException("init containers and sidecars come before the apps");
            }
        }
    }

    /** The most memory units that are held at one time; 0 for a pod of whole cards only. */
    public int memoryUnits() {
        return peak(containers, ContainerDemand::role, ContainerDemand::memoryUnits);
    }

    /** The most whole cards that are held at one time; 0 for a pod of memory only. */
    public int cards() {
        return peak(containers, ContainerDemand::role, ContainerDemand::cards);
    }

    /**
     * The most that containers hold at one time: each init container runs alone beside the sidecars before it, the apps
     * run together beside all sidecars. This is the rule by which Kubernetes itself sums a pod's requests.
     */
    static <C> int peak(List<C> containers, Function<C, ContainerRole> role, ToIntFunction<C> amount) {
        int sidecars = 0;
        int apps = 0;
        int most = 0;
        for (C container : containers) {
            int asked = amount.applyAsInt(container);
            switch (role.apply(container)) {
                case INIT -> most = Math.max(most, Math.addExact(sidecars, asked));
                case SIDECAR -> sidecars = Math.addExact(sidecars, asked);
                case APP -> apps = Math.addExact(apps, asked);
            }
        }
        return Math.max(most, Math.addExact(sidecars, apps));
    }
}
