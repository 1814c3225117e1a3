package io.gpushare.plugin;

import io.gpushare.model.request.ResourceNames;
import io.gpushare.plugin.allocate.admission.AllocationHandler;
import io.gpushare.plugin.allocate.kubelet.CheckpointReader;
import io.gpushare.plugin.allocate.kubelet.KubeletConnection;
import io.gpushare.plugin.allocate.kubelet.PodResourcesClient;
import io.gpushare.plugin.allocate.offer.Departure;
import io.gpushare.plugin.allocate.offer.DeviceOffer;
import io.gpushare.plugin.allocate.offer.Readiness;
import io.gpushare.plugin.allocate.offer.UnknownNames;
import io.gpushare.plugin.allocate.snapshot.AnnotationDifference;
import io.gpushare.plugin.allocate.snapshot.NodeSnapshot;
import io.gpushare.plugin.allocate.state.AllocationReconciler;
import io.gpushare.plugin.allocate.state.LatestSnapshot;
import io.gpushare.plugin.allocate.state.PodHoldings;
import io.gpushare.plugin.allocate.state.PodResourcesPoller;
import io.gpushare.plugin.node.cluster.NodeLease;
import io.gpushare.plugin.node.cluster.NodeLeaseCalls;
import io.gpushare.plugin.node.offer.PublishedInventory;
import io.gpushare.plugin.node.offer.SnapshotPublisher.Source;
import io.gpushare.program.Ending;
import io.gpushare.time.Deadlines;
import io.gpushare.time.Machine;
import io.gpushare.time.PeriodicTask;
import io.gpushare.time.StartedParts;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** The device plugin API: the source of what pods have by it, and its offer. */
final class AllocateParts {
    final LatestSnapshot latest;
    final PodHoldings holdings;
    private final PluginOptions options;
    private final NodeParts node;
    private final Deadlines deadlines;
    private final StartedParts parts;
    private final Path directory;
    private final CheckpointReader checkpoint;
    private final PublishedInventory published;

    /**
     * Makes the source.
     *
     * @param deadlines of calls that are made while the kubelet waits
     * @param parts receives what has to be closed
     */
    AllocateParts(PluginOptions options, NodeParts node, Deadlines deadlines, StartedParts parts) {
        this.options = options;
        this.node = node;
        this.deadlines = deadlines;
        this.parts = parts;
        boolean active = options.serve == ServeMode.DEVICE_PLUGIN;
        latest = new LatestSnapshot(
                active ? NodeSnapshot.of(node.holdings.inventory()) : NodeSnapshot.unlisted(node.holdings.inventory()),
                node.publisher::changed);
        node.holdings.follow(() -> latest.update(snapshot -> snapshot.withInventory(node.holdings.inventory())));
        directory = options.kubeletDir.resolve("device-plugins");
        checkpoint = new CheckpointReader(directory, options.cluster.resources());
        published = new PublishedInventory(node.inventory);
        holdings = new PodHoldings(latest, active ? published::known : node.pods::synced);
    }

    /** Reads what is recorded, where claims are offered; returns the time until there may be holders again: never. */
    Duration look() {
        holdings.look(node.pods::live, checkpoint::read);
        return PeriodicTask.ON_REQUEST;
    }

    /** Offers devices to the kubelet. */
    ActiveOffer offer(NodeParts.Limits limits, Ending ending) throws IOException {
        ResourceNames resources = options.cluster.resources();
        PodResourcesClient podResources = parts.add(new PodResourcesClient(
                options.kubeletDir.resolve("pod-resources/kubelet.sock"), resources, node.sockets));
        PodResourcesPoller.Lister podList = timeout -> podResources.list(deadlines.of(timeout));
        AllocationHandler.Pods live = timeout -> node.pods.live(deadlines.of(timeout));
        NodeLease lease = parts.add(new NodeLease(
                        new NodeLeaseCalls(node.api, options.cluster.nodeLeaseNamespace(), options.nodeName),
                        node.publisher::changed,
                        NodeLease.Pace.USUAL,
                        Machine.here()::nanos))
                .start();
        AllocationReconciler allocations = reconciler();
        AllocationHandler calls = handler(podList, live, limits);
        KubeletConnection kubelet = new KubeletConnection(
                        directory,
                        resources,
                        calls,
                        new KubeletReports(limits.assembler(), node.events, node.node, node.publisher, node.metrics),
                        node.nodeObject::allocatable,
                        node.sockets,
                        node.clock)
                .start();
        PodResourcesPoller poller = parts.add(new PodResourcesPoller(
                latest,
                podList,
                checkpoint::read,
                node.pods::synced,
                () -> node.publisher.read(Source.POD_RESOURCES),
                node.clock));
        DeviceOffer offer = new DeviceOffer(
                latest,
                node.pods,
                lease,
                kubelet,
                allocations,
                published,
                new UnknownNames(resources, node.invalid),
                ending::requested);
        PartMetrics counted = new PartMetrics(node.metrics);
        counted.ofKubelet(calls, kubelet);
        counted.ofCluster(allocations, node.events, lease);
        Departure departure = new Departure(latest, live::live, kubelet::idle, node.clock);
        return new Devices(kubelet, poller, () -> node.publisher.start(offer::publish), departure);
    }

    private AllocationReconciler reconciler() {
        return parts.add(new AllocationReconciler(
                        () -> AnnotationDifference.of(latest.now()),
                        difference -> node.api
                                .pods()
                                .annotate(
                                        difference.pod().ref(),
                                        difference.annotations(
                                                latest.now().inventory(), options.nodeName, node.wall.instant())),
                        node.events,
                        AllocationReconciler.Pace.USUAL,
                        node.clock))
                .start();
    }

    private AllocationHandler handler(
            PodResourcesPoller.Lister podList, AllocationHandler.Pods live, NodeParts.Limits limits) {
        return new AllocationHandler(
                latest, podList, live, limits.ended(), options.containers(), limits.isolation(), node.clock);
    }

    /** The offer. */
    private final class Devices implements ActiveOffer {
        private final KubeletConnection kubelet;
        private final PodResourcesPoller poller;
        private final Runnable publishing;
        private final Departure departure;

        Devices(KubeletConnection kubelet, PodResourcesPoller poller, Runnable publishing, Departure departure) {
            this.kubelet = kubelet;
            this.poller = poller;
            this.publishing = publishing;
            this.departure = departure;
        }

        @Override
        public void begin() {
            poller.start();
            publishing.run();
        }

        @Override
        public void podDeleted() {
            poller.readSoon();
        }

        @Override
        public Optional<String> problem() {
            return new Readiness(latest, kubelet).problem();
        }

        /** The pods that are already bound get their cards, for at most 20 s. */
        @Override
        public void leave() throws InterruptedException {
            if (published.leave()) {
                departure.await();
            }
        }

        @Override
        public void close() {
            kubelet.close();
        }
    }
}
