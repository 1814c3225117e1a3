package io.gpushare.plugin;

import io.gpushare.kubernetes.EventSubject;
import io.gpushare.kubernetes.KubernetesApi;
import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.kubernetes.ResourceApi;
import io.gpushare.kubernetes.event.EventQueue;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.Share;
import io.gpushare.model.claims.ClaimDecoder;
import io.gpushare.model.claims.ClaimUse;
import io.gpushare.model.claims.ResourceClaim;
import io.gpushare.model.claims.SliceSpecs;
import io.gpushare.model.request.DemandCodec;
import io.gpushare.plugin.cards.CardScanner;
import io.gpushare.plugin.cards.SharedSession;
import io.gpushare.plugin.claims.CdiFiles;
import io.gpushare.plugin.claims.ClaimReader;
import io.gpushare.plugin.claims.NodeClaims;
import io.gpushare.plugin.cluster.CordonPoller;
import io.gpushare.plugin.cluster.InventoryPublisher;
import io.gpushare.plugin.cluster.NodeObject;
import io.gpushare.plugin.cluster.NodePodInformer;
import io.gpushare.plugin.dra.DraSockets;
import io.gpushare.plugin.isolation.IsolationProvider;
import io.gpushare.plugin.isolation.enforcement.HeadroomInUse;
import io.gpushare.plugin.isolation.enforcement.MissingIsolation;
import io.gpushare.plugin.isolation.enforcement.NodeIsolation;
import io.gpushare.plugin.metrics.MetricsServer;
import io.gpushare.plugin.metrics.PluginMetrics;
import io.gpushare.plugin.monitor.ForeignUseReporter;
import io.gpushare.plugin.monitor.OverUseGuard;
import io.gpushare.plugin.monitor.ProcessTable;
import io.gpushare.plugin.monitor.RemovedCardReporter;
import io.gpushare.plugin.monitor.UsageMonitor;
import io.gpushare.plugin.monitor.XidReporter;
import io.gpushare.plugin.offer.ClaimOffer;
import io.gpushare.plugin.offer.InventoryUpdates;
import io.gpushare.plugin.offer.OtherWay;
import io.gpushare.plugin.slices.SlicePublisher;
import io.gpushare.plugin.snapshot.NodeSnapshot;
import io.gpushare.plugin.sockets.DomainSockets;
import io.gpushare.plugin.state.InventoryAssembler;
import io.gpushare.plugin.state.LatestSnapshot;
import io.gpushare.plugin.state.SnapshotPublisher;
import io.gpushare.plugin.state.SnapshotPublisher.Source;
import io.gpushare.time.Clocks;
import io.gpushare.time.StartedParts;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** The running plugin of a node that offers its cards by claims: starts its parts and connects them. */
final class ClaimsPlugin implements RunningPlugin {
    /** The name of the driver in slices and claims, and the domain of the cards' attributes. */
    static final String DRIVER = ClaimDecoder.DRIVER;

    private static final String COMPONENT = "gpushare-device-plugin";
    private static final Duration EVENT_GAP = Duration.ofMillis(100);

    private final StartedParts parts = new StartedParts();

