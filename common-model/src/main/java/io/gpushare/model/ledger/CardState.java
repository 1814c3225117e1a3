package io.gpushare.model.ledger;

import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.Demand;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardKind;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.Share;
import io.gpushare.model.card.ShareKind;
import io.gpushare.model.selector.CardFacts;
import io.gpushare.model.selector.CardSelector;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One card of the inventory and what is allocated on it. What is free follows, and is computed once: filter reads it
 * for the cards of thousands of nodes.
 */
public final class CardState {
    private final Card card;
    private final CardKind kind;
    private final Share allocated;
    // With what is kept for the driver and the isolation.
    private final int unitsOfAll;
    private final CardFacts facts;
    private final Cut cut;
    // Of its UUID, for selectors that name cards.
    private final int hash;
    private final Share free;

    private CardState(Card card, CardKind kind, int unitsOfAll, Cut cut, Share allocated, CardFacts facts, int hash) {
        this.card = card;
        this.cut = cut;
        this.unitsOfAll = unitsOfAll;
        this.kind = kind;
        this.allocated = allocated;
        this.facts = facts;
        this.hash = hash;
        this.free = computeFree();
    }

    /**
     * How its memory is given.
     *
     * @param byClaims whether kube-scheduler gives it, which gives none of a tainted card
     */
    private record Cut(MemoryUnit unit, boolean byClaims) {}

    /** A card of that inventory on which nothing is allocated. */
    CardState(Card card, Inventory inventory) {
        this(
                card,
                new CardKind(card.title(), inventory.capacityOf(card)),
                inventory.unit().unitsIn(card.memory()),
                new Cut(inventory.unit(), inventory.servesClaims()),
                Share.NONE,
                CardFacts.of(card, inventory.driver()),
                CardSelector.hash(card.id()));
    }

    public Card card() {
        return card;
    }

    /** What the card has: its memory units and cores, or the whole card. */
    public Share capacity() {
        return kind.capacity();
    }

    /** Its model and what it has. */
    public CardKind kind() {
        return kind;
    }

    /**
     * The sum over all holders. It exceeds the capacity, or has units and whole cards at once, only where an annotation
     * or another program broke the rules. More slots than the capacity are possible where the node offers fewer now.
     */
    public Share allocated() {
        return allocated;
    }

    /** The same card with that much allocated. */
    public CardState allocated(Share changed) {
        return changed.equals(allocated) ? this : new CardState(card, kind, unitsOfAll, cut, changed, facts, hash);
    }

    /** The same allocations on that card, which may be healthy or cordoned now, and has the same size. */
    public CardState on(Card changed) {
        return new CardState(changed, kind, unitsOfAll, cut, allocated, facts, hash);
    }

    /** The same card for that demand: without its taint, if claims of the demand may tolerate it. */
    CardState to(Demand demand) {
        return card.taint() == null || !demand.tolerant() ? this : on(card.withTaint(null));
    }

    /**
     * What new pods may have. A card taken whole has nothing free, a card with shares on it can't be taken whole, an
     * unhealthy or cordoned card accepts no new pods, one without the isolation that was asked for no memory pods, and
     * one whose isolation does not limit cores none that request cores. What others use is not free.
     */
    public Share free() {
        return free;
    }

    private Share computeFree() {
        if (!card.placeable() || takenWhole()) {
            return Share.NONE;
        }
        Share left = withoutForeign();
        if (foreignUnits() > 0) {
            left = left.minus(Share.memory(foreignUnits())).shared();
        }
        if (!card.sharesMemory()) {
            // Who takes the card whole may do so in slots.
            Share whole = left.without(ShareKind::part);
            return whole.wholeCards() > 0 ? whole : whole.without(ShareKind.SLOTS);
        }
        // Who requests slots may have cores that nothing limits.
        for (ShareKind kind : ShareKind.PERCENTS) {
            left = limits(kind) || capacity().slots() > 0 ? left : left.without(kind);
        }
        return left;
    }

    private Share withoutForeign() {
        return unused() ? capacity() : capacity().minus(allocated).shared();
    }

    /** The units that new pods can't have, because processes use a part of them to which they are not allocated. */
    private int foreignUnits() {
        long units = Math.ceilDiv(card.foreign().bytes(), cut.unit().size().bytes());
        return units > 0 && cut.byClaims()
                ? capacity().units()
                : (int) Math.min(capacity().units(), units);
    }

    /** Whether that share is not free only because processes use the card to which nothing is allocated. */
    boolean lackedByForeign(Share share) {
        return foreignUnits() > 0 && card.placeable() && !takenWhole() && share.fits(withoutForeign());
    }

    /** Whether a container can have such a percentage of the card: it is offered, and the isolation limits it. */
    public boolean limits(ShareKind kind) {
        return kind.in(capacity()) > 0 && card.isolation().inForce().limits(kind);
    }

    /** Whether that share is free here. Percentages must be limited, but for those who request slots. */
    public boolean offers(Share share) {
        return Obstacle.of(share, this) == null;
    }

    /**
     * The cores in percent that the containers of a pod with that allocation may use at one time, at most all of them;
     * 0 if one of them has no limit.
     */
    public int coreCap(Allocation allocation) {
        List<ContainerAllocation> capped = new ArrayList<>();
        for (ContainerAllocation container : allocation.containers()) {
            Share share = container.on(card.id());
            int cores = card.isolation().coresOf(share, capacity());
            if (share.units() > 0 && cores == 0) {
                return 0;
            }
            if (share.units() > 0) {
                capped.add(new ContainerAllocation(
                        container.name(),
                        container.role(),
                        Map.of(card.id(), Share.memory(share.units()).plus(Share.cores(cores)))));
            }
        }
        return capped.isEmpty()
                ? 0
                : Math.min(
                        ShareKind.ALL,
                        new Allocation(allocation.unit(), capped)
                                .shareOn(card.id())
                                .cores());
    }

    /** What a selector can tell of the card but its UUID. */
    public CardFacts facts() {
        return facts;
    }

    /** Whether the selector accepts the card. */
    public boolean acceptedBy(CardSelector selector) {
        return selector.any()
                || (selector.matches(facts) && (!selector.namesCards() || selector.matches(card.id(), hash)));
    }

    public boolean takenWhole() {
        return allocated.takenWhole() > 0;
    }

    /** Whether nothing is allocated here. The card may be unhealthy or cordoned. */
    public boolean unused() {
        return allocated.isNone();
    }

    /** Whether more is allocated than the card has, or shares and the whole card at once. */
    public boolean overCommitted() {
        return !allocated.without(ShareKind.SLOTS).fits(capacity()) || (takenWhole() && allocated.hasPart());
    }

    /**
     * Whether more is allocated than the card offers, and no more than it has: its pods got what is kept for the driver
     * and the isolation now.
     */
    public boolean holdsHeadroom() {
        return overCommitted()
                && allocated.without(ShareKind.SLOTS).withUnits(0).fits(capacity())
                && allocated.units() <= unitsOfAll
                && !takenWhole();
    }

    /** The units that the card has with what is kept for the driver and the isolation. */
    public int unitsOfAll() {
        return unitsOfAll;
    }

    /** The part of the capacity that allocations withhold from new pods: all of it for a card taken whole. */
    public Share occupied() {
        return takenWhole() ? capacity() : allocated;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof CardState that
                && card.equals(that.card)
                && capacity().equals(that.capacity())
                && allocated.equals(that.allocated);
    }

    @Override
    public int hashCode() {
        return Objects.hash(card.id(), allocated);
    }

    @Override
    public String toString() {
        return card.id() + ": " + allocated + " of " + capacity();
    }
}
