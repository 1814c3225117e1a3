package io.gpushare.plugin.node.offer;

import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.NoCards;
import io.gpushare.plugin.node.holdings.InUse;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Joins everything that is reported about the node's cards into its inventory: the scan of the driver, the cordons,
 * what processes use without a share, and whether others have them. Each input is reported whole, by a thread of its
 * own, and each report produces one inventory.
 */
public final class InventoryAssembler {
    private static final Logger LOG = LoggerFactory.getLogger(InventoryAssembler.class);

    private final Consumer<Inventory> published;
    private final Runnable refused;
    private final Function<Inventory, Optional<MemoryUnit>> smallestUnit;
    private final Function<Inventory, InUse> inUse;
    private boolean scannedOnce;
    private Inventory scanned;
    private Set<CardId> cordoned = Set.of();
    private Set<CardId> absent = Set.of();
    private Map<CardId, Memory> foreign = Map.of();
    private @Nullable NoCards otherServes;
    private @Nullable InUse used;

    /**
     * Starts with no cards.
     *
     * @param published receives every inventory, the first one after the first scan
     * @param refused is run when the kubelet can't receive the node's device list in this unit
     * @param smallestUnit the unit in which the kubelet can receive the device list of this inventory; empty if it can
     *     in the inventory's
     * @param inUse which of these cards are not offered, because somebody has them by another offer, or still computes
     */
    public InventoryAssembler(
            MemoryUnit unit,
            Consumer<Inventory> published,
            Runnable refused,
            Function<Inventory, Optional<MemoryUnit>> smallestUnit,
            Function<Inventory, InUse> inUse) {
        this.smallestUnit = smallestUnit;
        this.inUse = inUse;
        this.scanned = Inventory.empty(unit);
        this.published = published;
        this.refused = refused;
    }

    /** The driver reports these cards. */
    public synchronized void scanned(Inventory now) {
        Optional<MemoryUnit> fitting = smallestUnit.apply(now);
        if (fitting.isPresent()) {
            LOG.error(
                    "--memory-unit={} makes {} devices of this node's cards, more than the kubelet receives in one list"
                            + " (4 MiB): the smallest unit that fits is --memory-unit={}",
                    now.unit(),
                    now.cards().stream()
                            .mapToInt(card -> now.capacityOf(card).units())
                            .sum(),
                    fitting.get());
            refused.run();
            return;
        }
        scanned = now;
        scannedOnce = true;
        assemble();
    }

    /** The node object reports these cards as cordoned. */
    public synchronized void cordoned(Set<CardId> now) {
        cordoned = Set.copyOf(now);
        if (scannedOnce) {
            assemble();
        }
    }

    /** Processes use that much memory of cards of which nothing is allocated to them. */
    public synchronized void foreign(Map<CardId, Memory> now) {
        if (!now.equals(foreign)) {
            foreign = Map.copyOf(now);
            LOG.info(
                    "memory that processes use and that is not allocated to them: {}",
                    now.isEmpty() ? "none any more" : now);
            if (scannedOnce) {
                assemble();
            }
        }
    }

    /** Another device plugin serves the node's cards; null if none does. */
    public synchronized void otherServes(@Nullable NoCards now) {
        otherServes = now;
        if (scannedOnce) {
            assemble();
        }
    }

    /** Somebody may have a card by another offer, or may have ended; returns what is in use of the last cards. */
    public synchronized InUse assembleAgain() {
        InUse now = inUse.apply(scanned);
        if (scannedOnce && !now.equals(used)) {
            assemble(now);
        }
        return now;
    }

    private void assemble() {
        assemble(inUse.apply(scanned));
    }

    private void assemble(InUse others) {
        reportAbsent();
        used = others;
        Inventory now = scanned.withCordoned(cordoned)
                .withInUse(others.among(scanned.cards()))
                .withForeign(foreign);
        @Nullable
        NoCards why = others.holdsAll(scanned.cards())
                ? new NoCards(NoCards.Cause.OTHER_WAY, others.names().orElse(""))
                : otherServes;
        published.accept(why == null ? now : now.withNoCards(why));
    }

    private void reportAbsent() {
        Set<CardId> now = new TreeSet<>(cordoned);
        scanned.cards().forEach(card -> {
            now.remove(card.id());
            now.remove(card.physical());
        });
        if (!scanned.cards().isEmpty() && !now.equals(absent)) {
            absent = now;
            LOG.warn("cordoned cards that this node does not have: {}", now.isEmpty() ? "none any more" : now);
        }
    }
}
