package io.gpushare.plugin;

import io.gpushare.kubernetes.EventSubject;
import io.gpushare.kubernetes.KubernetesApi;
import io.gpushare.kubernetes.event.EventQueue;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.claims.ClaimDecoder;
import io.gpushare.model.request.DemandCodec;
import io.gpushare.model.request.ResourceNames;
import io.gpushare.plugin.admission.AllocationHandler;
import io.gpushare.plugin.cards.CardScanner;
import io.gpushare.plugin.cards.SharedSession;
import io.gpushare.plugin.claims.CdiFiles;
import io.gpushare.plugin.claims.NodeClaims;
import io.gpushare.plugin.cluster.AllocationReconciler;
import io.gpushare.plugin.cluster.CordonPoller;
import io.gpushare.plugin.cluster.InventoryPublisher;
import io.gpushare.plugin.cluster.NodeLease;
import io.gpushare.plugin.cluster.NodeLeaseCalls;
import io.gpushare.plugin.cluster.NodeObject;
import io.gpushare.plugin.cluster.NodePodInformer;
import io.gpushare.plugin.dra.DraSockets;
import io.gpushare.plugin.isolation.IsolationProvider;
import io.gpushare.plugin.isolation.enforcement.HeadroomInUse;
import io.gpushare.plugin.isolation.enforcement.MissingIsolation;
import io.gpushare.plugin.isolation.enforcement.NodeIsolation;
import io.gpushare.plugin.isolation.mps.MpsIsolation;
import io.gpushare.plugin.kubelet.CheckpointReader;
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
import io.gpushare.plugin.offer.ClaimCalls;
import io.gpushare.plugin.offer.Departure;
import io.gpushare.plugin.offer.DeviceOffer;
import io.gpushare.plugin.offer.InventoryUpdates;
import io.gpushare.plugin.offer.OtherWay;
import io.gpushare.plugin.offer.PublishedInventory;
import io.gpushare.plugin.offer.Readiness;
import io.gpushare.plugin.offer.SliceRemoval;
import io.gpushare.plugin.offer.UnknownNames;
import io.gpushare.plugin.snapshot.AnnotationDifference;
import io.gpushare.plugin.snapshot.NodeSnapshot;
import io.gpushare.plugin.sockets.DomainSockets;
import io.gpushare.plugin.state.InventoryAssembler;
import io.gpushare.plugin.state.LatestSnapshot;
import io.gpushare.plugin.state.PodResourcesPoller;
import io.gpushare.plugin.state.SnapshotPublisher;
import io.gpushare.plugin.state.SnapshotPublisher.Source;
import io.gpushare.time.Clocks;
import io.gpushare.time.StartedParts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** The running device plugin: starts its parts and connects them. */
final class Plugin implements RunningPlugin {
    /** The program's name in its Events and calls. */
    private static final String COMPONENT = "gpushare-device-plugin";

    private static final Duration EVENT_GAP = Duration.ofMillis(100);

    private final StartedParts parts = new StartedParts();
    private final PublishedInventory published;
    private final Departure departure;

