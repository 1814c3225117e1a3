package io.gpushare.extender.feasibility;

import io.gpushare.model.card.Share;
import io.gpushare.model.ledger.NodeCards;
import io.gpushare.model.ledger.Refusal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What filter reads of one node. It is made once when the node's cards change, so that a request over thousands of
 * nodes searches no cards. Its result is the same as that of {@link NodeCards#place}.
 */
public final class NodeSummary {
    private final List<CardGroup> groups;
    private final int cardCount;
    // These two decide on plain demands.
    private final int mostUnits;
    private final int unused;

    private NodeSummary(List<CardGroup> groups) {
        this.groups = groups;
        this.cardCount = groups.stream().mapToInt(CardGroup::size).sum();
        this.mostUnits = groups.stream().mapToInt(CardGroup::mostUnits).max().orElse(0);
        this.unused = groups.stream().mapToInt(CardGroup::unused).sum();
    }

    public static NodeSummary of(NodeCards cards) {
        return new NodeSummary(CardGroup.of(cards.cards(), cards.inventory().driver()));
    }

    /** The most free memory units on one card. */
    public int mostUnits() {
        return mostUnits;
    }

    /** The number of unused cards. */
    public int unused() {
        return unused;
    }

    /** The number of cards. */
    public int cardCount() {
        return cardCount;
    }

    /**
     * Why the node can't take the demand now; null if it can. The time grows with the groups of alike cards on the
     * node.
     */
    public @Nullable Refusal refusal(DemandSummary demand) {
        if (demand.plain()) {
            return demand.fits(mostUnits, unused) ? null : demand.lack(cardCount());
        }
        return search(demand);
    }

    private @Nullable Refusal search(DemandSummary demand) {
        int present = 0;
        int used = 0;
        int large = 0;
        int free = 0;
        boolean limitsCores = demand.share().cores() == 0;
        for (CardGroup each : groups) {
            @Nullable CardGroup group = each.selected(demand.selector());
            if (group != null) {
                present += group.size();
                boolean shareable = demand.sharedCards() < 2 || group.amongSeveral();
                used += shareable ? group.used(demand.share()) : 0;
                large += shareable ? group.unused(demand.share()) : 0;
                free += group.unused();
                limitsCores |= group.limitsCores();
            }
        }
        if (present == 0 && !demand.selector().any()) {
            return Refusal.NO_CARD_OF_KIND;
        }
        int needed = demand.sharedCards() + demand.wholeCards();
        if (needed > 1 && needed > present) {
            return Refusal.TOO_FEW_CARDS;
        }
        if (!limitsCores) {
            return Refusal.NO_CORE_LIMITS;
        }
        if (used + large < demand.sharedCards()) {
            return lack(demand);
        }
        int left = free - Math.max(0, demand.sharedCards() - used);
        return left >= demand.wholeCards() ? null : Refusal.NO_FREE_CARDS;
    }

    private Refusal lack(DemandSummary demand) {
        if (demand.sharedCards() > 1) {
            return Refusal.NO_CARDS_WITH_MEMORY;
        }
        Share memory = demand.share().withoutCores();
        boolean enough = demand.share().cores() > 0
                && groups.stream()
                        .map(group -> group.selected(demand.selector()))
                        .anyMatch(group -> group != null && group.used(memory) + group.unused(memory) > 0);
        return enough ? Refusal.NO_CARD_WITH_CORES : Refusal.NO_CARD_WITH_MEMORY;
    }

    /** The sum of what is free on the cards that the demand selects. */
    public Share free(DemandSummary demand) {
        Share free = Share.NONE;
        for (CardGroup each : groups) {
            @Nullable CardGroup group = each.selected(demand.selector());
            if (group != null) {
                free = free.plus(group.free());
            }
        }
        return free;
    }
}
