package io.gpushare.plugin.offer;

import io.gpushare.model.claims.ResourceClaim;
import io.gpushare.plugin.claims.NodeClaims;
import io.gpushare.plugin.dra.DraSockets;
import io.gpushare.time.PeriodicTask;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** Serves the kubelet's calls for claims, once those of earlier processes are counted. */
public final class ClaimCalls implements AutoCloseable {
    private final NodeClaims claims;
    private final DraSockets kubelet;
    private final PeriodicTask sweep = PeriodicTask.onRequest("gone-claims", Duration.ZERO, this::sweep);
    private volatile List<ResourceClaim> recovered = List.of();

    public ClaimCalls(NodeClaims claims, DraSockets kubelet) {
        this.claims = claims;
        this.kubelet = kubelet;
    }

    /** Serves from now on. */
    public ClaimCalls begin() throws IOException {
        recovered = claims.recover();
        kubelet.start();
        sweep.start().runSoon();
        return this;
    }

    /** Reads the claims one at a time, while calls are served. */
    private Duration sweep() {
        recovered.forEach(claims::removeIfGone);
        recovered = List.of();
        return PeriodicTask.ON_REQUEST;
    }

    @Override
    public void close() {
        sweep.close();
    }
}
