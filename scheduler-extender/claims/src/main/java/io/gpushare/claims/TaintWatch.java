package io.gpushare.claims;

import io.gpushare.extender.ledger.Ledger;
import io.gpushare.kubernetes.Informer;
import io.gpushare.kubernetes.KubernetesApi;
import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.time.PeriodicTask;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches the DeviceTaintRules of the cluster, in the newest version that the API server has, and shows the ledger the
 * taints of cards. Without the feature nothing is watched: most clusters do not have it.
 */
final class TaintWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TaintWatch.class);
    private static final Duration RETRY = Duration.ofSeconds(5);
    /** An update of Kubernetes brings another version, or the feature. */
    private static final Duration LOOK_AGAIN = Duration.ofMinutes(5);
    /** A tool may write hundreds of rules at once. */
    private static final Duration TOGETHER = Duration.ofMillis(100);

    private final KubernetesApi api;
    private final Ledger ledger;
    private final PeriodicTask task = new PeriodicTask("taint-rules", this::look);
    private final PeriodicTask showing = PeriodicTask.onRequest("tainted-cards", TOGETHER, this::show);
    private final TaintRules rules = new TaintRules(showing::runSoon);
    private String version = "";
    private @Nullable Informer informer;

    TaintWatch(KubernetesApi api, Ledger ledger) {
        this.api = api;
        this.ledger = ledger;
    }

    void start() {
        showing.start();
        task.start();
    }

    private Duration show() {
        ledger.updateTaints(rules.taints());
        return PeriodicTask.ON_REQUEST;
    }

    private Duration look() {
        try {
            watch(api.resources().taintRuleVersion().orElse(""));
            return LOOK_AGAIN;
        } catch (KubernetesException _) {
            return RETRY; // the watches of nodes and pods say that the API server does not answer
        }
    }

    private synchronized void watch(String now) {
        if (now.equals(version)) {
            return;
        }
        if (informer != null) {
            informer.close();
            informer = null;
            rules.clear();
        }
        if (!now.isEmpty()) {
            informer = api.resources().watchTaintRules(now, rules);
            LOG.info("watching the DeviceTaintRules of {}", now);
        }
        version = now;
    }

    @Override
    public void close() {
        task.close();
        showing.close();
        synchronized (this) {
            if (informer != null) {
                informer.close();
            }
        }
    }
}
