package io.gpushare.model.selector;

import io.gpushare.model.card.Card;
import io.gpushare.model.card.Inventory;
import org.jspecify.annotations.Nullable;

/** The facts that a pod can select cards by. The driver's versions are the same for all cards of a node. */
public enum CardFact {
    MODEL,
    MEMORY,
    COMPUTE,
    ECC,
    MIG,
    /** The profile of a MIG instance. */
    PROFILE,
    /** The physical card of a MIG instance. */
    PARENT,
    CUDA,
    DRIVER,
    NUMA,
    /** NVML's index of the card on its node. */
    INDEX,
    UUID,
    /** What holds containers to their share of the card. */
    ISOLATION;

    /** Whether cards of one model and size differ in it. */
    boolean ofOneCard() {
        return this == NUMA || this == INDEX || this == UUID || this == PARENT;
    }

    /** The value for that card; null where it is unknown. */
    public @Nullable FactValue of(Card card, Inventory.@Nullable Driver driver) {
        return switch (this) {
            case MODEL -> new FactValue.Model(card.model());
            case MEMORY -> new FactValue.Amount(card.memory());
            case COMPUTE ->
                card.details().compute() == null
                        ? null
                        : FactValue.Version.of(
                                card.details().compute().major(),
                                card.details().compute().minor());
            case ECC -> flag(card.details().ecc());
            // A card that can't have MIG does not report it.
            case MIG -> new FactValue.Flag(Boolean.TRUE.equals(card.details().mig()));
            case PROFILE -> card.profile() == null ? null : new FactValue.Profile(card.profile());
            case PARENT -> card.profile() == null ? null : new FactValue.Identity(card.physical());
            case CUDA -> driver == null ? null : FactValue.Version.leading(driver.cuda());
            case DRIVER -> driver == null ? null : FactValue.Version.leading(driver.version());
            case NUMA ->
                card.details().numaNode() == null
                        ? null
                        : new FactValue.Whole(card.details().numaNode());
            case INDEX -> new FactValue.Whole(card.index());
            case UUID -> new FactValue.Identity(card.id());
            case ISOLATION -> new FactValue.Enforced(card.isolation().inForce());
        };
    }

    private static @Nullable FactValue flag(@Nullable Boolean value) {
        return value == null ? null : new FactValue.Flag(value);
    }
}
