package io.gpushare.plugin.allocate.admission;

import io.gpushare.kubernetes.EventSubject;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.plugin.node.holdings.LatestHoldings;
import io.gpushare.plugin.node.isolation.IsolationPolicy;
import io.gpushare.plugin.node.isolation.IsolationProvider;
import io.gpushare.plugin.node.isolation.enforcement.HeadroomInUse;
import io.gpushare.plugin.node.isolation.enforcement.MissingIsolation;
import io.gpushare.plugin.node.isolation.enforcement.NodeIsolation;

/** Isolation for tests. */
public final class TestIsolation {
    private TestIsolation() {}

    /** A node without isolation. */
    public static NodeIsolation none() {
        return new NodeIsolation(
                IsolationPolicy.NONE,
                new IsolationProvider() {},
                new LatestHoldings(Inventory.empty(MemoryUnit.GIB), () -> {}),
                new MissingIsolation(new EventSubject.Node("n1"), (_, _) -> {}),
                new HeadroomInUse(new EventSubject.Node("n1"), (_, _) -> {}));
    }
}
