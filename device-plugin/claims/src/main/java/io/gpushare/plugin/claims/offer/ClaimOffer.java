package io.gpushare.plugin.claims.offer;

import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.kubernetes.ResourceApi;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.NoCards;
import io.gpushare.plugin.claims.dra.DraSockets;
import io.gpushare.plugin.claims.slices.SlicePublisher;
import io.gpushare.plugin.node.cluster.InventoryPublisher;
import io.gpushare.plugin.node.holdings.LatestHoldings;
import io.gpushare.time.PeriodicTask;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Offers the latest cards as devices of claims. Before the first offer the claims of earlier processes
 * are counted. The extender learns that it must not place pods here.
 */
public final class ClaimOffer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ClaimOffer.class);
    private static final Duration AGAIN = Duration.ofSeconds(2);
    private static final int FAILED = 1;
    private static final int INVALID_OPTIONS = 2;

    private final LatestHoldings latest;
    private final ResourceApi resources;
    private final ClaimCalls calls;
    private final DraSockets kubelet;
    private final SlicePublisher slices;
    private final InventoryPublisher inventory;
    private final IntConsumer exit;
    private final PeriodicTask task = PeriodicTask.onRequest("claims", Duration.ZERO, this::step);
    private boolean begun;
    private String problem = "";
    private @Nullable Inventory offered;

    /** @param exit ends the program with that code */
    public ClaimOffer(
            LatestHoldings latest,
            ResourceApi resources,
            ClaimCalls calls,
            DraSockets kubelet,
            SlicePublisher slices,
            InventoryPublisher inventory,
            IntConsumer exit) {
        this.latest = latest;
        this.resources = resources;
        this.calls = calls;
        this.kubelet = kubelet;
        this.slices = slices;
        this.inventory = inventory;
        this.exit = exit;
    }

    public ClaimOffer start() {
        task.start();
        return this;
    }

    /** The cards may have changed; returns at once. */
    public void changed() {
        task.runSoon();
    }

    /** Why no pod can get cards here by claims, as a sentence; empty if one can. */
    public Optional<String> problem() {
        @Nullable NoCards none = latest.inventory().noCards();
        if (none != null) {
            return Optional.of(none.sentences());
        }
        return kubelet.problem().or(slices::problem);
    }

    private Duration step() {
        if (!begun && !begin()) {
            return AGAIN;
        }
        Inventory now = latest.inventory();
        if (!now.equals(offered)) {
            offered = now;
            // The kubelet's registration publishes the slices. Before it, those of the last process stay, unless a card
            // is in use: who published them did not know that.
            if (now.cards().stream().anyMatch(card -> card.inUseBy() != null)
                    || kubelet.problem().isEmpty()) {
                slices.changed();
            }
            kubelet.changed();
            inventory.publish(now.withNoCards(new NoCards(NoCards.Cause.SERVES_CLAIMS)));
        }
        return PeriodicTask.ON_REQUEST;
    }

    private boolean begin() {
        try {
            if (!resources.served()) {
                LOG.error("--serve=dra needs Kubernetes 1.34 or newer: this API server has no resource.k8s.io/v1. Use"
                        + " --serve=device-plugin");
                exit.accept(INVALID_OPTIONS);
                return false;
            }
            calls.begin();
            begun = true;
        } catch (KubernetesException e) {
            if (!problem.equals(e.getMessage())) {
                problem = String.valueOf(e.getMessage());
                LOG.warn("claims are not served yet: {}", problem);
            }
        } catch (IOException e) {
            LOG.error("claims can't be served: {}", e.toString());
            exit.accept(FAILED);
        }
        return begun;
    }

    @Override
    public void close() {
        task.close();
    }
}
