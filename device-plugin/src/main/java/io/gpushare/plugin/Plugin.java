package io.gpushare.plugin;

import io.gpushare.kubernetes.EventSubject;
import io.gpushare.kubernetes.KubernetesApi;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.NoCards;
import io.gpushare.model.codec.AllocationCodec;
import io.gpushare.model.codec.ResourceNames;
import io.gpushare.mps.link.MpsDirectory;
import io.gpushare.plugin.admission.AllocationHandler;
import io.gpushare.plugin.admission.TimedCallHandler;
import io.gpushare.plugin.cards.CardScanner;
import io.gpushare.plugin.cards.NvmlMemoryLimits;
import io.gpushare.plugin.cards.SharedSession;
import io.gpushare.plugin.cluster.AllocationReconciler;
import io.gpushare.plugin.cluster.CordonPoller;
import io.gpushare.plugin.cluster.InventoryPublisher;
import io.gpushare.plugin.cluster.NodeLease;
import io.gpushare.plugin.cluster.NodeLeaseCalls;
import io.gpushare.plugin.cluster.NodePodInformer;
import io.gpushare.plugin.cluster.PodEventRecorder;
import io.gpushare.plugin.devices.DeviceLists;
import io.gpushare.plugin.isolation.CountedMemory;
import io.gpushare.plugin.isolation.IsolationProvider;
import io.gpushare.plugin.isolation.driver.DriverIsolation;
import io.gpushare.plugin.isolation.driver.PodCgroups;
import io.gpushare.plugin.isolation.enforcement.MissingIsolation;
import io.gpushare.plugin.isolation.enforcement.NodeIsolation;
import io.gpushare.plugin.isolation.mps.MpsIsolation;
import io.gpushare.plugin.kubelet.CheckpointReader;
import io.gpushare.plugin.kubelet.DomainSockets;
import io.gpushare.plugin.kubelet.KubeletConnection;
import io.gpushare.plugin.kubelet.OtherPlugins;
import io.gpushare.plugin.kubelet.PodResourcesClient;
import io.gpushare.plugin.metrics.MetricsServer;
import io.gpushare.plugin.metrics.PluginMetrics;
import io.gpushare.plugin.monitor.ForeignUseReporter;
import io.gpushare.plugin.monitor.OverUseGuard;
import io.gpushare.plugin.monitor.ProcessTable;
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
import io.gpushare.plugin.usage.CardUsages;
import io.gpushare.time.Clocks;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The running device plugin: starts its parts and connects them. */
final class Plugin implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Plugin.class);
    private static final Duration SCAN_INTERVAL = Duration.ofSeconds(2);

    private final SnapshotPublisher publisher = new SnapshotPublisher(this::publish);
    private final CompletableFuture<Integer> exit;
    private final ResourceNames resources;
    private final LatestSnapshot latest;
    private final KubernetesApi api;
    private final DomainSockets sockets = new DomainSockets();
    private final PodResourcesClient podResources;
    private final NodePodInformer pods;
    private final NodeLease lease;
    private final InventoryPublisher inventory;
    private final InventoryAssembler assembler;
    private final PodEventRecorder events;
    private final AllocationReconciler allocations;
    private final IsolationProvider provider;
    private final NodeIsolation isolation;
    private final AllocationHandler calls;
    private final UsageMonitor usage;
    private final XidReporter xids;
    private final EventSubject.Node node;
    private final KubeletConnection kubelet;
    private final PodResourcesPoller podResourcesPoller;
    private final CordonPoller cordons;
    private final CardScanner cards;
    private final @Nullable MetricsServer metricsServer;
    /** The inventory that the extender reads; null until all pods are counted. Only the publisher writes it. */
    private volatile @Nullable Inventory published;

    private boolean namesChecked;

    /**
     * Starts everything.
     *
     * @param exit completed with the exit code if the plugin can't continue
     */
    Plugin(PluginOptions.Settings settings, CompletableFuture<Integer> exit, Clocks clocks) throws IOException {
        InstantSource clock = clocks.steady();
        this.exit = exit;
        node = new EventSubject.Node(settings.nodeName());
        resources = settings.resources();
        Path pluginDir = settings.kubeletDir().resolve("device-plugins");
        latest = new LatestSnapshot(NodeSnapshot.of(Inventory.empty(settings.unit())), publisher::changed);
        api = KubernetesApi.connect(settings.kubeconfig(), "gpushare-device-plugin/" + PluginOptions.Version.number());
        podResources = new PodResourcesClient(
                settings.kubeletDir().resolve("pod-resources/kubelet.sock"), settings.resources(), sockets);
        pods = new NodePodInformer(api, settings.nodeName(), settings.resources());
        lease = new NodeLease(
                        new NodeLeaseCalls(api, settings.nodeLeaseNamespace(), settings.nodeName()),
                        publisher::changed,
                        NodeLease.Pace.USUAL,
                        System::nanoTime)
                .start();
        inventory = new InventoryPublisher(api, settings.nodeName()).start();
        assembler = new InventoryAssembler(
                settings.unit(), this::assembled, () -> exit.complete(PluginMain.INVALID_OPTIONS));
        events = new PodEventRecorder(api.events()::record, clocks).start();
        allocations = new AllocationReconciler(
                        () -> AnnotationDifference.of(latest.now()),
                        difference -> api.pods().annotate(difference.pod(), annotations(difference, clocks.wall())),
                        events,
                        AllocationReconciler.Pace.USUAL,
                        clock)
                .start();
        OverUseGuard overUse = new OverUseGuard(
                settings.resources().memory(), settings.evictOverUseAfter(), events, api.evictions()::evict, clock);
        ForeignUseReporter foreignUse = new ForeignUseReporter(node, pods::synced, events);
        ProcessTable processes = new ProcessTable(settings.procDir());
        usage = new UsageMonitor(latest, processes, overUse, foreignUse, clock).start();
        SharedSession driver = new SharedSession();
        provider = provider(settings.isolation(), driver, processes, clock);
        isolation = new NodeIsolation(
                settings.isolation().policy(),
                provider,
                latest,
                podResources::list,
                new MissingIsolation(node, events),
                clock);
        calls = new AllocationHandler(latest, podResources::list, pods::live, settings.containers(), isolation, clock);
        xids = new XidReporter(latest, events);
        PluginMetrics metrics = new PluginMetrics(PluginOptions.Version.number());
        kubelet = new KubeletConnection(
                        pluginDir, settings.resources(), new TimedCallHandler(calls, metrics), sockets, clock)
                .start();
        podResourcesPoller = new PodResourcesPoller(
                latest,
                podResources::list,
                new CheckpointReader(pluginDir)::read,
                pods::synced,
                () -> publisher.read(Source.POD_RESOURCES),
                clock);
        pods.watch(podListener());
        podResourcesPoller.start();
        publisher.start();
        cordons = new CordonPoller(() -> api.nodes().read(settings.nodeName()), this::cordoned).start();
        cards = new CardScanner(
                        new CardScanner.Settings(
                                settings.nvmlLibrary(),
                                settings.unit(),
                                SCAN_INTERVAL,
                                settings.healthQuietTime(),
                                settings.containers().needDeviceFiles()),
                        cardListener(),
                        clocks,
                        driver)
                .start();
        isolation.start();
        OtherPlugins.ofNvidia(pluginDir).ifPresent(this::warnOfNvidia);
        metrics.registerNode(latest, usage, provider);
        PartMetrics parts = new PartMetrics(metrics);
        parts.ofKubelet(calls, kubelet);
        parts.ofCluster(allocations, events, lease);
        parts.ofCards(cards, latest);
        parts.ofIsolation(overUse, isolation, provider);
        metricsServer = settings.metricsAddress().isPresent()
                ? MetricsServer.start(settings.metricsAddress().get(), metrics, this::unready)
                : null;
    }

    private void warnOfNvidia(Path socket) {
        String message = "NVIDIA's device plugin serves this node as well (" + socket.getFileName()
                + "): each card is offered twice, and pods of both may get the same one. Switch it off on this node.";
        LOG.warn("{}", message);
        events.warn(node, "GpuOtherDevicePlugin", message);
    }

    private Map<String, String> annotations(AnnotationDifference difference, InstantSource wall) {
        return switch (difference.kind()) {
            case MISSING, WRONG, UNCONFIRMED ->
                AllocationCodec.annotationsOfRunning(
                        difference.actual(), latest.now().inventory(), wall.instant());
            case ADOPTED, UNASSIGNED -> AllocationCodec.annotationsOfAssigned(difference.actual());
        };
    }

    /** Why the kubelet gets no devices of this plugin, as a sentence; empty if it does. */
    private Optional<String> unready() {
        if (!kubelet.watched()) {
            return Optional.of("the kubelet does not watch every device list yet");
        }
        return Optional.ofNullable(latest.now().inventory().noCards()).map(NoCards::sentences);
    }

    private IsolationProvider provider(
            IsolationOptions.Settings settings, SharedSession driver, ProcessTable processes, InstantSource clock) {
        return switch (settings.policy().wanted()) {
            case NONE -> new CountedMemory();
            case DRIVER ->
                new DriverIsolation(new NvmlMemoryLimits(driver), new PodCgroups(settings.cgroupRoot()), events);
            case MPS ->
                new MpsIsolation(
                        new MpsDirectory(settings.mpsDir()),
                        settings.overUseGrace(),
                        new MpsIsolation.Sources(
                                () -> new MpsIsolation.Measured(usage.now(), usage.excesses()),
                                () -> published != null,
                                processes::cgroup,
                                processes::started),
                        events,
                        clock);
        };
    }

    private void assembled(Inventory now) {
        Inventory isolated = isolation.isolated(now.withPercents(resources.kinds()));
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
        // Names can't change later, and a pod of another device plugin must not end this one.
        if (counted && !namesChecked) {
            namesChecked = now.checkpointKnown();
            now.unknownResource(resources.all()).ifPresent(this::refuse);
        }
        if (exit.isDone()) {
            return;
        }
        DeviceLists lists = DeviceLists.of(now.allocations());
        // Without the API server the next pod would be unknown to the plugin, and fail.
        kubelet.offer(lease.lost() ? lists.only(now.allocations().allocatedIds()) : lists);
        allocations.reconcileSoon();
        if (counted && !now.inventory().equals(published)) {
            published = now.inventory();
            inventory.publish(published);
        }
    }

    private void refuse(String unknownResource) {
        LOG.error(
                "{}, which would be free under the present names: add that name to --former-card-resources or"
                    + " --former-memory-resources of both programs (there is none for cores), or delete the pods that"
                    + " request it",
                unknownResource);
        exit.complete(PluginMain.INVALID_OPTIONS);
    }

    private CardScanner.Listener cardListener() {
        return new CardScanner.Listener() {
            @Override
            public void inventory(Inventory now) {
                assembler.scanned(now);
            }

            @Override
            public void noCards(NoCards why) {
                events.warn(node, "GpuNoCards", "This node has " + why.sentences());
            }

            @Override
            public void usage(CardUsages now) {
                usage.report(provider.ofOthers(now));
            }

            @Override
            public void xid(CardId card, long xid, String remedy) {
                xids.report(card, xid, remedy);
            }
        };
    }

    private NodePodInformer.Listener podListener() {
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
        };
    }

    /** Stops everything: the sockets are removed, and running pods are not affected. */
    @Override
    public void close() {
        kubelet.close();
        publisher.close();
        LOG.info(
                "kubelet calls {}, refused {}; {}; Xids {}; Events lost {}",
                calls.identified(),
                calls.refused().sum(),
                allocations.counts(),
                cards.counts(),
                events.lost());
        if (metricsServer != null) {
            metricsServer.close();
        }
        allocations.close();
        events.close();
        podResourcesPoller.close();
        isolation.close();
        cards.close();
        usage.close();
        cordons.close();
        inventory.close();
        lease.close();
        pods.close();
        podResources.close();
        api.close();
        sockets.close();
    }
}
