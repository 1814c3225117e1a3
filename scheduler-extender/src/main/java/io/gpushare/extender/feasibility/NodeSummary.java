package io.gpushare.extender.feasibility;

import io.gpushare.model.card.Inventory;
import io.gpushare.model.ledger.CardState;
import io.gpushare.model.ledger.NodeCards;
import io.gpushare.model.ledger.Refusal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What filter reads of one node: made once when the node's cards change, so that a request over thousands of nodes
 * touches no allocation. It answers exactly as {@link NodeCards#place} does.
 */
public final class NodeSummary {
    private final Inventory.@Nullable Driver driver;
    private final List<CardState> cards;
    private final List<CardGroup> kinds;
    // Of most demands these two tell whether they fit.
    private final int most;
    private final int unused;

    private NodeSummary(Inventory.@Nullable Driver driver, List<CardState> cards) {
        this.driver = driver;
        this.cards = cards;
        this.kinds = CardGroup.of(cards);
        this.most = kinds.stream().mapToInt(CardGroup::most).max().orElse(0);
        this.unused = kinds.stream().mapToInt(kind -> kind.unused(0)).sum();
    }

    public static NodeSummary of(NodeCards cards) {
        return new NodeSummary(cards.inventory().driver(), cards.cards());
    }

    /** The most units that are free on one card. */
    public int most() {
        return most;
    }

    /** How many cards nobody uses. */
    public int unused() {
        return unused;
    }

    /** How many cards there are. */
    public int present() {
        return cards.size();
    }

    /**
     * Why that node can't take the demand now; null if it can. The time goes by the kinds of cards on the node; where the
     * demand selects single cards, by the cards.
     */
    public @Nullable Refusal refusal(DemandSummary ask) {
        if (ask.plain()) {
            return ask.fits(most, unused) ? null : ask.lack(present());
        }
        return closely(ask);
    }

    private @Nullable Refusal closely(DemandSummary ask) {
        int present = 0;
        int used = 0;
        int fresh = 0;
        int free = 0;
        for (CardGroup group : groups(ask)) {
            if (selected(group, ask)) {
                present += group.present();
                used += group.used(ask.units());
                fresh += group.unused(ask.units());
                free += group.unused(0);
            }
        }
        if (present == 0 && !ask.selector().any()) {
            return Refusal.NO_CARD_OF_KIND;
        }
        int needed = ask.split() + ask.cards();
        if (needed > 1 && needed > present) {
            return Refusal.TOO_FEW_CARDS;
        }
        if (used + fresh < ask.split()) {
            return ask.split() == 1 ? Refusal.NO_CARD_WITH_MEMORY : Refusal.NO_CARDS_WITH_MEMORY;
        }
        int left = free - Math.max(0, ask.split() - used);
        return left >= ask.cards() ? null : Refusal.NO_FREE_CARDS;
    }

    private List<CardGroup> groups(DemandSummary ask) {
        return ask.selector().distinguishesAlikeCards() ? CardGroup.ofEach(cards) : kinds;
    }

    private boolean selected(CardGroup group, DemandSummary ask) {
        return ask.selector().any() || ask.selector().matches(group.card(), driver);
    }

    /** Units that are free on all cards together that would do for the ask. */
    public long freeUnits(DemandSummary ask) {
        long units = 0;
        for (CardGroup group : groups(ask)) {
            units += selected(group, ask) ? group.freeUnits() : 0;
        }
        return units;
    }

    /** Cards that would do for the ask and that nobody uses. */
    public int freeCards(DemandSummary ask) {
        int free = 0;
        for (CardGroup group : groups(ask)) {
            free += selected(group, ask) ? group.unused(0) : 0;
        }
        return free;
    }
}
