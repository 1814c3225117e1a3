package io.gpushare.model.selector;

import io.gpushare.model.card.Card;
import io.gpushare.model.card.Inventory;
import org.jspecify.annotations.Nullable;

/** What can be asked of a card; the driver's versions are the same for all cards of a node. */
public enum CardFact {
    MODEL,
    MEMORY,
    COMPUTE,
    ECC,
    MIG,
    CUDA,
    DRIVER,
    NUMA,
    UUID;

    /** Whether cards of one kind differ in it. */
    boolean ofOneCard() {
        return this == NUMA || this == UUID;
    }

    /** What that card tells; null when it does not. */
    @Nullable
    FactValue of(Card card, Inventory.@Nullable Driver driver) {
        return switch (this) {
            case MODEL -> new FactValue.Model(card.model());
            case MEMORY -> new FactValue.Amount(card.memory());
            case COMPUTE ->
                card.compute() == null
                        ? null
                        : FactValue.Version.of(
                                card.compute().major(), card.compute().minor());
            case ECC -> flag(card.ecc());
            case MIG -> flag(card.mig());
            case CUDA -> driver == null ? null : FactValue.Version.leading(driver.cuda());
            case DRIVER -> driver == null ? null : FactValue.Version.leading(driver.version());
            case NUMA -> card.numaNode() == null ? null : new FactValue.Whole(card.numaNode());
            case UUID -> new FactValue.Identity(card.id());
        };
    }

    private static @Nullable FactValue flag(@Nullable Boolean value) {
        return value == null ? null : new FactValue.Flag(value);
    }
}
