package io.gpushare.plugin;

import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.kubernetes.ResourceApi;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Share;
import io.gpushare.model.claims.ClaimDecoder;
import io.gpushare.model.claims.ClaimUse;
import io.gpushare.model.claims.ResourceClaim;
import io.gpushare.model.claims.SliceSpecs;
import io.gpushare.plugin.claims.CdiFiles;
import io.gpushare.plugin.claims.ClaimReader;
import io.gpushare.plugin.claims.ClaimRequests;
import io.gpushare.plugin.claims.NodeClaims;
import io.gpushare.plugin.dra.DraSockets;
import io.gpushare.plugin.kubelet.CheckpointReader;
import io.gpushare.plugin.monitor.RebootReporter;
import io.gpushare.plugin.offer.ClaimCalls;
import io.gpushare.plugin.offer.ClaimOffer;
import io.gpushare.plugin.offer.OtherWay;
import io.gpushare.plugin.slices.PoolGuard;
import io.gpushare.plugin.slices.SlicePublisher;
import io.gpushare.plugin.snapshot.KubeletCheckpoint;
import io.gpushare.plugin.state.LatestSnapshot;
import io.gpushare.plugin.state.SnapshotPublisher.Source;
import io.gpushare.program.Ending;
import io.gpushare.time.Clocks;
import io.gpushare.time.StartedParts;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** The running plugin of a node that offers its cards by claims: starts its parts and connects them. */
final class ClaimsPlugin implements RunningPlugin {
    /** The name of the driver in slices and claims, and the domain of the cards' attributes. */
    static final String DRIVER = ClaimDecoder.DRIVER;

    /**
     * Starts everything.
     *
     * @param ending requested if the plugin can't continue
     * @param parts receives what has to be closed
     */
    ClaimsPlugin(PluginOptions options, Ending ending, Clocks clocks, StartedParts parts) throws IOException {
        NodeParts all = new NodeParts(options, ending, clocks, parts);
        LatestSnapshot latest = all.latest;
        Supplier<Inventory> present = () -> latest.now().inventory();
        BooleanSupplier known = () -> all.pods.synced() && latest.now().claimsKnown();
        NodeParts.Limits limits = all.limits(
                "memory of its claim (units of " + all.unit.amount(1) + ")",
                known,
                known,
                _ -> Optional.empty(),
                Share.ALL_CORES);
        CheckpointReader checkpoint =
                new CheckpointReader(options.kubeletDir.resolve("device-plugins"), options.cluster.resources());
        OtherWay otherWay = parts.add(OtherWay.devicePlugin(
                        all.pods,
                        () -> recorded(checkpoint, latest),
                        limits.assembler(),
                        sentence -> all.events.warn(all.node, "GpuCardsHeld", sentence))
                .start());
        SliceSpecs specs = new SliceSpecs(DRIVER, options.nodeName);
        SlicePublisher slices = parts.add(new SlicePublisher(
                all.api, specs, sentence -> all.events.warn(all.node, "GpuSharesNotOffered", sentence)));
        parts.add(new PoolGuard(
                        all.api.resources(),
                        DRIVER,
                        options.nodeName,
                        sentence -> all.events.warn(all.node, "GpuPoolNotOwn", sentence)))
                .start();
        NodeClaims claims = new NodeClaims(
                new ClaimDecoder(DRIVER, options.nodeName),
                reader(all.api.resources()),
                new CdiFiles(options.cdiDir.toAbsolutePath()),
                new ClaimRequests(options.containers(), limits.isolation()),
                latest,
                otherWay::refusal,
                slices::changed,
                sentence -> all.events.warn(all.node, "GpuCardMiscounted", sentence));
        slices.start(() -> claims.on(present.get()));
        DraSockets kubelet = parts.add(new DraSockets(
                options.kubeletDir.toAbsolutePath(),
                DRIVER,
                options.nodeName,
                claims,
                present,
                slices::registered,
                all.sockets,
                clocks.wall()));
        ClaimCalls calls = parts.add(new ClaimCalls(claims, kubelet));
        ClaimOffer offer = parts.add(new ClaimOffer(
                        latest, all.api.resources(), calls, kubelet, slices, all.inventory, ending::request))
                .start();
        all.publisher.start(offer::changed);
        // The kubelet says nothing of claims that its driver has to know.
        all.publisher.read(Source.POD_RESOURCES);
        RebootReporter reboots =
                new RebootReporter(options.procDir, options.cluster.resources().all(), all.events);
        // Of a pod that begins to use a claim the kubelet says nothing either.
        all.pods.watch(new PodReports(latest, limits.isolation()::soon, () -> {}, reboots));
        all.scan(limits);
        new PartMetrics(all.metrics).ofClaims(claims);
        all.serveMetrics(offer::problem);
        parts.add(all.publisher);
    }

    /** Pods of the device plugin keep their isolation by what the snapshot has of them. */
    private static Optional<KubeletCheckpoint> recorded(CheckpointReader reader, LatestSnapshot latest) {
        Optional<KubeletCheckpoint> recorded = reader.read();
        recorded.ifPresent(now -> latest.update(snapshot -> snapshot.withCheckpoint(now)));
        return recorded;
    }

    static ClaimReader reader(ResourceApi resources) {
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
}
