package io.gpushare.plugin.admission;

import io.gpushare.kubernetes.EventSubject;
import io.gpushare.plugin.isolation.IsolationPolicy;
import io.gpushare.plugin.isolation.IsolationProvider;
import io.gpushare.plugin.isolation.enforcement.HeadroomInUse;
import io.gpushare.plugin.isolation.enforcement.MissingIsolation;
import io.gpushare.plugin.isolation.enforcement.NodeIsolation;
import io.gpushare.plugin.state.LatestSnapshot;
import java.time.InstantSource;
import java.util.Optional;

/** Isolation for tests. */
final class TestIsolation {
    private TestIsolation() {}

    /** A node without isolation. */
    static NodeIsolation none(LatestSnapshot latest) {
        return new NodeIsolation(
                IsolationPolicy.NONE,
                new IsolationProvider() {},
                latest,
                _ -> Optional.empty(),
                new MissingIsolation(new EventSubject.Node("n1"), (_, _) -> {}),
                new HeadroomInUse(new EventSubject.Node("n1"), (_, _) -> {}),
                InstantSource.system());
    }
}
