package io.gpushare.plugin;

import io.gpushare.kubernetes.KubernetesApi;
import io.gpushare.kubernetes.PodEvent;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.codec.AllocationCodec;
import io.gpushare.model.codec.AnnotationKeys;
import io.gpushare.model.codec.InventoryCodec;
import io.gpushare.plugin.admission.AllocationHandler;
import io.gpushare.plugin.admission.LatestSnapshot;
import io.gpushare.plugin.admission.PodResourcesPoller;
import io.gpushare.plugin.admission.TimedCallHandler;
import io.gpushare.plugin.allocation.Caller;
import io.gpushare.plugin.allocation.ContainerSettings;
import io.gpushare.plugin.allocation.RefusalKind;
import io.gpushare.plugin.cards.CardScanner;
import io.gpushare.plugin.cluster.AllocationReconciler;
import io.gpushare.plugin.cluster.CordonPoller;
import io.gpushare.plugin.cluster.InventoryPublisher;
import io.gpushare.plugin.cluster.NodeLabels;
import io.gpushare.plugin.cluster.NodePodInformer;
import io.gpushare.plugin.cluster.PodEventRecorder;
import io.gpushare.plugin.devices.DeviceLists;
import io.gpushare.plugin.devices.WireSize;
import io.gpushare.plugin.kubelet.DomainSockets;
import io.gpushare.plugin.kubelet.KubeletConnection;
import io.gpushare.plugin.kubelet.PodResourcesClient;
import io.gpushare.plugin.metrics.MetricsServer;
import io.gpushare.plugin.metrics.PluginCounters;
import io.gpushare.plugin.metrics.PluginMetrics;
import io.gpushare.plugin.monitor.OverUseGuard;
import io.gpushare.plugin.monitor.UsageMonitor;
import io.gpushare.plugin.node.AnnotationDifference;
import io.gpushare.plugin.node.NodePod;
import io.gpushare.plugin.node.NodeSnapshot;
import io.gpushare.plugin.processes.ProcessTable;
import io.gpushare.plugin.usage.CardUsages;
import io.gpushare.plugin.usage.NodeUsage;
import io.gpushare.plugin.usage.OverUse;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The running program: its parts, wired. */
final class Plugin implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Plugin.class);
    private static final Duration SCAN = Duration.ofSeconds(2);

    private final CompletableFuture<Integer> exit;
    private final Semaphore changes = new Semaphore(0);
    private final LatestSnapshot latest;
    private final KubernetesApi api;
    private final DomainSockets sockets = new DomainSockets();
    private final PodResourcesClient podResources;
    private final NodePodInformer pods;
    private final InventoryPublisher note;
    private final PodEventRecorder events;
    private final AllocationReconciler allocations;
    private final AllocationHandler admission;
    private final OverUseGuard overUse;
    private final UsageMonitor uses;
    private final KubeletConnection kubelet;
    private final PodResourcesPoller books;
    private final Thread publisher = new Thread(this::publish, "publisher");
    private final CardScanner cards;
    private volatile boolean booksRead;
    private final CordonPoller cordons;
    private volatile boolean cardsRead;
    private Inventory scanned;
    private Set<CardId> cordoned = Set.of();
    private Set<CardId> missed = Set.of();
    private volatile boolean cordonsRead;
    private final @Nullable MetricsServer metricsServer;

    /**
     * Starts everything.
     *
     * @param exit completed with the exit code when the program can't go on
     */
    Plugin(PluginOptions.Settings settings, CompletableFuture<Integer> exit) throws IOException {
        InstantSource clock = InstantSource.system();
        this.exit = exit;
        this.scanned = Inventory.empty(settings.unit());
        this.latest = new LatestSnapshot(NodeSnapshot.of(Inventory.empty(settings.unit())), changes::release);
        this.api = KubernetesApi.connect(
                settings.kubeconfig(), "gpushare-device-plugin/" + PluginOptions.Version.number());
        this.podResources = new PodResourcesClient(
                settings.kubeletDir().resolve("pod-resources/kubelet.sock"), settings.resources(), sockets);
        this.pods = new NodePodInformer(api, settings.nodeName(), settings.resources());
        this.note = InventoryPublisher.start(
                inventory -> {
                    api.nodes()
                            .annotate(
                                    settings.nodeName(),
                                    Map.of(AnnotationKeys.INVENTORY, InventoryCodec.encode(inventory)));
                    NodeLabels.write(api, settings.nodeName(), inventory);
                },
                InventoryPublisher.Pace.USUAL);
        this.events = PodEventRecorder.start(api.events()::record, clock);
        this.allocations = AllocationReconciler.start(
                () -> AnnotationDifference.of(latest.now()),
                difference -> api.pods().annotate(difference.pod(), annotations(difference, clock)),
                events::tell,
                AllocationReconciler.Pace.USUAL,
                clock);
        this.admission = new AllocationHandler(
                latest, podResources::list, pods::live, new ContainerSettings(settings.strategies()), clock);
        this.overUse = new OverUseGuard(
                settings.resources().memory(), settings.evictOverUseAfter(), events::tell, api.pods()::evict, clock);
        this.uses = UsageMonitor.start(latest, new ProcessTable(settings.procDir()), overUse, clock);
        PluginMetrics metrics = new PluginMetrics(PluginOptions.Version.number(), new Seen());
        this.kubelet = KubeletConnection.start(
                settings.kubeletDir().resolve("device-plugins"),
                settings.resources(),
                new TimedCallHandler(admission, metrics),
                sockets,
                clock);
        this.books = new PodResourcesPoller(latest, podResources::list, pods::synced, this::booksRead, clock);
        pods.watch(watching());
        books.start();
        publisher.setDaemon(true);
        publisher.start();
        this.cordons =
                CordonPoller.start(() -> api.nodes().read(settings.nodeName()), this::cordoned, CordonPoller.USUAL);
        this.cards = CardScanner.start(
                new CardScanner.Settings(settings.nvmlLibrary(), settings.unit(), SCAN, settings.healthQuietTime()),
                watchingCards(),
                clock);
        this.metricsServer = settings.metricsAddress().isPresent()
                ? MetricsServer.start(settings.metricsAddress().get(), metrics, kubelet::watched)
                : null;
    }

    /** What the metrics are made of. */
    private final class Seen implements PluginCounters {
        @Override
        public Map<Caller.Way, Long> found() {
            return admission.found();
        }

        @Override
        public Map<RefusalKind, Long> refused() {
            return admission.refused();
        }

        @Override
        public Map<AnnotationDifference.Kind, Long> differences() {
            return allocations.found();
        }

        @Override
        public long mended() {
            return allocations.mended();
        }

        @Override
        public long failedMends() {
            return allocations.failures();
        }

        @Override
        public Map<String, Long> registrations() {
            return kubelet.registrations();
        }

        @Override
        public Map<PluginCounters.Xid, Long> xids() {
            Map<PluginCounters.Xid, Long> counts = new HashMap<>();
            cards.counts()
                    .forEach((xid, count) ->
                            counts.put(new PluginCounters.Xid(xid.card(), xid.xid(), xid.remedy()), count));
            return counts;
        }

        @Override
        public long eventsLost() {
            return events.lost();
        }

        @Override
        public Map<String, Long> evictions() {
            return overUse.counts();
        }

        @Override
        public NodeUsage load() {
            return uses.now();
        }

        @Override
        public List<OverUse.Excess> excesses() {
            return uses.excesses();
        }

        @Override
        public NodeSnapshot picture() {
            return latest.now();
        }
    }

    private Map<String, String> annotations(AnnotationDifference difference, InstantSource clock) {
        return AllocationCodec.annotationsOfRunning(
                difference.holds(), latest.now().inventory(), clock.instant());
    }

    private CardScanner.Listener watchingCards() {
        return new CardScanner.Listener() {
            @Override
            public void inventory(Inventory now) {
                Plugin.this.inventory(now);
            }

            @Override
            public void loads(CardUsages now) {
                uses.told(now);
            }

            @Override
            public void xid(CardId card, long xid, String remedy) {
                PodEvent event = new PodEvent(
                        true,
                        PodEventRecorder.COMPONENT,
                        "GpuXid",
                        "Card " + card + " of this pod reported Xid " + xid + ": " + remedy + ".");
                latest.now().use().held().holdings().stream()
                        .filter(holding -> holding.allocation().cards().contains(card))
                        .forEach(holding -> {
                            switch (holding.holder()) {
                                case PodRef pod -> events.tell(pod, event);
                            }
                        });
            }
        };
    }

    private NodePodInformer.Listener watching() {
        return new NodePodInformer.Listener() {
            @Override
            public void changed(NodePod pod) {
                latest.update(picture -> picture.withPod(pod));
            }

            @Override
            public void gone(String uid) {
                latest.update(picture -> picture.withoutPod(uid));
                books.readSoon();
            }
        };
    }

    private void booksRead() {
        booksRead = true;
        changes.release();
    }

    private void inventory(Inventory now) {
        Optional<MemoryUnit> fitting = WireSize.smallestInsteadOf(now.unit(), now.cards());
        if (fitting.isPresent()) {
            LOG.error(
                    "--memory-unit={} makes {} devices of this node's cards, more than the kubelet takes in one list"
                            + " (4 MiB): the smallest unit that fits is --memory-unit={}",
                    now.unit(),
                    now.cards().stream()
                            .mapToInt(card -> now.capacityOf(card).units())
                            .sum(),
                    fitting.get());
            exit.complete(PluginMain.WRONG_OPTIONS);
            return;
        }
        synchronized (this) {
            scanned = now;
            told();
        }
    }

    private synchronized void cordoned(Set<CardId> changed) {
        cordoned = changed;
        cordonsRead = true;
        if (cardsRead) {
            told();
        }
    }

    /** The cards as the driver tells them, with the cordons that people wrote. */
    private synchronized void told() {
        Inventory now = scanned.withCordoned(cordoned);
        Set<CardId> missing = new TreeSet<>(cordoned);
        now.cards().forEach(card -> missing.remove(card.id()));
        if (!now.cards().isEmpty() && !missing.equals(missed)) {
            missed = missing;
            LOG.warn("cordoned, and not cards of this node: {}", missing.isEmpty() ? "none any more" : missing);
        }
        latest.update(picture -> picture.withInventory(now));
        cardsRead = true;
        changes.release();
        note.write(now);
    }

    /** Sends the lists of the newest picture, whatever happened in between; nothing before cards, books and cordons were read. */
    private void publish() {
        try {
            while (true) {
                changes.acquire();
                changes.drainPermits();
                if (cardsRead && booksRead && cordonsRead) {
                    kubelet.offer(DeviceLists.of(latest.now().use()));
                    allocations.look();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends everything: the sockets are gone afterwards, running pods are not touched. */
    @Override
    public void close() {
        kubelet.close();
        publisher.interrupt();
        LOG.info(
                "asked by the kubelet: {}; {}; Xids {}; Events lost {}",
                admission.counts(),
                allocations.counts(),
                cards.counts(),
                events.lost());
        if (metricsServer != null) {
            metricsServer.close();
        }
        allocations.close();
        events.close();
        books.close();
        cards.close();
        uses.close();
        cordons.close();
        note.close();
        pods.close();
        podResources.close();
        api.close();
        sockets.close();
    }
}
