package io.gpushare.plugin.snapshot;

import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import java.util.Optional;
import java.util.function.Predicate;

/** A card as the response to an Allocate call names it for the container runtime. */
public sealed interface NamedCard {
    /** By UUID, as this plugin does in variables and CDI names, and gpushare on a node with one card. */
    record ByUuid(CardId id) implements NamedCard {
        @Override
        public Optional<CardId> in(Inventory inventory) {
            return Optional.of(id);
        }
    }

    /** By NVML's index, as gpushare does: the container runtime reads a number in the variable as that. */
    record ByIndex(int index) implements NamedCard {
        @Override
        public Optional<CardId> in(Inventory inventory) {
            return first(inventory, card -> card.index() == index);
        }
    }

    /** By the minor number of its device file. */
    record ByMinor(int minor) implements NamedCard {
        @Override
        public Optional<CardId> in(Inventory inventory) {
            return first(inventory, card -> Integer.valueOf(minor).equals(card.minor()));
        }
    }

    /** The card of that name on this node; empty if it has none. */
    Optional<CardId> in(Inventory inventory);

    private static Optional<CardId> first(Inventory inventory, Predicate<Card> named) {
        return inventory.cards().stream().filter(named).map(Card::id).findFirst();
    }
}
