package io.gpushare.plugin.isolation;

import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.CardIsolation;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Isolation;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Decides what is in force on each card, from what the operator asks for and what the cards can have.
 *
 * @param fallback whether memory is counted on cards that can't have it; otherwise these cards offer no memory
 */
public record IsolationPolicy(IsolationMode mode, boolean fallback) {
    /** Memory is counted everywhere. */
    public static final IsolationPolicy NONE = new IsolationPolicy(IsolationMode.NONE, false);

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
            decided.put(card.id(), decide(Optional.ofNullable(missing.get(card.id())), any));
        }
        return decided;
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
