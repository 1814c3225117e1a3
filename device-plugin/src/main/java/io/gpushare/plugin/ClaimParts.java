package io.gpushare.plugin;

import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.kubernetes.ResourceApi;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.claims.ClaimDecoder;
import io.gpushare.model.claims.ClaimUse;
import io.gpushare.model.claims.ResourceClaim;
import io.gpushare.model.claims.SliceSpecs;
import io.gpushare.plugin.claims.dra.DraSockets;
import io.gpushare.plugin.claims.offer.ClaimCalls;
import io.gpushare.plugin.claims.offer.ClaimOffer;
import io.gpushare.plugin.claims.offer.SliceRemoval;
import io.gpushare.plugin.claims.prepare.AppliedClaims;
import io.gpushare.plugin.claims.prepare.CdiFiles;
import io.gpushare.plugin.claims.prepare.ClaimReader;
import io.gpushare.plugin.claims.prepare.ClaimRequests;
import io.gpushare.plugin.claims.prepare.NodeClaims;
import io.gpushare.plugin.claims.prepare.NvidiaCdi;
import io.gpushare.plugin.claims.slices.PoolGuard;
import io.gpushare.plugin.claims.slices.SlicePublisher;
import io.gpushare.plugin.claims.slices.SysfsRoots;
import io.gpushare.plugin.node.holdings.FreeCards;
import io.gpushare.plugin.node.holdings.Offer;
import io.gpushare.plugin.node.isolation.enforcement.NodeIsolation;
import io.gpushare.plugin.node.offer.SnapshotPublisher.Source;
import io.gpushare.program.Ending;
import io.gpushare.time.StartedParts;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Claims: the source of what they have, and their offer. */
final class ClaimParts {
    private static final Logger LOG = LoggerFactory.getLogger(ClaimParts.class);
    /** The name of the driver in slices and claims, and the domain of the cards' attributes. */
    private static final String DRIVER = ClaimDecoder.DRIVER;

    private final PluginOptions options;
    private final NodeParts node;
    private final NodeIsolation isolation;
    private final FreeCards free;
    private final AppliedClaims applied;
    private final Runnable rule;
    private final Runnable held;
    private final StartedParts parts;
    private final CdiFiles files;
    private final SliceRemoval removal;
    private final SlicePublisher slices;
    final NodeClaims claims;

    /**
     * Makes the source.
     *
     * @param rule is run when a claim may have ended, or a slice may be there again
     * @param held is run when the pods of claims may have changed
     * @param parts receives what has to be closed
     */
    ClaimParts(
            PluginOptions options,
            NodeParts node,
            NodeParts.Limits limits,
            Runnable rule,
            Runnable held,
            StartedParts parts) {
        this.options = options;
        this.node = node;
        this.isolation = limits.isolation();
        this.free = limits.ended();
        this.rule = rule;
        this.held = held;
        this.parts = parts;
        files = new CdiFiles(options.cdiDir.toAbsolutePath());
        removal = new SliceRemoval(
                node.api.resources(), DRIVER, options.nodeName, Files.isDirectory(options.driverDir()), node.clock);
        slices = new SlicePublisher(
                node.api,
                new SliceSpecs(DRIVER, options.nodeName, new SysfsRoots(options.sysDir)),
                sentence -> node.events.warn(node.node, "GpuSharesNotOffered", sentence));
        boolean active = options.serve.offer() == Offer.CLAIMS;
        claims = new NodeClaims(
                new ClaimDecoder(DRIVER, options.nodeName),
                reader(node.api.resources()),
                files,
                new ClaimRequests(options.containers(), limits.isolation(), nvidiaCdi()),
                node.holdings::inventory,
                active ? this::notGiven : this::notOffered,
                limits.processes()::running,
                node.publisher::changed,
                active ? this::ended : rule,
                active ? sentence -> node.events.warn(node.node, "GpuCardMiscounted", sentence) : _ -> {});
        applied = parts.add(new AppliedClaims(node.holdings, claims, limits.processes(), node.node, node.events));
    }

    private NvidiaCdi nvidiaCdi() {
        return new NvidiaCdi(
                options.cardsByNameIfPossible() ? List.of(options.staticCdiDir, options.cdiDir) : List.of(),
                sentence -> {
                    LOG.warn("{}", sentence);
                    node.events.warn(node.node, "GpuCdiFile", sentence);
                });
    }

    /** A claim of a deleted pod may have been the last to have a card. */
    private void ended() {
        slices.changed();
        held.run();
    }

