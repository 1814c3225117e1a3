package io.gpushare.plugin;

import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.card.Inventory;
import io.gpushare.plugin.isolation.ContainerIsolation;
import io.gpushare.plugin.isolation.StartGate;
import java.util.Optional;
import java.util.Set;

/** A node without isolation. */
final class UngatedStart implements StartGate {
    @Override
    public ContainerIsolation of(ContainerAllocation allocation, Inventory inventory) {
        return ContainerIsolation.Settings.NONE;
    }

    @Override
    public boolean gated() {
        return false;
    }

    @Override
    public Optional<String> start(Set<String> ids) {
        return Optional.empty();
    }
}
