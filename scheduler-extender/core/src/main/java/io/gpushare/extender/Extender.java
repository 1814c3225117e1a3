package io.gpushare.extender;

import io.gpushare.extender.cluster.AnnotationEvents;
import io.gpushare.extender.cluster.ClusterInformers;
import io.gpushare.extender.cluster.Election;
import io.gpushare.extender.cluster.Leadership;
import io.gpushare.extender.cluster.NodeLeasePoller;
import io.gpushare.extender.cluster.PodClient;
import io.gpushare.extender.cluster.PodFeed;
import io.gpushare.extender.cluster.Requeuer;
import io.gpushare.extender.eviction.PodConditions;
import io.gpushare.extender.eviction.PreemptionLoop;
import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.placement.PlacementOutcomes;
import io.gpushare.extender.placement.Placer;
import io.gpushare.extender.pod.PolicyKind;
import io.gpushare.extender.policy.Policies;
import io.gpushare.extender.preemption.Preemption;
import io.gpushare.extender.preemption.PreemptionCounts;
import io.gpushare.extender.preemption.PreemptionMode;
import io.gpushare.extender.protocol.Verbs;
import io.gpushare.extender.scheduling.Binder;
import io.gpushare.extender.scheduling.DecideIn;
import io.gpushare.extender.scheduling.NodeSelection;
import io.gpushare.extender.scheduling.OldReservations;
import io.gpushare.extender.scheduling.WaitingPods;
import io.gpushare.extender.server.ExtenderServer;
import io.gpushare.extender.server.Extension;
import io.gpushare.extender.server.ServiceNames;
import io.gpushare.extender.server.VerbServer;
import io.gpushare.kubernetes.KubernetesApi;
import io.gpushare.kubernetes.event.EventQueue;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.request.DemandCodec;
import io.gpushare.model.request.ResourceNames;
import io.gpushare.time.Clocks;
import io.gpushare.time.Machine;
import io.gpushare.time.PeriodicTask;
import io.gpushare.time.StartedParts;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A running scheduler extender: the ledger, the informers that feed it, and the server that answers from it. */
public final class Extender implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Extender.class);
    private static final Path RESOLVER = Path.of("/etc/resolv.conf");
    private static final Duration CLOSE_GRACE = Duration.ofSeconds(5);
    private static final Duration EVENT_GAP = Duration.ofMillis(250);
    private static final Duration POLICY_REVIEW = Duration.ofSeconds(1);
    private static final Duration RESERVATIONS = Duration.ofSeconds(5);
    private static final Duration UNKNOWN_BINDINGS = Duration.ofSeconds(15);
    // Longer than the API server works on any request: later, a Binding without a response no longer takes effect.
    private static final Duration UNKNOWN_BINDING_AGE = Duration.ofSeconds(75);

    /** No tenant alone makes the ledger as old as that: then the machine is too slow for the cluster. */
    private static final Duration MOST_BEHIND = Duration.ofSeconds(60);

    /**
     * What it takes to start.
     *
     * @param kubeconfig null for the service account of the pod
     * @param memoryUnit that of the nodes, for requests in MiB
     * @param decideIn where kube-scheduler gets the policy's choice
     * @param preemption who evicts pods for pods of higher priority
     * @param hosts further names under which the extender is served over plain HTTP
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
            Set<String> hosts,
            String pluginNamespace,
            String nodeLeaseNamespace,
            @Nullable Candidacy candidacy,
            ExtenderServer.Settings server) {
        /** Whether this process is one of several in pods, which callers reach through a Service. */
        public boolean inPod() {
            return candidacy != null && candidacy.pod() != null;
        }
    }

    private final StartedParts parts;
    private final Placer placer;
    private final Ledger ledger;
    private final Binder binder;
    private final ClusterInformers informers;
    private final NodeLeasePoller leases;
    private final Leadership leadership;
    private final VerbServer server;
    private final Clocks clocks;
    private boolean stopped;

    /**
     * What the extender is connected to.
     *
     * @param server starts to serve kube-scheduler
     */
    public record Edges(KubernetesApi api, VerbServer.Factory server) {
        /** The API server of these settings, and a server over HTTP. */
        static Edges of(Settings settings) throws IOException {
            return new Edges(
                    KubernetesApi.connect(
                            settings.kubeconfig(),
                            "gpushare-scheduler-extender/" + settings.server().version()),
                    ExtenderServer::start);
        }
    }

    /** @param parts what is started, also when this throws */
    private Extender(
            Settings settings,
            Edges edges,
            StartedParts parts,
            Clocks clocks,
            PodFeed.Factory feeds,
            Function<Core, Extension> extensions)
            throws IOException {
        this.parts = parts;
        this.clocks = clocks;
        KubernetesApi api = parts.add(edges.api());
        DemandCodec demands = new DemandCodec(settings.resources(), settings.memoryUnit());
        @Nullable Candidacy candidacy = settings.candidacy();
        @Nullable Election election = candidacy == null ? null : candidacy.join(api);
        BooleanSupplier leads = election == null ? () -> true : election::held;
        EventQueue events = parts.add(
                        new EventQueue(api.events("gpushare-schd-extender")::record, EVENT_GAP, leads, clocks))
                .start();
        ledger = new Ledger(demands, new AnnotationEvents(events));
        placer = new Placer(
                ledger,
                new Policies(settings.policy()),
                scoring -> Machine.here().thread("scorings", scoring).start(),
                why -> LOG.error("can't weigh the cluster's cards; pods are placed by what was known before", why));
        PodFeed feed = feeds.of(api, ledger, events, parts);
        PodClient pods = new PodClient(api, leads, feed::show);
        PlacementOutcomes outcomes = new PlacementOutcomes(Machine.here()::nanos);
        binder = new Binder(placer, pods, outcomes, clocks.wall());
        informers = parts.add(new ClusterInformers(api, ledger, feed, outcomes, settings.pluginNamespace()));
        NodeSelection selection =
                new NodeSelection(placer, outcomes, settings.decideIn(), informers::softTaints, clocks.steady());
        leases = NodeLeasePoller.of(api, settings.nodeLeaseNamespace(), ledger);
        leadership = parts.add(Leadership.start(
                election, candidacy == null ? null : candidacy.label(api), informers, placer::prepare));
        BooleanSupplier ready = () -> leadership.unready().isEmpty();
        WaitingPods waiting = new WaitingPods(ledger);
        PreemptionCounts preemptions = new PreemptionCounts();
        PodConditions conditions =
                new PodConditions(node -> ledger.nodeEntry(node).facts(), counted(settings.resources()));
        PreemptionLoop preempting = new PreemptionLoop(
                new PreemptionLoop.Parts(api, events, placer, conditions, leads, ready, clocks, preemptions));
        Extension extension = extensions.apply(new Core(
                api,
                clocks,
                ledger::state,
                ledger::nodeView,
                ledger::rejectedAnnotations,
                placer,
                pods,
                outcomes,
                waiting,
                preemptions,
                conditions,
                leads,
                leadership::unready,
                this::heard,
                informers::changes,
                feed::behind,
                informers.templates()::now,
                events));
        server = edges.server()
                .start(
                        settings.server(),
                        new ExtenderServer.Parts(
                                ledger,
                                new Verbs.Parts(
                                        selection,
                                        new Preemption(placer, settings.preemption(), preempting::helps),
                                        binder,
                                        leadership::unready,
                                        clocks.steady(),
                                        extension.requests()),
                                leadership::unavailable,
                                () -> tooOld(feed.behind()),
                                ServiceNames.of(settings.pluginNamespace(), RESOLVER)
                                        .or(settings.hosts()::contains)
                                        .or(api::named),
                                extension));
        parts.add(leases.start());
        parts.add(Requeuer.start(api, waiting, ready, clocks));
        repeat("unknown-bindings", UNKNOWN_BINDINGS, this::resolveUnknownBindings);
        repeat(
                "reservations",
                RESERVATIONS,
                () -> OldReservations.end(ledger, clocks.steady().instant()));
        repeat("policy-review", POLICY_REVIEW, this::reviewPolicy);
        extension.start(parts);
        if (settings.preemption() == PreemptionMode.AUTO) {
            parts.add(preempting.start());
        }
    }

    private static Optional<String> tooOld(Duration behind) {
        return behind.compareTo(MOST_BEHIND) <= 0
                ? Optional.empty()
                : Optional.of("the ledger is " + behind.toSeconds() + " s behind what pods have by claims");
    }

    private void repeat(String name, Duration rest, PeriodicTask.Round round) {
        parts.add(PeriodicTask.rounds(name, rest, round)).start();
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

    /**
     * Connects, listens and begins to read the cluster; throws when the address or the configuration can't be used.
     *
     * @param feeds makes what passes pods to the ledger
     * @param extensions makes what explains, shows and measures
     */
    public static Extender start(
            Settings settings, Clocks clocks, PodFeed.Factory feeds, Function<Core, Extension> extensions)
            throws IOException {
        return start(settings, Edges.of(settings), clocks, feeds, extensions);
    }

    /** The same with other edges. */
    public static Extender start(
            Settings settings, Edges edges, Clocks clocks, PodFeed.Factory feeds, Function<Core, Extension> extensions)
            throws IOException {
        StartedParts parts = new StartedParts();
        try {
            return new Extender(settings, edges, parts, clocks, feeds, extensions);
        } catch (IOException | RuntimeException e) {
            parts.close();
            throw e;
        }
    }

    /** The port that it listens on. */
    public int port() {
        return server.port();
    }

    /** The port of the view for callers with a token. */
    public int viewPort() {
        return server.viewPort();
    }

    public Binder binder() {
        return binder;
    }

    public Leadership leadership() {
        return leadership;
    }

    /** Resolves the Bindings with an unknown outcome that are old enough now. */
    public void resolveUnknownBindings() {
        Instant now = clocks.steady().instant();
        binder.resolveUnknown(now.minus(UNKNOWN_BINDING_AGE), now);
    }

    /** Lets the adaptive policy review what it decides by, beside the requests. */
    private void reviewPolicy() {
        placer.reviewPolicy()
                .ifPresent(kind -> LOG.info("policy adaptive: {} serves the latest pods best, and decides now", kind));
    }

    /** Lets requests in flight end for at most that long, then gives the Lease back; throws when some did not end. */
    public synchronized void stop(Duration grace) throws IOException {
        stopped = true;
        leadership.resign();
        try {
            server.stop(grace);
        } finally {
            leadership.end();
        }
    }

    /** Stops, if it has not been stopped, and frees everything that it holds. */
    @Override
    public synchronized void close() throws IOException {
        try {
            if (!stopped) {
                stop(CLOSE_GRACE);
            }
        } finally {
            parts.close();
        }
    }
}
