package io.gpushare.plugin.node.isolation;

import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.CardIsolation;
import io.gpushare.model.card.CardIsolation.CoreCap;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Isolation;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Decides what is in force on each card, from what the operator asks for and what the cards can have.
 *
 * @param fallback whether memory is counted on cards that can't have it; otherwise these cards offer no memory
 * @param reserved what is kept of each card
 * @param coreCap what containers may use of the cores if they request none
 */
public record IsolationPolicy(IsolationMode mode, boolean fallback, ReservedMemory reserved, CoreCap coreCap) {
    /** Memory is counted everywhere. */
    public static final IsolationPolicy NONE = new IsolationPolicy(IsolationMode.NONE, false);

    /** The policy with the defaults. */
    public IsolationPolicy(IsolationMode mode, boolean fallback) {
        this(mode, fallback, ReservedMemory.AUTO, CoreCap.MEMORY);
    }

    /** Whether anything is kept, or enforced, on this node. */
    public boolean applies() {
        return mode != IsolationMode.NONE || reserved.always();
    }

    /** The isolation that it uses where it can; none if it asks for none. */
    public Isolation wanted() {
        return switch (mode) {
            case NONE -> Isolation.NONE;
            case DRIVER, AUTO -> Isolation.DRIVER;
            case MPS -> Isolation.MPS;
            case HAMI_CORE -> Isolation.HAMI_CORE;
        };
    }

    /**
     * The isolation of each card that has memory for a unit.
     *
     * @param provider of the isolation that is {@link #wanted}
     */
    public Map<CardId, CardIsolation> decide(Inventory inventory, IsolationProvider provider) {
        Map<CardId, CardIsolation> decided = new HashMap<>();
        Map<CardId, String> missing = new HashMap<>();
        List<Card> sharing = inventory.cards().stream()
                .filter(card -> inventory.unit().unitsIn(card.memory()) > 0)
                .toList();
        for (Card card : sharing) {
            provider.missing(card, inventory).ifPresent(reason -> missing.put(card.id(), reason));
        }
        // A card with MIG can never have the driver's limits, which says nothing of the others.
        Optional<String> any = sharing.stream()
                .filter(card -> !Boolean.TRUE.equals(card.details().mig()))
                .map(Card::id)
                .filter(missing::containsKey)
                .min(Comparator.naturalOrder())
                .map(id -> "card " + id + ": " + missing.get(id));
        for (Card card : sharing) {
            CardIsolation isolation = decide(Optional.ofNullable(missing.get(card.id())), any);
            Memory kept = reserved.of(card, isolated(isolation), provider.beside());
            decided.put(card.id(), closedIfSmall(card, isolation, kept, inventory.unit()));
        }
        return decided;
    }

    /**
     * Whether a card is cut for isolation: also while what was asked for is missing, so that units don't come and go
     * with a daemon. Where memory may be counted instead, it is cut as without isolation.
     */
    private boolean isolated(CardIsolation isolation) {
        return isolation.inForce() != Isolation.NONE || isolation.closed();
    }

    private CardIsolation closedIfSmall(Card card, CardIsolation isolation, Memory kept, MemoryUnit unit) {
        Memory offered = card.memory().minus(kept);
        CardIsolation decided = unit.unitsIn(offered) > 0
                ? isolation
                : CardIsolation.closed("it has " + card.memory().text() + ", of which " + kept.text() + " are kept"
                        + " (--reserved-memory), and the rest is less than one unit of " + unit.amount(1)
                        + ": a smaller --memory-unit fits");
        return decided.withHeadroom(kept).withCoreCap(coreCap);
    }

    private CardIsolation decide(Optional<String> missing, Optional<String> missingOnNode) {
        CardIsolation inForce = CardIsolation.of(wanted());
        return switch (mode) {
            case NONE -> CardIsolation.NONE;
            case AUTO ->
                missingOnNode.or(() -> missing).map(CardIsolation::counted).orElse(inForce);
            case DRIVER, MPS, HAMI_CORE ->
                missing.map(fallback ? CardIsolation::counted : CardIsolation::closed)
                        .orElse(inForce);
        };
    }
}
