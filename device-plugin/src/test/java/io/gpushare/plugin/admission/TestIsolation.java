package io.gpushare.plugin.admission;

import io.gpushare.kubernetes.EventSubject;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.plugin.holdings.LatestHoldings;
import io.gpushare.plugin.isolation.IsolationPolicy;
import io.gpushare.plugin.isolation.IsolationProvider;
import io.gpushare.plugin.isolation.enforcement.HeadroomInUse;
import io.gpushare.plugin.isolation.enforcement.MissingIsolation;
import io.gpushare.plugin.isolation.enforcement.NodeIsolation;

/** Isolation for tests. */
final class TestIsolation {
    private TestIsolation() {}

    /** A node without isolation. */
    static NodeIsolation none() {
        return new NodeIsolation(
                IsolationPolicy.NONE,
                new IsolationProvider() {},
                new LatestHoldings(Inventory.empty(MemoryUnit.GIB), () -> {}),
                new MissingIsolation(new EventSubject.Node("n1"), (_, _) -> {}),
                new HeadroomInUse(new EventSubject.Node("n1"), (_, _) -> {}));
    }
}
