package io.gpushare.plugin.isolation;

import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Isolation;
import io.gpushare.model.card.Memory;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** What a container needs in order to be held to its share, decided from its shares and from what is in force there. */
public sealed interface ContainerIsolation {
    /** A directory of the node that the container gets. */
    record Mount(String hostPath, String containerPath, boolean readOnly) {
        public Mount {
            Objects.requireNonNull(hostPath);
            Objects.requireNonNull(containerPath);
        }
    }

    /**
     * Its settings; all are empty where nothing is enforced.
     *
     * @param limits the memory that it may use, by card on which that is enforced
     */
    record Settings(Map<String, String> environment, List<Mount> mounts, Map<CardId, Memory> limits)
            implements ContainerIsolation {
        /** Nothing is enforced. */
        public static final Settings NONE = new Settings(Map.of(), List.of(), Map.of());

        public Settings {
            environment = Map.copyOf(environment);
            mounts = List.copyOf(mounts);
            limits = Map.copyOf(limits);
        }
    }

    /** The container can't be isolated; the reason is a sentence for the user. */
    record Refused(String reason) implements ContainerIsolation {
        public Refused {
            Objects.requireNonNull(reason);
        }
    }

    /** Decides for a container with these shares. */
    static ContainerIsolation of(ContainerAllocation allocation, Inventory inventory, IsolationProvider provider) {
        Map<CardId, Memory> limits = new LinkedHashMap<>();
        for (CardId id : allocation.visibleCards()) {
            Optional<Card> card = inventory.card(id);
            int units = allocation.on(id).units();
            if (card.isEmpty() || units == 0) {
                continue; // nothing limits the container of a whole card
            }
            if (card.get().isolation().closed()) {
                return new Refused("card " + id + " offers no memory: "
                        + card.get().isolation().missing());
            }
            if (card.get().isolation().inForce() != Isolation.NONE) {
                limits.put(id, new Memory(inventory.unit().size().bytes() * units));
            }
        }
        return limits.isEmpty()
                ? Settings.NONE
                : provider.settings(limits, allocation.visibleCards().size());
    }
}