    /**
     * Starts everything.
     *
     * @param exit completed with the exit code if the plugin can't continue
     */
    Plugin(PluginOptions options, CompletableFuture<Integer> exit, Clocks clocks) throws IOException {
        InstantSource clock = clocks.steady();
        EventSubject.Node node = new EventSubject.Node(options.nodeName);
        ResourceNames resources = options.cluster.resources();
        MemoryUnit unit = options.cluster.memoryUnit();
        Path pluginDir = options.kubeletDir.resolve("device-plugins");
        Runnable invalid = () -> exit.complete(PluginMain.INVALID_OPTIONS);
        SnapshotPublisher publisher = new SnapshotPublisher();
        LatestSnapshot latest = new LatestSnapshot(NodeSnapshot.of(Inventory.empty(unit)), publisher::changed);
        DomainSockets sockets = parts.add(new DomainSockets());
        KubernetesApi api = parts.add(
                KubernetesApi.connect(options.cluster.kubeconfig(), COMPONENT + "/" + PluginOptions.Version.number()));
        PodResourcesClient podResources = parts.add(
                new PodResourcesClient(options.kubeletDir.resolve("pod-resources/kubelet.sock"), resources, sockets));
        NodePodInformer pods = parts.add(new NodePodInformer(api, options.nodeName, new DemandCodec(resources, unit)));
        NodeLease lease = parts.add(new NodeLease(
                        new NodeLeaseCalls(api, options.cluster.nodeLeaseNamespace(), options.nodeName),
                        publisher::changed,
                        NodeLease.Pace.USUAL,
                        System::nanoTime))
                .start();
        InventoryPublisher inventory =
                parts.add(new InventoryPublisher(api, options.nodeName)).start();
        published = new PublishedInventory(inventory);
        EventQueue events = parts.add(
                        new EventQueue(api.events(COMPONENT, options.nodeName)::record, EVENT_GAP, () -> true, clocks))
                .start();
        AllocationReconciler allocations = parts.add(new AllocationReconciler(
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
                        clock))
                .start();
        OverUseGuard overUse = new OverUseGuard(
                resources.memory(),
                Optional.ofNullable(options.evictOverUseAfter),
                events,
                api.evictions()::evict,
                clock);
        ForeignUseReporter foreignUse = new ForeignUseReporter(node, pods::synced, events);
        ProcessTable processes = new ProcessTable(options.procDir);
        UsageMonitor usage = parts.add(new UsageMonitor(latest, processes, overUse, foreignUse, clock))
                .start();
        SharedSession driver = new SharedSession();
        IsolationProvider provider = options.isolation.provider(
                new MpsIsolation.Sources(
                        () -> new MpsIsolation.Measured(usage.now(), usage.excesses()),
                        published::known,
                        processes::cgroup,
                        processes::started),
                driver,
                events,
                clock);
        NodeIsolation isolation = parts.add(new NodeIsolation(
                options.isolation.policy(),
                provider,
                latest,
                podResources::list,
                new MissingIsolation(node, events),
                new HeadroomInUse(node, events),
                clock));
        InventoryAssembler assembler = new InventoryAssembler(
                unit, new InventoryUpdates(options.beside(), isolation, latest, publisher), invalid);
        CdiFiles files = new CdiFiles(options.cdiDir.toAbsolutePath());
        boolean mayHaveClaims = Files.isDirectory(options.driverDir());
        SliceRemoval slices = new SliceRemoval(api.resources(), ClaimsPlugin.DRIVER, options.nodeName);
        OtherWay otherWay = parts.add(OtherWay.claims(
                        files,
                        mayHaveClaims ? slices::problem : Optional::empty,
                        assembler,
                        sentence -> events.warn(node, "GpuCardsHeld", sentence))
                .start());
        if (mayHaveClaims) {
            letClaimsEnd(options, api, files, isolation, latest, otherWay, sockets, clocks);
        }
        AllocationHandler calls =
                new AllocationHandler(latest, podResources::list, pods::live, options.containers(), isolation, clock);
        PluginMetrics metrics = new PluginMetrics(PluginOptions.Version.number());
        NodeObject nodeObject = new NodeObject(api, options.nodeName);
        KubeletConnection kubelet = new KubeletConnection(
                        pluginDir,
                        resources,
                        calls,
                        new KubeletReports(assembler, events, node, publisher, metrics),
                        nodeObject::allocatable,
                        sockets,
                        clock)
                .start();
        departure = new Departure(latest, pods::live, kubelet::idle, clock);
        PodResourcesPoller poller = parts.add(new PodResourcesPoller(
                latest,
                podResources::list,
                new CheckpointReader(pluginDir, resources)::read,
                pods::synced,
                () -> publisher.read(Source.POD_RESOURCES),
                clock));
        pods.watch(new PodReports(latest, poller, new RebootReporter(options.procDir, resources.all(), events)));
        poller.start();
        publisher.start(new DeviceOffer(
                latest,
                pods,
                lease,
                kubelet,
                allocations,
                published,
                new UnknownNames(resources, invalid),
                exit::isDone)::publish);
        parts.add(new CordonPoller(nodeObject, now -> {
                    assembler.cordoned(now);
                    publisher.read(Source.CORDONS);
                }))
                .start();
        CardScanner cards = parts.add(new CardScanner(
                        options.scanning(unit),
                        new CardReports(
                                assembler,
                                events,
                                node,
                                usage,
                                provider,
                                new XidReporter(latest, events),
                                new RemovedCardReporter(latest, events),
                                invalid,
                                () -> exit.complete(PluginMain.DRIVER_REPLACED)),
                        clocks,
                        driver))
                .start();
        isolation.start();
        metrics.registerNode(latest, usage, provider);
        PartMetrics counted = new PartMetrics(metrics);
        counted.ofKubelet(calls, kubelet);
        counted.ofCluster(allocations, events, lease);
        counted.ofCards(cards, latest);
        counted.ofIsolation(overUse, isolation, provider);
        if (options.metricsAddress != null) {
            parts.add(MetricsServer.start(options.metricsAddress, metrics, new Readiness(latest, kubelet)::problem));
        }
        parts.add(publisher);
        parts.add(kubelet);
    }

    /**
     * Without a driver the kubelet does not let the pods end that have cards by claims, from the time when this node
     * offered them so, nor start their containers after a reboot. No further claim is prepared.
     */
    private void letClaimsEnd(
            PluginOptions options,
            KubernetesApi api,
            CdiFiles files,
            NodeIsolation isolation,
            LatestSnapshot latest,
            OtherWay otherWay,
            DomainSockets sockets,
            Clocks clocks)
            throws IOException {
        Supplier<Inventory> present = () -> latest.now().inventory();
        NodeClaims claims = new NodeClaims(
                new ClaimDecoder(ClaimsPlugin.DRIVER, options.nodeName),
                ClaimsPlugin.reader(api.resources()),
                files,
                options.containers(),
                isolation,
                present,
                (_, _) -> Optional.of("its node offers its cards by the device plugin now: recreate the pod"),
                otherWay::changed);
        DraSockets kubelet = parts.add(new DraSockets(
                options.kubeletDir.toAbsolutePath(),
                ClaimsPlugin.DRIVER,
                options.nodeName,
                claims,
                present,
                () -> {},
                sockets,
                clocks.wall()));
        parts.add(new ClaimCalls(claims, kubelet)).begin();
    }

    /**
     * Prepares a planned end: says so to the extender, and serves the pods that are already bound until they have their
     * cards, for at most 20 s.
     */
    @Override
    public void leave() throws InterruptedException {
        if (published.leave()) {
            departure.await();
        }
    }

    @Override
    public void close() {
        parts.close();
    }
}
