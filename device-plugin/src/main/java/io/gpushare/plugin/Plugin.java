package io.gpushare.plugin;

import io.gpushare.kubernetes.EventSubject;
import io.gpushare.kubernetes.KubernetesApi;
import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.kubernetes.NodeState;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.NoCards;
import io.gpushare.model.card.Share;
import io.gpushare.model.request.DemandCodec;
import io.gpushare.model.request.ResourceNames;
import io.gpushare.plugin.admission.AllocationHandler;
import io.gpushare.plugin.cards.CardScanner;
import io.gpushare.plugin.cards.SharedSession;
import io.gpushare.plugin.cluster.AllocationReconciler;
import io.gpushare.plugin.cluster.CordonPoller;
import io.gpushare.plugin.cluster.InventoryPublisher;
import io.gpushare.plugin.cluster.NodeLease;
import io.gpushare.plugin.cluster.NodeLeaseCalls;
import io.gpushare.plugin.cluster.NodePodInformer;
import io.gpushare.plugin.cluster.PodEventRecorder;
import io.gpushare.plugin.devices.DeviceLists;
import io.gpushare.plugin.isolation.IsolationProvider;
import io.gpushare.plugin.isolation.enforcement.HeadroomInUse;
import io.gpushare.plugin.isolation.enforcement.MissingIsolation;
import io.gpushare.plugin.isolation.enforcement.NodeIsolation;
import io.gpushare.plugin.isolation.mps.MpsIsolation;
import io.gpushare.plugin.kubelet.CheckpointReader;
import io.gpushare.plugin.kubelet.DomainSockets;
import io.gpushare.plugin.kubelet.KubeletConnection;
import io.gpushare.plugin.kubelet.PodResourcesClient;
import io.gpushare.plugin.metrics.MetricsServer;
import io.gpushare.plugin.metrics.PluginMetrics;
import io.gpushare.plugin.monitor.ForeignUseReporter;
import io.gpushare.plugin.monitor.OverUseGuard;
import io.gpushare.plugin.monitor.ProcessTable;
import io.gpushare.plugin.monitor.RebootReporter;
import io.gpushare.plugin.monitor.RemovedCardReporter;
import io.gpushare.plugin.monitor.UsageMonitor;
import io.gpushare.plugin.monitor.XidReporter;
import io.gpushare.plugin.snapshot.AnnotationDifference;
import io.gpushare.plugin.snapshot.NodePod;
import io.gpushare.plugin.snapshot.NodeSnapshot;
import io.gpushare.plugin.state.InventoryAssembler;
import io.gpushare.plugin.state.LatestSnapshot;
import io.gpushare.plugin.state.PodResourcesPoller;
import io.gpushare.plugin.state.SnapshotPublisher;
import io.gpushare.plugin.state.SnapshotPublisher.Source;
import io.gpushare.time.Clocks;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The running device plugin: starts its parts and connects them. */
final class Plugin implements AutoCloseable {
    private static final Duration SCAN_INTERVAL = Duration.ofSeconds(2);

    private final SnapshotPublisher publisher = new SnapshotPublisher(this::publish);
    private final CompletableFuture<Integer> exit;
    private final ResourceNames resources;
    private final Share beside;
    private final UnknownNames names;
    private final LatestSnapshot latest;
    private final NodePodInformer pods;
    private final NodeLease lease;
    private final PublishedInventory published;
    private final InventoryAssembler assembler;
    private final PodEventRecorder events;
    private final AllocationReconciler allocations;
    private final IsolationProvider provider;
    private final NodeIsolation isolation;
    private final UsageMonitor usage;
    private final EventSubject.Node node;
    private final KubeletConnection kubelet;
    private final Departure departure;
    /** What the node's status says of extended resources. */
    private volatile Map<String, String> allocatable = Map.of();

    private final PodResourcesPoller podResourcesPoller;
    /** What stops the parts, in the order in which they start. */
    private final Deque<Runnable> stops = new ArrayDeque<>();

