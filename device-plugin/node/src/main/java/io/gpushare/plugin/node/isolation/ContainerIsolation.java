package io.gpushare.plugin.node.isolation;

import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Isolation;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.Share;
import io.gpushare.model.card.ShareKind;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What a container needs in order to be held to its share, decided from its shares and from what is in force there. */
public sealed interface ContainerIsolation {
    /** A file or directory of the node that the container gets. */
    record Mount(String hostPath, String containerPath, boolean readOnly) {}

    /**
     * What it may use of one card.
     *
     * @param percents the percentages of the card; of a kind that is 0 the container may use all
     */
    record Limit(Memory memory, Share percents) {}

    /**
     * Its settings; all are empty where nothing is enforced.
     *
     * @param limits what it may use, by card on which that is enforced
     */
    record Settings(Map<String, String> environment, List<Mount> mounts, Map<CardId, Limit> limits)
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
    record Refused(String reason) implements ContainerIsolation {}

    /** Decides for a container with its shares. */
    static ContainerIsolation of(StartingContainer container, Inventory inventory, IsolationProvider provider) {
        ContainerAllocation allocation = container.allocation();
        Map<CardId, Limit> limits = new LinkedHashMap<>();
        for (CardId id : allocation.visibleCards()) {
            Optional<Card> card = inventory.card(id);
            Share share = allocation.on(id);
            if (card.isEmpty() || share.units() == 0) {
                continue; // nothing limits the container of a whole card
            }
            if (card.get().isolation().closed()) {
                return new Refused("card " + id + " offers no memory: "
                        + card.get().isolation().missing());
            }
            Isolation inForce = card.get().isolation().inForce();
            for (ShareKind kind : ShareKind.PERCENTS) {
                if (kind.in(share) > 0 && share.slots() == 0 && !inForce.limits(kind)) {
                    return new Refused("card " + id + " does not limit " + kind + ": " + inForce.lacks(kind));
                }
            }
            if (inForce != Isolation.NONE) {
                Memory memory = new Memory(inventory.unit().size().bytes() * share.units());
                int cores = card.get().isolation().coresOf(share, inventory.capacityOf(card.get()));
                limits.put(
                        id,
                        new Limit(memory, share.without(kind -> !kind.percent()).with(ShareKind.CORES, cores)));
            }
        }
        return limits.isEmpty() ? Settings.NONE : provider.settings(container, limits);
    }
}
