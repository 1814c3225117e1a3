package io.gpushare.plugin.isolation;

import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.plugin.snapshot.NodeSnapshot;
import java.util.Map;
import java.util.Optional;

/** No isolation: memory is counted, and nothing holds a container to its share. */
public final class CountedMemory implements IsolationProvider {
    @Override
    public Optional<String> missing(Card card, Inventory inventory) {
        return Optional.empty();
    }

    @Override
    public ContainerIsolation settings(Map<CardId, ContainerIsolation.Limit> limits, int cards) {
        return ContainerIsolation.Settings.NONE;
    }

    @Override
    public Optional<String> enforce(StartingContainer container, NodeSnapshot snapshot) {
        return Optional.empty();
    }

    @Override
    public void reconcile(NodeSnapshot snapshot) {
        // Nothing is in force.
    }
}