    /**
     * Starts everything.
     *
     * @param exit completed with the exit code if the plugin can't continue
     */
    Plugin(PluginOptions options, CompletableFuture<Integer> exit, Clocks clocks) throws IOException {
        InstantSource clock = clocks.steady();
        this.exit = exit;
        node = new EventSubject.Node(options.nodeName);
        resources = options.cluster.resources();
        beside = options.beside();
        names = new UnknownNames(resources, exit);
        Path pluginDir = options.kubeletDir.resolve("device-plugins");
        latest = new LatestSnapshot(NodeSnapshot.of(Inventory.empty(options.cluster.memoryUnit())), publisher::changed);
        DomainSockets sockets = new DomainSockets();
        stops.add(sockets::close);
        KubernetesApi api = KubernetesApi.connect(
                options.cluster.kubeconfig(), "gpushare-device-plugin/" + PluginOptions.Version.number());
        stops.add(api::close);
        PodResourcesClient podResources =
                new PodResourcesClient(options.kubeletDir.resolve("pod-resources/kubelet.sock"), resources, sockets);
        stops.add(podResources::close);
        pods = new NodePodInformer(api, options.nodeName, new DemandCodec(resources, options.cluster.memoryUnit()));
        stops.add(pods::close);
        lease = new NodeLease(
                        new NodeLeaseCalls(api, options.cluster.nodeLeaseNamespace(), options.nodeName),
                        publisher::changed,
                        NodeLease.Pace.USUAL,
                        System::nanoTime)
                .start();
        stops.add(lease::close);
        InventoryPublisher inventory = new InventoryPublisher(api, options.nodeName).start();
        stops.add(inventory::close);
        assembler = new InventoryAssembler(
                options.cluster.memoryUnit(), this::assembled, () -> exit.complete(PluginMain.INVALID_OPTIONS));
        events = new PodEventRecorder(api.events().from(options.nodeName)::record, clocks).start();
        stops.add(events::close);
        allocations = new AllocationReconciler(
                        () -> AnnotationDifference.of(latest.now()),
                        difference -> api.pods()
                                .annotate(
                                        difference.pod().ref(),
                                        difference.annotations(
                                                latest.now().inventory(),
                                                options.nodeName,
                                                clocks.wall().instant())),
                        events,
                        AllocationReconciler.Pace.USUAL,
                        clock)
                .start();
        stops.add(allocations::close);
        OverUseGuard overUse = new OverUseGuard(
                resources.memory(),
                Optional.ofNullable(options.evictOverUseAfter),
                events,
                api.evictions()::evict,
                clock);
        ForeignUseReporter foreignUse = new ForeignUseReporter(node, pods::synced, events);
        ProcessTable processes = new ProcessTable(options.procDir);
        usage = new UsageMonitor(latest, processes, overUse, foreignUse, clock).start();
        stops.add(usage::close);
        SharedSession driver = new SharedSession();
        provider = options.isolation.provider(
                new MpsIsolation.Sources(
                        () -> new MpsIsolation.Measured(usage.now(), usage.excesses()),
                        this::inventoryKnown,
                        processes::cgroup,
                        processes::started),
                driver,
                events,
                clock);
        isolation = new NodeIsolation(
                options.isolation.policy(),
                provider,
                latest,
                podResources::list,
                new MissingIsolation(node, events),
                new HeadroomInUse(node, events),
                clock);
        stops.add(isolation::close);
        AllocationHandler calls =
                new AllocationHandler(latest, podResources::list, pods::live, options.containers(), isolation, clock);
        PluginMetrics metrics = new PluginMetrics(PluginOptions.Version.number());
        kubelet = new KubeletConnection(
                        pluginDir, resources, calls, kubeletListener(metrics), () -> allocatable, sockets, clock)
                .start();
        departure = new Departure(latest, pods::live, kubelet::idle, clock);
        published = new PublishedInventory(inventory, kubelet);
        podResourcesPoller = new PodResourcesPoller(
                latest,
                podResources::list,
                new CheckpointReader(pluginDir, resources)::read,
                pods::synced,
                () -> publisher.read(Source.POD_RESOURCES),
                clock);
        stops.add(podResourcesPoller::close);
        pods.watch(podListener(new RebootReporter(options.procDir, resources.all(), events)));
        podResourcesPoller.start();
        publisher.start();
        CordonPoller cordons = new CordonPoller(() -> read(api, options.nodeName), this::cordoned).start();
        stops.add(cordons::close);
        CardScanner cards = new CardScanner(
                        new CardScanner.Settings(
                                options.nvmlLibrary,
                                options.cluster.memoryUnit(),
                                SCAN_INTERVAL,
                                options.healthQuietTime(),
                                options.containers().needDeviceFiles(),
                                options.cardMemory,
                                options.mig == MigMode.CARDS,
                                options.procDir),
                        new CardReports(
                                assembler,
                                events,
                                node,
                                usage,
                                provider,
                                new XidReporter(latest, events),
                                new RemovedCardReporter(latest, events),
                                exit),
                        clocks,
                        driver)
                .start();
        stops.add(cards::close);
        isolation.start();
        metrics.registerNode(latest, usage, provider);
        PartMetrics parts = new PartMetrics(metrics);
        parts.ofKubelet(calls, kubelet);
        parts.ofCluster(allocations, events, lease);
        parts.ofCards(cards, latest);
        parts.ofIsolation(overUse, isolation, provider);
        if (options.metricsAddress != null) {
            stops.add(MetricsServer.start(options.metricsAddress, metrics, this::unready)::close);
        }
    }

