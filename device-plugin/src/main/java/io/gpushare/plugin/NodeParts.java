package io.gpushare.plugin;

import io.gpushare.kubernetes.EventSubject;
import io.gpushare.kubernetes.KubernetesApi;
import io.gpushare.kubernetes.event.EventQueue;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.Share;
import io.gpushare.model.request.DemandCodec;
import io.gpushare.plugin.allocate.devices.WireSize;
import io.gpushare.plugin.node.cards.CardSource;
import io.gpushare.plugin.node.cards.NodePause;
import io.gpushare.plugin.node.cluster.InventoryPublisher;
import io.gpushare.plugin.node.cluster.NodeObject;
import io.gpushare.plugin.node.cluster.NodePodInformer;
import io.gpushare.plugin.node.cluster.NodePoller;
import io.gpushare.plugin.node.holdings.InUse;
import io.gpushare.plugin.node.holdings.LatestHoldings;
import io.gpushare.plugin.node.holdings.Offer;
import io.gpushare.plugin.node.isolation.IsolationProvider;
import io.gpushare.plugin.node.isolation.enforcement.HeadroomInUse;
import io.gpushare.plugin.node.isolation.enforcement.MissingIsolation;
import io.gpushare.plugin.node.isolation.enforcement.NodeIsolation;
import io.gpushare.plugin.node.isolation.mps.MpsIsolation;
import io.gpushare.plugin.node.metrics.MetricsServer;
import io.gpushare.plugin.node.metrics.PluginMetrics;
import io.gpushare.plugin.node.monitor.ForeignUseReporter;
import io.gpushare.plugin.node.monitor.OverUseGuard;
import io.gpushare.plugin.node.monitor.ProcessTable;
import io.gpushare.plugin.node.monitor.RemovedCardReporter;
import io.gpushare.plugin.node.monitor.StillComputing;
import io.gpushare.plugin.node.monitor.UsageMonitor;
import io.gpushare.plugin.node.monitor.XidReporter;
import io.gpushare.plugin.node.offer.InventoryAssembler;
import io.gpushare.plugin.node.offer.InventoryUpdates;
import io.gpushare.plugin.node.offer.SnapshotPublisher;
import io.gpushare.plugin.node.sockets.Sockets;
import io.gpushare.program.Ending;
import io.gpushare.time.Clocks;
import io.gpushare.time.StartedParts;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Supplier;

/** The parts that a node has, whatever its offer. */
final class NodeParts {
    /** The program's name in its Events and calls. */
    private static final String COMPONENT = "gpushare-device-plugin";

    private static final Duration EVENT_GAP = Duration.ofMillis(100);

    final MemoryUnit unit;
    final InstantSource clock;
    final InstantSource wall;
    final EventSubject.Node node;
    final SnapshotPublisher publisher = new SnapshotPublisher();
    final LatestHoldings holdings;
    final Sockets sockets;
    final KubernetesApi api;
    final NodeObject nodeObject;
    final NodePodInformer pods;
    final InventoryPublisher inventory;
    final EventQueue events;
    final PluginMetrics metrics = new PluginMetrics(PluginOptions.Version.number());
    /** Ends the plugin, whose options are invalid. */
    final Runnable invalid;

    private final PluginOptions options;
    private final Ending ending;
    private final StartedParts parts;
    private final NodePause pause;
    private final CardSource driver;

    /**
     * What measures the node's containers, and holds them to their shares.
     *
     * @param assembler receives what is reported about the cards
     */
    record Limits(
            ProcessTable processes,
            UsageMonitor usage,
            OverUseGuard overUse,
            IsolationProvider provider,
            NodeIsolation isolation,
            StillComputing ended,
            InventoryAssembler assembler) {}

