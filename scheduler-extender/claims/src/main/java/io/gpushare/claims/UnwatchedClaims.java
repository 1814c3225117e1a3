package io.gpushare.claims;

import io.gpushare.extender.cluster.PodFeed;
import io.gpushare.extender.ledger.Ledger;
import io.gpushare.model.PodRef;
import io.gpushare.model.pod.PodState;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Shows the ledger pods as they are, and says once that a node serves claims, which nobody watches. */
public final class UnwatchedClaims implements PodFeed {
    private static final Logger LOG = LoggerFactory.getLogger(UnwatchedClaims.class);

    private final Ledger ledger;
    private final PodFeed direct;
    private final AtomicBoolean said = new AtomicBoolean();

    public UnwatchedClaims(Ledger ledger) {
        this.ledger = ledger;
        this.direct = PodFeed.of(ledger);
    }

    @Override
    public void updatePod(PodState pod) {
        direct.updatePod(pod);
    }

    @Override
    public void removePod(PodRef pod) {
        direct.removePod(pod);
    }

    @Override
    public void nodeChanged(String name) {
        if (ledger.nodeEntry(name).cards().inventory().servesClaims() && !said.getAndSet(true)) {
            LOG.warn(
                    "node {} serves claims, and what pods have by claims is not shown: set --claims (dra.enabled of the"
                            + " chart)",
                    name);
        }
    }
}
