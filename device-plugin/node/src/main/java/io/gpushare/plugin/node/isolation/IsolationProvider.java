package io.gpushare.plugin.node.isolation;

import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.plugin.node.holdings.Holdings;
import io.gpushare.plugin.node.usage.CardUsages;
import java.util.Map;
import java.util.Optional;

/** One way to hold containers to their shares; by default there is none, and memory is only counted. */
public interface IsolationProvider {
    /** Why that card can't have it, as a sentence; empty if it can. */
    default Optional<String> missing(Card card, Inventory inventory) {
        return Optional.empty();
    }

    /**
     * What a card needs beside the limits of its containers while these use all of them, and beside what the driver
     * reserves: the driver uses 8 MiB while programs compute, as measured on an H100.
     */
    default Memory beside() {
        return Memory.ofMib(8);
    }

    /**
     * What a container with these limits needs. It decides on values only.
     *
     * @param limits what it may use, by card that has this isolation; not empty
     */
    default ContainerIsolation settings(StartingContainer container, Map<CardId, ContainerIsolation.Limit> limits) {
        return ContainerIsolation.Settings.NONE;
    }

    /**
     * Puts the isolation of a container into force before it starts, and waits for it if necessary; the kubelet waits
     * as well, but no other pod does.
     *
     * @return why the container can't start, as a sentence; empty if it may
     */
    default Optional<String> enforce(StartingContainer container, Holdings holdings) {
        return Optional.empty();
    }

    /** What was done so far to keep it in force, by kind, for metrics. */
    default Map<String, Long> repairs() {
        return Map.of();
    }

    /** What runs for it on each card, for metrics. */
    default Map<CardId, Figures> figures() {
        return Map.of();
    }

    /** The usage of the cards without the processes that belong to the isolation itself. */
    default CardUsages ofOthers(CardUsages usages) {
        return usages;
    }

    /**
     * What runs for the isolation of one card.
     *
     * @param phase its state, in small letters
     * @param clients the processes that compute under it
     * @param failures how often it had to be started again within ten minutes
     * @param processLimit the most memory that one process may have
     */
    record Figures(String phase, long clients, long failures, Memory processLimit) {}

    /** Compares what is in force on the node with what should be, and repairs it. It is called every two seconds. */
    default void reconcile(Holdings holdings) {}
}