    /** Why the kubelet gets no devices of this plugin, as a sentence; empty if it does. */
    private Optional<String> unready() {
        @Nullable NoCards why = latest.now().inventory().noCards();
        if (why == null && !kubelet.watched()) {
            return Optional.of("the kubelet does not watch every device list yet");
        }
        return Optional.ofNullable(why).map(NoCards::sentences);
    }

    private Optional<NodeState> read(KubernetesApi api, String name) throws KubernetesException {
        // What can't be read is unknown.
        allocatable = Map.of();
        Optional<NodeState> now = api.nodes().read(name);
        now.ifPresent(state -> allocatable = state.devices());
        return now;
    }

    private boolean inventoryKnown() {
        return published.known();
    }

    private void assembled(Inventory now) {
        Inventory isolated = isolation.isolated(now.withBeside(beside));
        latest.update(snapshot -> snapshot.withInventory(isolated));
        publisher.read(Source.CARDS);
    }

    private void cordoned(Set<CardId> now) {
        assembler.cordoned(now);
        publisher.read(Source.CORDONS);
    }

    private void publish() {
        // With the inventory the extender begins to place pods here. Before that, the pods of the node are counted.
        boolean counted = pods.synced();
        NodeSnapshot now = latest.now();
        if (counted) {
            names.check(now);
        }
        if (exit.isDone()) {
            return;
        }
        DeviceLists lists = DeviceLists.of(now.allocations());
        // Without the API server the next pod would be unknown to the plugin, and fail.
        kubelet.offer(lease.lost() ? lists.only(now.allocations().allocatedIds()) : lists);
        allocations.reconcileSoon();
        if (counted) {
            published.publish(now.inventory());
        }
    }

    private KubeletConnection.Listener kubeletListener(PluginMetrics metrics) {
        return new KubeletConnection.Listener() {
            @Override
            public void watched() {
                publisher.changed();
            }

            @Override
            public void responded(String call, long nanos) {
                metrics.observe(call, nanos);
            }

            @Override
            public void otherServes(Optional<String> who) {
                Optional<NoCards> why = who.map(known -> new NoCards(NoCards.Cause.OTHER_PLUGIN, known));
                why.ifPresent(reason -> otherBeside("This node has " + reason.sentences()));
                assembler.otherServes(why.orElse(null));
            }

            @Override
            public void otherBeside(String warning) {
                events.warn(node, "GpuOtherDevicePlugin", warning);
            }
        };
    }

    /**
     * Prepares a planned end: says so to the extender, and serves the pods that are already bound until they have their
     * cards, for at most 20 s.
     */
    void leave() throws InterruptedException {
        if (published.leave()) {
            departure.await();
        }
    }

    private NodePodInformer.Listener podListener(RebootReporter reboots) {
        return new NodePodInformer.Listener() {
            @Override
            public void changed(NodePod pod) {
                latest.update(snapshot -> snapshot.withPod(pod));
            }

            @Override
            public void deleted(String uid) {
                latest.update(snapshot -> snapshot.withoutPod(uid));
                podResourcesPoller.readSoon();
            }

            @Override
            public void rejected(PodRef pod, String message) {
                reboots.rejected(pod, message);
            }
        };
    }

    /** Stops everything: the sockets are removed, and running pods are not affected. */
    @Override
    public void close() {
        kubelet.close();
        publisher.close();
        stops.reversed().forEach(Runnable::run);
    }
}
