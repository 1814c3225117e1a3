package io.gpushare.extender.claims;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.running.TestApiServer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * An API server without claims, as Kubernetes before 1.34: everything else works, and claims are shown once it has
 * them.
 */
class UnservedClaimsIT extends WithClaims {
    @BeforeEach
    @Override
    protected void startExtender() throws Exception {
        api = new TestApiServer();
        api.claimsServed(false);
        fill(api);
        extender = running().ready();
    }

    @Test
    void theExtenderWaitsForThem() throws Exception {
        api.node("a", TestApiServer.TWO_T4);
        memoryPod("ordinary", 3);
        await().until(() -> extender.ledger.state().nodes().size() == 2);
        assertThat(extender.bind("ordinary", "uid-ordinary", "a")).isEmpty();
        metric("gpushare_extender_informer_heard_timestamp_seconds{resource=\"claims\"} 0.0");

        api.claimsServed(true);
        running("share", "3Gi", "gpu-a");
        await().until(() -> !heard().equals("0.0"));
    }
}
