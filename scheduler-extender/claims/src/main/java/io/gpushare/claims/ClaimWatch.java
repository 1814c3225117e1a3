package io.gpushare.claims;

import io.gpushare.extender.cluster.PodFeed;
import io.gpushare.extender.ledger.Ledger;
import io.gpushare.kubernetes.EventSubject;
import io.gpushare.kubernetes.Informer;
import io.gpushare.kubernetes.KubernetesApi;
import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.kubernetes.event.EventRecorder;
import io.gpushare.model.PodRef;
import io.gpushare.model.pod.PodState;
import io.gpushare.time.Machine;
import io.gpushare.time.PeriodicTask;
import io.gpushare.time.StartedParts;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches the claims of the cluster, as soon as the API server has them, and shows the ledger their cards. Beside
 * them it {@linkplain TaintWatch watches} the rules that taint cards.
 */
public final class ClaimWatch implements PodFeed, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ClaimWatch.class);
    private static final Duration RETRY = Duration.ofSeconds(5);
    private static final Duration LOOK = Duration.ofSeconds(30);
    private static final String KEPT = "GpuClaimsOfGonePods";

    private final KubernetesApi api;
    private final EventRecorder events;
    private final ClaimedPods pods;
    private final KeptClaims kept = new KeptClaims();
    private final PeriodicTask task = new PeriodicTask("claims", this::watch);
    private final PeriodicTask showing = PeriodicTask.onRequest("claimed-pods", Duration.ZERO, this::show);
    private final PeriodicTask looking = PeriodicTask.rounds("kept-claims", LOOK, this::look);
    private @Nullable Informer claims;
    private @Nullable Informer failures;
    private String waitsFor = "";

    private ClaimWatch(KubernetesApi api, Ledger ledger, EventRecorder events) {
        this.api = api;
        this.events = events;
        this.pods = new ClaimedPods(
                node -> ledger.nodeEntry(node).cards().inventory(),
                ledger::annotated,
                PodFeed.of(ledger),
                showing::runSoon,
                Machine.here()::nanos);
    }

    /** Starts to watch: a {@link PodFeed.Factory}. */
    public static PodFeed start(KubernetesApi api, Ledger ledger, EventRecorder events, StartedParts parts) {
        ClaimWatch watch = parts.add(new ClaimWatch(api, ledger, events));
        watch.showing.start();
        watch.task.start();
        watch.looking.start();
        parts.add(new TaintWatch(api, ledger)).start();
        return watch;
    }

    private void look() {
        kept.look(pods.withoutPods(), Machine.here().nanos())
                .forEach((node, sentence) -> events.warn(new EventSubject.Node(node), KEPT, sentence));
    }

    private Duration show() {
        return pods.work();
    }

    private Duration watch() {
        String why;
        try {
            if (api.resources().served()) {
                start();
                return PeriodicTask.ON_REQUEST;
            }
            why = "the API server does not serve resource.k8s.io/v1, which Kubernetes 1.34 and newer have";
        } catch (KubernetesException e) {
            why = String.valueOf(e.getMessage());
        }
        if (!why.equals(waitsFor)) {
            LOG.warn("claims are not shown until they can be watched: {}; without claims, remove --claims", why);
        }
        waitsFor = why;
        return RETRY;
    }

    private synchronized void start() {
        claims = api.resources().watchClaims(pods);
        failures = api.resources().watchPrepareFailures(pods.failures());
        LOG.info("watching the claims of the cluster");
    }

    @Override
    public void updatePod(PodState pod) {
        pods.updatePod(pod);
    }

    @Override
    public void removePod(PodRef pod) {
        pods.removePod(pod);
    }

    @Override
    public void nodeChanged(String name) {
        pods.nodeChanged(name);
    }

    @Override
    public PodState show(PodState pod) {
        return pods.show(pod);
    }

    @Override
    public Duration behind() {
        return pods.behind();
    }

    @Override
    public synchronized Map<String, Instant> heard() {
        return Map.of("claims", claims == null ? Instant.EPOCH : claims.lastHeard());
    }

    @Override
    public void close() {
        task.close();
        showing.close();
        looking.close();
        synchronized (this) {
            if (claims != null) {
                claims.close();
            }
            if (failures != null) {
                failures.close();
            }
        }
    }
}