    /**
     * Starts everything.
     *
     * @param exit completed with the exit code if the plugin can't continue
     */
    ClaimsPlugin(PluginOptions options, CompletableFuture<Integer> exit, Clocks clocks) throws IOException {
        InstantSource clock = clocks.steady();
        EventSubject.Node node = new EventSubject.Node(options.nodeName);
        MemoryUnit unit = options.cluster.memoryUnit();
        Runnable invalid = () -> exit.complete(PluginMain.INVALID_OPTIONS);
        SnapshotPublisher publisher = new SnapshotPublisher();
        LatestSnapshot latest = new LatestSnapshot(NodeSnapshot.of(Inventory.empty(unit)), publisher::changed);
        Supplier<Inventory> present = () -> latest.now().inventory();
        DomainSockets sockets = parts.add(new DomainSockets());
        KubernetesApi api = parts.add(
                KubernetesApi.connect(options.cluster.kubeconfig(), COMPONENT + "/" + PluginOptions.Version.number()));
        EventQueue events = parts.add(
                        new EventQueue(api.events(COMPONENT, options.nodeName)::record, EVENT_GAP, () -> true, clocks))
                .start();
        InventoryPublisher inventory =
                parts.add(new InventoryPublisher(api, options.nodeName)).start();
        // The processes of claims are not told apart from others yet: none is reported.
        ForeignUseReporter foreignUse = new ForeignUseReporter(node, () -> false, events);
        OverUseGuard overUse = new OverUseGuard(
                options.cluster.resources().memory(), Optional.empty(), events, api.evictions()::evict, clock);
        UsageMonitor usage = parts.add(
                        new UsageMonitor(latest, new ProcessTable(options.procDir), overUse, foreignUse, clock))
                .start();
        IsolationProvider provider = new IsolationProvider() {};
        NodeIsolation isolation = parts.add(new NodeIsolation(
                options.isolation.policy(),
                provider,
                latest,
                _ -> Optional.empty(),
                new MissingIsolation(node, events),
                new HeadroomInUse(node, events),
                clock));
        InventoryAssembler assembler =
                new InventoryAssembler(unit, new InventoryUpdates(Share.NONE, isolation, latest, publisher), invalid);
        NodePodInformer pods = parts.add(
                new NodePodInformer(api, options.nodeName, new DemandCodec(options.cluster.resources(), unit)));
        parts.add(OtherWay.devicePlugin(pods, assembler, sentence -> events.warn(node, "GpuNoCards", sentence))
                .start());
        SliceSpecs specs = new SliceSpecs(DRIVER, options.nodeName);
        SlicePublisher slices = parts.add(
                new SlicePublisher(api, specs, sentence -> events.warn(node, "GpuSharesNotOffered", sentence)));
        NodeClaims claims = new NodeClaims(
                new ClaimDecoder(DRIVER, options.nodeName),
                reader(api.resources()),
                new CdiFiles(options.cdiDir.toAbsolutePath()),
                options.containers(),
                isolation,
                present,
                slices::changed);
        slices.start(() -> claims.on(present.get()));
        DraSockets kubelet = parts.add(new DraSockets(
                options.kubeletDir.toAbsolutePath(),
                DRIVER,
                options.nodeName,
                claims,
                present,
                slices::registered,
                sockets,
                clocks.wall()));
        ClaimOffer offer = parts.add(
                        new ClaimOffer(latest, api.resources(), claims, kubelet, slices, inventory, exit::complete))
                .start();
        publisher.start(offer::changed);
        // The kubelet says nothing of claims that its driver has to know.
        publisher.read(Source.POD_RESOURCES);
        parts.add(new CordonPoller(new NodeObject(api, options.nodeName), now -> {
                    assembler.cordoned(now);
                    publisher.read(Source.CORDONS);
                }))
                .start();
        SharedSession driver = new SharedSession();
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
        PluginMetrics metrics = new PluginMetrics(PluginOptions.Version.number());
        // No metrics of cards and containers: what claims hold is not in the snapshot, and would be shown as free.
        PartMetrics counted = new PartMetrics(metrics);
        counted.ofClaims(claims);
        counted.ofCards(cards, latest);
        if (options.metricsAddress != null) {
            parts.add(MetricsServer.start(options.metricsAddress, metrics, offer::problem));
        }
        parts.add(publisher);
    }

    private static ClaimReader reader(ResourceApi resources) {
        return new ClaimReader() {
            @Override
            public Optional<ResourceClaim> claim(String namespace, String name) throws KubernetesException {
                return resources.claim(namespace, name);
            }

            @Override
            public List<ClaimUse> uses(PodRef pod) throws KubernetesException {
                return resources.uses(pod);
            }
        };
    }

    @Override
    public void close() {
        parts.close();
    }
}