    /** Before a card is in use, its driver must be there: the kubelet repeats the call. */
    private Optional<String> notGiven(ResourceClaim claim, Inventory inventory, Set<CardId> cards) {
        return inUse(inventory, cards)
                .or(() -> Optional.ofNullable(inventory.noCards()).map(why -> "its node has " + why.sentences()))
                .or(() -> applied.problem())
                .or(() -> free.inUseBy(claim.pods(), cards).map(ClaimParts::waits))
                // Nobody can be seen there who has ended. The kubelet repeats this call, and Allocate never.
                .or(() -> Optional.of("the pods of its node are not known yet: the kubelet tries again")
                        .filter(_ -> !node.podsKnown()));
    }

    private static String waits(String names) {
        return "its cards are in use (" + names + "): it starts when that ends, or recreate it";
    }

    private static Optional<String> inUse(Inventory inventory, Set<CardId> cards) {
        return inventory.cards().stream()
                .filter(card -> cards.contains(card.id()))
                .flatMap(card -> Stream.ofNullable(card.inUseBy()))
                .findFirst()
                .map(ClaimParts::waits);
    }

    private Optional<String> notOffered(ResourceClaim claim, Inventory inventory, Set<CardId> cards) {
        removal.allocated();
        rule.run();
        return Optional.of("its node offers its cards by the device plugin now: recreate the pod");
    }

    /** How users request memory by claims, for messages. */
    static String memory(MemoryUnit unit) {
        return "memory of its claim (units of " + unit.amount(1) + ")";
    }

    /** Lists the files, where the device plugin is the offer; returns the time until there may be slices again. */
    Duration look() {
        claims.look(removal.problem());
        return removal.rest();
    }

    /**
     * Lets claims end, where the device plugin is the offer. Without a driver the kubelet does not let the pods end
     * that have cards by claims. No further claim is prepared: after a reboot, which removes the files, these pods are
     * refused. The kubelet knows claims that were never prepared as well, so the driver is there on each node that ever
     * served claims, and on no other one.
     */
    void letEnd() {
        // Without this directory no kubelet finds a driver; an installation without claims does not mount it.
        boolean registry = Files.isDirectory(options.kubeletDir.resolve("plugins_registry"));
        boolean served = registry && (Files.exists(options.servedClaims()) || files.mayHaveAny());
        ClaimCalls.Service kubelet = served ? parts.add(sockets(() -> {}))::start : () -> {};
        parts.add(new ClaimCalls(claims, kubelet, node.pods::synced)).beginWhenPossible();
    }

    private DraSockets sockets(Runnable registered) {
        return new DraSockets(
                options.kubeletDir.toAbsolutePath(),
                DRIVER,
                options.nodeName,
                claims,
                node.holdings::inventory,
                registered,
                node.sockets,
                node.wall);
    }

    /**
     * Offers cards as slices.
     *
     * @param ending requested if the plugin can't continue
     */
    ActiveOffer offer(Ending ending) {
        parts.add(slices);
        parts.add(new PoolGuard(
                        node.api.resources(),
                        DRIVER,
                        options.nodeName,
                        sentence -> node.events.warn(node.node, "GpuPoolNotOwn", sentence)))
                .start();
        slices.start(() -> claims.cards(node.holdings.inventory()));
        DraSockets kubelet = parts.add(sockets(slices::registered));
        ClaimOffer offer = parts.add(new ClaimOffer(
                node.holdings,
                node.api.resources(),
                parts.add(new ClaimCalls(claims, kubelet::start, node.pods::synced)),
                kubelet,
                slices,
                node.inventory,
                ending::request));
        applied.start();
        new PartMetrics(node.metrics).ofClaims(claims, applied);
        return new Claims(offer);
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

    /** The offer. */
    private final class Claims implements ActiveOffer {
        private final ClaimOffer offer;

        Claims(ClaimOffer offer) {
            this.offer = offer;
        }

        @Override
        public void begin() {
            offer.start();
            node.publisher.start(offer::changed);
            // The kubelet says nothing of claims that its driver has to know.
            node.publisher.read(Source.POD_RESOURCES);
        }

        /** Of a pod that begins to use a claim the kubelet says nothing. */
        @Override
        public void podChanged() {
            isolation.soon();
            held.run();
        }

        /** Its claim may still have a card. */
        @Override
        public void podDeleted() {
            held.run();
        }

        @Override
        public Optional<String> problem() {
            return offer.problem();
        }
    }
}
