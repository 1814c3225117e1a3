package io.gpushare.extender;

import io.gpushare.extender.cluster.ClusterInformers;
import io.gpushare.extender.cluster.Election;
import io.gpushare.extender.cluster.EventRecorder;
import io.gpushare.extender.cluster.Leadership;
import io.gpushare.extender.cluster.NodeLeasePoller;
import io.gpushare.extender.cluster.PodClient;
import io.gpushare.extender.cluster.Requeuer;
import io.gpushare.extender.cluster.WaitReporter;
import io.gpushare.extender.defrag.DefragAdvisor;
import io.gpushare.extender.eviction.PodConditions;
import io.gpushare.extender.eviction.PreemptionLoop;
import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.ledger.Reservation;
import io.gpushare.extender.metrics.ExtenderMetrics;
import io.gpushare.extender.metrics.MetricsSource;
import io.gpushare.extender.outcome.PlacementOutcomes;
import io.gpushare.extender.placement.Placer;
import io.gpushare.extender.policy.Policies;
import io.gpushare.extender.policy.PolicyKind;
import io.gpushare.extender.preemption.Preemption;
import io.gpushare.extender.preemption.PreemptionCounts;
import io.gpushare.extender.preemption.PreemptionMode;
import io.gpushare.extender.protocol.VerbRoutes;
import io.gpushare.extender.report.Explainer;
import io.gpushare.extender.report.WaitAdvice;
import io.gpushare.extender.report.WaitingPods;
import io.gpushare.extender.scheduling.Binder;
import io.gpushare.extender.scheduling.DecideIn;
import io.gpushare.extender.scheduling.NodeSelection;
import io.gpushare.extender.server.ExtenderServer;
import io.gpushare.extender.server.ServiceNames;
import io.gpushare.extender.usage.PluginMetricsClient;
import io.gpushare.extender.usage.WasteMonitor;
import io.gpushare.extender.view.routes.ViewAccess;
import io.gpushare.kubernetes.KubernetesApi;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.request.DemandCodec;
import io.gpushare.model.request.ResourceNames;
import io.gpushare.time.Clocks;
import io.gpushare.time.Rounds;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A running scheduler extender: the ledger, the informers that feed it, and the server that answers from it. */
public final class Extender implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Extender.class);
    private static final Path RESOLVER = Path.of("/etc/resolv.conf");
    private static final Duration CLOSE_GRACE = Duration.ofSeconds(5);
    private static final Duration POLICY_REVIEW = Duration.ofSeconds(1);
    private static final Duration RESERVATIONS = Duration.ofSeconds(5);
    private static final Duration UNKNOWN_BINDINGS = Duration.ofSeconds(15);
    // Longer than the API server works on any request: later, a Binding without a response no longer takes effect.
    private static final Duration UNKNOWN_BINDING_AGE = Duration.ofSeconds(75);

    /**
     * What it takes to start.
     *
     * @param kubeconfig null for the service account of the pod
     * @param memoryUnit that of the nodes, for requests in MiB
     * @param decideIn where kube-scheduler gets the policy's choice
     * @param preemption who evicts pods for pods of higher priority
     * @param viewHosts further names under which the view is served over plain HTTP
     * @param grafana where the page's links to dashboards lead; null for no links
     * @param pluginNamespace the namespace of the device plugins
     * @param nodeLeaseNamespace the namespace of their Leases
     * @param candidacy null for the only extender of the cluster
     */
    public record Settings(
            @Nullable Path kubeconfig,
            ResourceNames resources,
            MemoryUnit memoryUnit,
            PolicyKind policy,
            DecideIn decideIn,
            PreemptionMode preemption,
            ViewAccess.Access view,
            Set<String> viewHosts,
            @Nullable URI grafana,
            String pluginNamespace,
            String nodeLeaseNamespace,
            @Nullable Candidacy candidacy,
            ExtenderServer.Settings server) {
        /** Whether this process is one of several in pods, which callers reach through a Service. */
        boolean inPod() {
            return candidacy != null && candidacy.pod() != null;
        }
    }

    private final KubernetesApi api;
    private final Placer placer;
    private final Ledger ledger;
    private final Binder binder;
    private final ClusterInformers informers;
    private final NodeLeasePoller leases;
    private final Leadership leadership;
    private final ExtenderServer server;
    private final Clocks clocks;
    private final List<Thread> loops;

    private Extender(Settings settings, KubernetesApi api, Clocks clocks) throws IOException {
        this.api = api;
        this.clocks = clocks;
        DemandCodec demands = new DemandCodec(settings.resources(), settings.memoryUnit());
        @Nullable Candidacy candidacy = settings.candidacy();
        @Nullable Election election = candidacy == null ? null : candidacy.join(api);
        BooleanSupplier leads = election == null ? () -> true : election::held;
        EventRecorder events = EventRecorder.start(api, leads, clocks);
        placer = new Placer(
                demands,
                new Policies(settings.policy()),
                events,
                scoring -> Thread.ofPlatform().daemon().name("scorings").start(scoring),
                why -> LOG.error("can't weigh the cluster's cards; pods are placed by what was known before", why));
        ledger = placer.ledger();
        PodClient pods = new PodClient(api, leads);
        PlacementOutcomes outcomes = new PlacementOutcomes(System::nanoTime);
        binder = new Binder(placer, pods, outcomes, clocks.wall());
        informers = new ClusterInformers(api, ledger, outcomes, settings.pluginNamespace());
        NodeSelection selection =
                new NodeSelection(placer, outcomes, settings.decideIn(), informers::softTaints, clocks.steady());
        leases = NodeLeasePoller.of(api, settings.nodeLeaseNamespace(), ledger);
        leadership =
                Leadership.start(election, candidacy == null ? null : candidacy.label(api), informers, placer::prepare);
        BooleanSupplier ready = () -> leadership.unready().isEmpty();
        WaitingPods waiting = new WaitingPods(ledger);
        Explainer explainer = new Explainer(placer, selection, pods);
        PluginMetricsClient usage = new PluginMetricsClient(clocks.steady());
        WasteMonitor waste = new WasteMonitor(placer, usage, ready, clocks.wall());
        PreemptionCounts preemptions = new PreemptionCounts();
        PodConditions conditions = new PodConditions(informers::nodeFacts, counted(settings.resources()));
        PreemptionLoop preempting = new PreemptionLoop(
                new PreemptionLoop.Parts(api, placer, conditions, leads, ready, clocks, preemptions));
        ExtenderMetrics metrics = new ExtenderMetrics(
                settings.server().version(),
                new MetricsSource(
                        placer,
                        outcomes,
                        waiting,
                        preemptions,
                        leads,
                        ready,
                        this::heard,
                        informers::changes,
                        waste::report,
                        events::lost));
        server = serve(
                settings.server(),
                new ExtenderServer.Parts(
                        ledger,
                        new VerbRoutes.Parts(
                                selection,
                                new Preemption(placer, settings.preemption(), preempting::helps),
                                binder,
                                leadership::unready,
                                clocks.steady(),
                                metrics),
                        leadership::unavailable,
                        new ViewAccess(
                                explainer,
                                usage,
                                waste::report,
                                new DefragAdvisor(placer, api.evictions(), conditions),
                                settings.grafana(),
                                settings.server().version(),
                                settings.view(),
                                new ViewerReviews(api.reviews(), settings.pluginNamespace()),
                                ServiceNames.of(settings.pluginNamespace(), RESOLVER)
                                        .or(settings.viewHosts()::contains)
                                        .or(api::named))));
        loops = new ArrayList<>(List.of(
                leases.start(),
                Requeuer.start(api, waiting, ready, clocks),
                Rounds.start("unknown-bindings", UNKNOWN_BINDINGS, this::resolveUnknownBindings),
                Rounds.start("reservations", RESERVATIONS, this::endOldReservations),
                waste.start(),
                WaitReporter.start(api, new WaitAdvice(ledger, explainer), ready, clocks),
                Rounds.start("policy-review", POLICY_REVIEW, this::reviewPolicy)));
        if (settings.preemption() == PreemptionMode.AUTO) {
            loops.add(preempting.start());
        }
    }

    /** The resources of pods that the ledger counts. */
    private static Set<String> counted(ResourceNames names) {
        Set<String> counted = new HashSet<>(Set.of("cpu", "memory"));
        names.kinds().forEach(kind -> counted.add(names.of(kind)));
        return counted;
    }

    /** The time of the last message from the API server, by resource. */
    private Map<String, Instant> heard() {
        Map<String, Instant> heard = new HashMap<>(informers.heard());
        heard.put("leases", leases.lastHeard());
        return heard;
    }

    /** Starts the server, or ends what was started before it. */
    private ExtenderServer serve(ExtenderServer.Settings settings, ExtenderServer.Parts parts) throws IOException {
        try {
            return ExtenderServer.start(settings, parts);
        } catch (IOException e) {
            leadership.end();
            leadership.close();
            informers.close();
            throw e;
        }
    }

    /** Connects, listens and begins to read the cluster; throws when the address or the configuration can't be used. */
    public static Extender start(Settings settings) throws IOException {
        return start(settings, Clocks.system());
    }

    static Extender start(Settings settings, Clocks clocks) throws IOException {
        KubernetesApi api = KubernetesApi.connect(
                settings.kubeconfig(),
                "gpushare-scheduler-extender/" + settings.server().version());
        try {
            return new Extender(settings, api, clocks);
        } catch (IOException e) {
            api.close();
            throw e;
        }
    }

    /** The port that it listens on. */
    public int port() {
        return server.port();
    }

    /** The port of the view for callers with a token. */
    int viewPort() {
        return server.viewPort();
    }

    Placer placer() {
        return placer;
    }

    Binder binder() {
        return binder;
    }

    Leadership leadership() {
        return leadership;
    }

    /** Resolves the Bindings with an unknown outcome that are old enough now. */
    void resolveUnknownBindings() {
        Instant now = clocks.steady().instant();
        binder.resolveUnknown(now.minus(UNKNOWN_BINDING_AGE), now);
    }

    private void endOldReservations() {
        endOldReservations(ledger, clocks.steady().instant());
    }

    /**
     * Ends reservations whose time is over: of filter, and by nodes' annotations that nobody renews, because whoever
     * moved the pods is gone. The age of an annotation is measured by the extender's own clock since its last change,
     * as with the Leases of the nodes.
     */
    static void endOldReservations(Ledger ledger, Instant now) {
        for (Reservation over : ledger.overReservations(now)) {
            if (over.source() == Reservation.Source.DEFRAGMENTATION) {
                LOG.warn("node {}: its cards are not reserved any more, because nobody renewed it", over.node());
                ledger.endReservation(over);
            } else if (over.source() == Reservation.Source.FILTER) {
                LOG.info(
                        "pod {}: no bind to node {} came in time: nothing is reserved for it", over.pod(), over.node());
                ledger.endReservation(over);
            }
        }
    }

    /** Lets the adaptive policy review what it decides by, beside the requests. */
    private void reviewPolicy() {
        placer.reviewPolicy()
                .ifPresent(kind -> LOG.info("policy adaptive: {} serves the latest pods best, and decides now", kind));
    }

    /** Lets requests in flight end for at most that long, then gives the Lease back; throws when some did not end. */
    void stop(Duration grace) throws IOException {
        leadership.resign();
        try {
            server.stop(grace);
        } finally {
            leadership.end();
        }
    }

    /** Stops and frees everything that it holds. */
    @Override
    public void close() throws IOException {
        try {
            stop(CLOSE_GRACE);
        } finally {
            loops.forEach(Thread::interrupt);
            leadership.close();
            informers.close();
            api.close();
        }
    }
}