    /**
     * Starts those that nothing else needs.
     *
     * @param ending requested if the plugin can't continue
     * @param parts receives what has to be closed
     */
    NodeParts(PluginOptions options, NodeEdges edges, Ending ending, Clocks clocks, StartedParts parts)
            throws IOException {
        this.options = options;
        this.ending = ending;
        this.parts = parts;
        unit = options.cluster.memoryUnit();
        clock = clocks.steady();
        wall = clocks.wall();
        node = new EventSubject.Node(options.nodeName);
        invalid = () -> ending.request(Ending.INVALID_OPTIONS);
        holdings = new LatestHoldings(Inventory.empty(unit), publisher::changed);
        pause = new NodePause(options.pauseLabels);
        driver = edges.cards(options.scanning(unit, pause), clocks);
        sockets = parts.add(edges.sockets());
        api = parts.add(edges.api(options.cluster.kubeconfig(), COMPONENT + "/" + PluginOptions.Version.number()));
        nodeObject = new NodeObject(api, options.nodeName);
        pods = parts.add(
                new NodePodInformer(api, options.nodeName, new DemandCodec(options.cluster.resources(), unit)));
        inventory = parts.add(new InventoryPublisher(api, options.nodeName)).start();
        events = parts.add(
                        new EventQueue(api.events(COMPONENT, options.nodeName)::record, EVENT_GAP, () -> true, clocks))
                .start();
    }

    /**
     * Starts to measure the containers; limits nothing before {@link #scan}.
     *
     * @param offer the active one
     * @param memory how users request memory, for messages
     * @param beside what each card gives beside memory
     */
    Limits limits(Offer offer, String memory, Share beside) {
        OverUseGuard overUse = new OverUseGuard(
                memory, Optional.ofNullable(options.evictOverUseAfter), events, api.evictions()::evict, clock);
        ForeignUseReporter foreignUse = new ForeignUseReporter(node, this::podsKnown, events);
        ProcessTable processes = new ProcessTable(options.procDir);
        StillComputing ended = parts.add(new StillComputing(
                node, holdings, processes, driver::processes, this::podsKnown, pods::live, events, clock));
        UsageMonitor usage = parts.add(new UsageMonitor(
                        holdings, processes, overUse, foreignUse, ended, offer == Offer.DEVICE_PLUGIN, clock))
                .start();
        IsolationProvider provider = options.isolation.provider(
                new MpsIsolation.Sources(
                        () -> new MpsIsolation.Measured(usage.now(), usage.excesses()),
                        processes::cgroup,
                        processes::started),
                driver.memoryLimits(),
                events,
                clock);
        NodeIsolation isolation = parts.add(new NodeIsolation(
                options.isolation.policy(),
                provider,
                holdings,
                new MissingIsolation(node, events),
                new HeadroomInUse(node, events)));
        InventoryAssembler assembler = new InventoryAssembler(
                unit,
                new InventoryUpdates(beside, isolation, holdings, publisher),
                invalid,
                cards -> WireSize.smallestInsteadOf(cards.unit(), cards.cards()),
                cards -> InUse.of(holdings.on(cards), offer));
        usage.reportForeign(assembler::foreign);
        return new Limits(processes, usage, overUse, provider, isolation, ended, assembler);
    }

    /** Whether the node's pods were reported, and what claims they use: before, a process seems to have none. */
    boolean podsKnown() {
        return pods.synced() && holdings.now().by(Offer.CLAIMS).complete();
    }

    /** Reads the cards and their cordons from now on, and shows what is measured. */
    void scan(Limits limits) {
        parts.add(new NodePoller(
                        nodeObject,
                        now -> {
                            limits.assembler().cordoned(now);
                            publisher.read(SnapshotPublisher.Source.CORDONS);
                        },
                        pause))
                .start();
        CardSource.Scan cards = parts.add(driver.scan(new CardReports(
                limits.assembler(),
                events,
                node,
                limits.usage(),
                limits.provider(),
                new XidReporter(holdings, events),
                new RemovedCardReporter(holdings, events),
                invalid,
                () -> ending.request(PluginProgram.DRIVER_REPLACED))));
        limits.isolation().start();
        metrics.registerNode(holdings, limits.usage(), limits.provider());
        if (options.dcgmMetrics) {
            metrics.registerDcgm(holdings, limits.usage(), options.nodeName);
        }
        PartMetrics counted = new PartMetrics(metrics);
        counted.ofCards(cards, holdings);
        counted.ofIsolation(limits.overUse(), limits.isolation(), limits.provider());
    }

    /**
     * Serves the metrics, if the options name an address.
     *
     * @param problem why the node gives no cards, as a sentence; empty if it does
     */
    void serveMetrics(Supplier<Optional<String>> problem) throws IOException {
        if (options.metricsAddress != null) {
            parts.add(MetricsServer.start(options.metricsAddress, metrics, problem));
        }
    }
}
