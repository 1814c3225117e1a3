package io.gpushare.plugin;

import io.gpushare.model.claims.ClaimDecoder;
import io.gpushare.model.request.ResourceNames;
import io.gpushare.plugin.admission.AllocationHandler;
import io.gpushare.plugin.claims.CdiFiles;
import io.gpushare.plugin.claims.ClaimRequests;
import io.gpushare.plugin.claims.NodeClaims;
import io.gpushare.plugin.cluster.AllocationReconciler;
import io.gpushare.plugin.cluster.NodeLease;
import io.gpushare.plugin.cluster.NodeLeaseCalls;
import io.gpushare.plugin.cluster.NodePodInformer;
import io.gpushare.plugin.dra.DraSockets;
import io.gpushare.plugin.isolation.enforcement.NodeIsolation;
import io.gpushare.plugin.kubelet.CheckpointReader;
import io.gpushare.plugin.kubelet.KubeletConnection;
import io.gpushare.plugin.kubelet.PodResourcesClient;
import io.gpushare.plugin.monitor.RebootReporter;
import io.gpushare.plugin.offer.ClaimCalls;
import io.gpushare.plugin.offer.Departure;
import io.gpushare.plugin.offer.DeviceOffer;
import io.gpushare.plugin.offer.OtherWay;
import io.gpushare.plugin.offer.PublishedInventory;
import io.gpushare.plugin.offer.Readiness;
import io.gpushare.plugin.offer.SliceRemoval;
import io.gpushare.plugin.offer.UnknownNames;
import io.gpushare.plugin.snapshot.AnnotationDifference;
import io.gpushare.plugin.state.LatestSnapshot;
import io.gpushare.plugin.state.PodResourcesPoller;
import io.gpushare.plugin.state.SnapshotPublisher.Source;
import io.gpushare.program.Ending;
import io.gpushare.time.Clocks;
import io.gpushare.time.Deadlines;
import io.gpushare.time.StartedParts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** The running device plugin: starts its parts and connects them. */
final class Plugin implements RunningPlugin {
    private final PublishedInventory published;
    private final Departure departure;

