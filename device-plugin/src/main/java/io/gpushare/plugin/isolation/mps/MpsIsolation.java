package io.gpushare.plugin.isolation.mps;

import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Isolation;
import io.gpushare.model.card.Memory;
import io.gpushare.plugin.isolation.ContainerIsolation;
import io.gpushare.plugin.isolation.IsolationProvider;
import io.gpushare.plugin.isolation.StartingContainer;
import io.gpushare.plugin.node.NodeSnapshot;
import java.util.Map;
import java.util.Optional;

/** Makes containers clients of MPS. No supervisor of this version runs it yet, so no card can have it. */
public final class MpsIsolation implements IsolationProvider {
    @Override
    public Isolation isolation() {
        return Isolation.MPS;
    }

    @Override
    public Optional<String> missing(Card card, Inventory inventory) {
        return Optional.of("no MPS supervisor serves this node");
    }

    @Override
    public ContainerIsolation settings(Map<CardId, Memory> limits, int cards) {
        return new ContainerIsolation.Refused("no MPS supervisor serves this node");
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
