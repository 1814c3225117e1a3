package io.gpushare.plugin.offer;

import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.plugin.claims.CdiFiles;
import io.gpushare.plugin.cluster.NodePodInformer;
import io.gpushare.plugin.snapshot.KubeletCheckpoint;
import io.gpushare.plugin.state.HeldCards;
import io.gpushare.plugin.state.InventoryAssembler;
import io.gpushare.time.PeriodicTask;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds cards back while pods have them by the way in which the node offered them before, card by card: a node moves
 * from one way to the other without a drain.
 *
 * <p>At each moment a card has one offerer, because of the following.
 *
 * <ol>
 *   <li>One process of a node offers its cards and answers the kubelet, in one way: the holder of {@link NodeLock}.
 *   <li>What pods have by the other way is read after that lock was taken, and before anything is offered. It can only
 *       become less: of the device plugin, because no process answers {@code Allocate} any more, and a pod that the
 *       kubelet had begun to admit is bound already, so it counts ({@link PluginPods}). Of claims, because a claim has
 *       its cards once its file is written, and the process that serves the device plugin prepares no further claim. A
 *       claim that kube-scheduler allocated, and that is not prepared, holds nothing: it is refused.
 *   <li>A held card is in no slice and has no healthy device but those that are allocated, and neither
 *       {@code NodePrepareResources} nor {@code Allocate} gives it. What can't be read counts as all cards.
 *   <li>The slices of a node that offers its cards by the device plugin are deleted before it offers the first one.
 *       One that appears later is deleted as well ({@link SliceRemoval}); what it allocates is not prepared.
 * </ol>
 */
public final class OtherWay implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(OtherWay.class);
    private static final Duration AGAIN = Duration.ofSeconds(3);
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final Supplier<Function<Inventory, HeldCards>> holders;
    private final Supplier<Duration> rest;
    private final InventoryAssembler assembler;
    private final Consumer<String> warnings;
    private final PeriodicTask task = new PeriodicTask("other-way", this::look);
    private volatile HeldCards held = HeldCards.NONE;

    /** @param rest the time until there may be other ones although nobody has any */
    private OtherWay(
            Supplier<Function<Inventory, HeldCards>> holders,
            Supplier<Duration> rest,
            InventoryAssembler assembler,
            Consumer<String> warnings) {
        this.holders = holders;
        this.rest = rest;
        this.assembler = assembler;
        this.warnings = warnings;
    }

    /**
     * For a node that offers its cards by claims.
     *
     * @param recorded reads what the kubelet recorded; empty if that fails
     */
    public static OtherWay devicePlugin(
            NodePodInformer pods,
            Supplier<Optional<KubeletCheckpoint>> recorded,
            InventoryAssembler assembler,
            Consumer<String> warnings) {
        return new OtherWay(() -> ofPods(pods, recorded), () -> PeriodicTask.ON_REQUEST, assembler, warnings);
    }

    private static Function<Inventory, HeldCards> ofPods(
            NodePodInformer pods, Supplier<Optional<KubeletCheckpoint>> recorded) {
        return pods.live(TIMEOUT)
                .map(all -> new PluginPods(all, recorded.get().orElse(null)))
                .<Function<Inventory, HeldCards>>map(all -> all::on)
                .orElse(_ -> HeldCards.unknown("the pods of this node can't be listed"));
    }

    /**
     * For a node that offers its cards by the device plugin.
     *
     * @param slices removes this node's slices
     */
    public static OtherWay claims(
            CdiFiles files, SliceRemoval slices, InventoryAssembler assembler, Consumer<String> warnings) {
        return new OtherWay(
                () -> {
                    HeldCards now = slices.problem().map(HeldCards::unknown).orElseGet(() -> ofFiles(files));
                    return _ -> now;
                },
                slices::rest,
                assembler,
                warnings);
    }

    private static HeldCards ofFiles(CdiFiles files) {
        try {
            return new HeldCards(files.cards());
        } catch (IOException e) {
            return HeldCards.unknown("which cards claims have is unknown, because " + files.directory()
                    + " can't be listed: " + e + "; let root own it, or others read it");
        }
    }

    /** Looks a first time before it returns. */
    public OtherWay start() {
        look();
        task.start();
        return this;
    }

    /** A pod may have ended, or a slice may be there again; returns at once. */
    public void changed() {
        task.runSoon();
    }

    /** Why these cards can't be given in this way, as a sentence; empty if they can. */
    public Optional<String> refusal(Inventory inventory, Set<CardId> cards) {
        return held.holders(inventory, cards)
                .map(names -> "its cards are not offered by claims yet, because pods have them by the device plugin ("
                        + names + "): it starts when they end, or recreate it");
    }

    private synchronized Duration look() {
        HeldCards now = assembler.otherWay(holders.get());
        if (!now.equals(held)) {
            report(held, now);
            held = now;
        }
        Duration later = rest.get();
        return now.equals(HeldCards.NONE) || later.compareTo(AGAIN) < 0 ? later : AGAIN;
    }

    private void report(HeldCards before, HeldCards now) {
        String names = now.holders().orElse("");
        if (names.isEmpty()) {
            LOG.info("no pod has cards by the other way any more");
            return;
        }
        String sentence = "Cards of this node are not offered until the pods end that have them by the way in which it"
                + " offered them before (" + names + ").";
        LOG.info("{}", sentence);
        if (before.equals(HeldCards.NONE)) {
            warnings.accept(sentence);
        }
    }

    @Override
    public void close() {
        task.close();
    }
}