    /**
     * Starts everything.
     *
     * @param ending requested if the plugin can't continue
     * @param deadlines of calls that are made while the kubelet waits
     * @param parts receives what has to be closed
     */
    Plugin(PluginOptions options, Ending ending, Clocks clocks, Deadlines deadlines, StartedParts parts)
            throws IOException {
        ResourceNames resources = options.cluster.resources();
        Path pluginDir = options.kubeletDir.resolve("device-plugins");
        NodeParts all = new NodeParts(options, ending, clocks, parts);
        LatestSnapshot latest = all.latest;
        NodePodInformer pods = all.pods;
        PodResourcesClient podResources = parts.add(new PodResourcesClient(
                options.kubeletDir.resolve("pod-resources/kubelet.sock"), resources, all.sockets));
        PodResourcesPoller.Lister podList = timeout -> podResources.list(deadlines.of(timeout));
        AllocationHandler.Pods live = timeout -> pods.live(deadlines.of(timeout));
        NodeLease lease = parts.add(new NodeLease(
                        new NodeLeaseCalls(all.api, options.cluster.nodeLeaseNamespace(), options.nodeName),
                        all.publisher::changed,
                        NodeLease.Pace.USUAL,
                        System::nanoTime))
                .start();
        published = new PublishedInventory(all.inventory);
        AllocationReconciler allocations = parts.add(new AllocationReconciler(
                        () -> AnnotationDifference.of(latest.now()),
                        difference -> all.api
                                .pods()
                                .annotate(
                                        difference.pod().ref(),
                                        difference.annotations(
                                                latest.now().inventory(),
                                                options.nodeName,
                                                clocks.wall().instant())),
                        all.events,
                        AllocationReconciler.Pace.USUAL,
                        all.clock))
                .start();
        CdiFiles files = new CdiFiles(options.cdiDir.toAbsolutePath());
        // Without this directory no kubelet finds a driver; an installation without claims does not mount it.
        boolean registry = Files.isDirectory(options.kubeletDir.resolve("plugins_registry"));
        boolean claims = registry && (Files.exists(options.servedClaims()) || files.mayHaveAny());
        // Cards of claims that are not read yet seem to be unused.
        BooleanSupplier holdersKnown =
                () -> published.known() && (!claims || latest.now().claimsKnown());
        NodeParts.Limits limits = all.limits(resources.memory(), pods::synced, holdersKnown, podList, options.beside());
        SliceRemoval slices = new SliceRemoval(
                all.api.resources(),
                ClaimsPlugin.DRIVER,
                options.nodeName,
                Files.isDirectory(options.driverDir()),
                all.clock);
        OtherWay otherWay = parts.add(OtherWay.claims(
                        files,
                        slices,
                        limits.assembler(),
                        sentence -> all.events.warn(all.node, "GpuCardsHeld", sentence))
                .start());
        if (claims) {
            letClaimsEnd(options, all, files, limits.isolation(), slices, otherWay, clocks, parts);
        }
        AllocationHandler calls =
                new AllocationHandler(latest, podList, live, options.containers(), limits.isolation(), all.clock);
        KubeletConnection kubelet = new KubeletConnection(
                        pluginDir,
                        resources,
                        calls,
                        new KubeletReports(limits.assembler(), all.events, all.node, all.publisher, all.metrics),
                        all.nodeObject::allocatable,
                        all.sockets,
                        all.clock)
                .start();
        departure = new Departure(latest, live::live, kubelet::idle, all.clock);
        PodResourcesPoller poller = parts.add(new PodResourcesPoller(
                latest,
                podList,
                new CheckpointReader(pluginDir, resources)::read,
                pods::synced,
                () -> all.publisher.read(Source.POD_RESOURCES),
                all.clock));
        pods.watch(new PodReports(
                latest, () -> {}, poller::readSoon, new RebootReporter(options.procDir, resources.all(), all.events)));
        poller.start();
        all.publisher.start(new DeviceOffer(
                latest,
                pods,
                lease,
                kubelet,
                allocations,
                published,
                new UnknownNames(resources, all.invalid),
                ending::requested)::publish);
        all.scan(limits);
        PartMetrics counted = new PartMetrics(all.metrics);
        counted.ofKubelet(calls, kubelet);
        counted.ofCluster(allocations, all.events, lease);
        all.serveMetrics(new Readiness(latest, kubelet)::problem);
        parts.add(all.publisher);
        parts.add(kubelet);
    }

    /**
     * Without a driver the kubelet does not let the pods end that have cards by claims, from the time when this node
     * offered them so. No further claim is prepared: after a reboot, which removes the files, these pods are refused.
     * The kubelet knows claims that were never prepared as well, so the driver is there on each node that ever served
     * claims, and on no other one.
     */
    private void letClaimsEnd(
            PluginOptions options,
            NodeParts all,
            CdiFiles files,
            NodeIsolation isolation,
            SliceRemoval slices,
            OtherWay otherWay,
            Clocks clocks,
            StartedParts parts) {
        NodeClaims claims = new NodeClaims(
                new ClaimDecoder(ClaimsPlugin.DRIVER, options.nodeName),
                ClaimsPlugin.reader(all.api.resources()),
                files,
                new ClaimRequests(options.containers(), isolation),
                all.latest,
                (_, _) -> {
                    slices.allocated();
                    otherWay.changed();
                    return Optional.of("its node offers its cards by the device plugin now: recreate the pod");
                },
                otherWay::changed);
        DraSockets kubelet = parts.add(new DraSockets(
                options.kubeletDir.toAbsolutePath(),
                ClaimsPlugin.DRIVER,
                options.nodeName,
                claims,
                () -> all.latest.now().inventory(),
                () -> {},
                all.sockets,
                clocks.wall()));
        parts.add(new ClaimCalls(claims, kubelet)).beginWhenPossible();
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
}
