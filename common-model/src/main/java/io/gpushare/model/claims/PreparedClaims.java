package io.gpushare.model.claims;

import io.gpushare.model.Allocation;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Health;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.ledger.NodeCards;
import io.gpushare.model.ledger.Obstacle;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The claims that have their cards on this node, and the last line of defence: kube-scheduler has given devices twice
 * under load, and nobody else checks. The holders in the ledger are the claims.
 *
 * <p>Whether a card accepts new claims is decided by kube-scheduler, by the taints of the slice and what a claim
 * tolerates. Here only counts whether the card is present and has as much left.
 */
public final class PreparedClaims {
    private final NodeCards cards;

    private PreparedClaims(NodeCards cards) {
        this.cards = cards;
    }

    /** No claims yet, on these cards. */
    public static PreparedClaims of(Inventory inventory) {
        return new PreparedClaims(NodeCards.of(accepting(inventory)));
    }

    private static Inventory accepting(Inventory inventory) {
        return new Inventory(
                        inventory.unit(),
                        inventory.driver(),
                        inventory.cards().stream()
                                .map(card -> card.withHealth(new Health.Healthy()))
                                .toList(),
                        inventory.links(),
                        inventory.noCards(),
                        inventory.beside())
                .withCordoned(Set.of())
                .withHeld(Set.of());
    }

    /** The same claims with another inventory. */
    public PreparedClaims withInventory(Inventory inventory) {
        return new PreparedClaims(cards.withInventory(accepting(inventory)));
    }

    /** What is left of these cards, as the inventory has them: their health counts. */
    public NodeCards on(Inventory inventory) {
        return cards.withInventory(inventory);
    }

    /** The same with that claim, whatever others have: for claims whose containers may run already. */
    public PreparedClaims with(ResourceClaim claim, Allocation allocation) {
        return new PreparedClaims(cards.with(holder(claim), allocation));
    }

    /** The same without the claim of that uid, if there is one. */
    public PreparedClaims without(String uid) {
        return new PreparedClaims(cards.without(uid));
    }

    /** Whether the claim of that uid has exactly that. */
    public boolean has(String uid, Allocation allocation) {
        return cards.allocationOf(uid).filter(allocation::equals).isPresent();
    }

    /**
     * Why the claim can't have these cards, as a sentence that names who has them; empty if it can, and for a claim
     * that has them already.
     */
    public Optional<String> refusal(ResourceClaim claim, Allocation allocation) {
        if (has(claim.uid(), allocation)) {
            return Optional.empty();
        }
        return cards.without(claim.uid()).obstacles(allocation).entrySet().stream()
                .max(Map.Entry.comparingByValue())
                .map(nearest -> "claim " + claim + ": card " + nearest.getKey()
                        + because(nearest.getKey(), nearest.getValue(), claim.uid()));
    }

    private String because(CardId card, Obstacle obstacle, String except) {
        return switch (obstacle) {
            case ABSENT -> " is not on this node: recreate the pod";
            case NO_MEMORY ->
                " offers no memory ("
                        + cards.inventory()
                                .card(card)
                                .map(Card::isolation)
                                .orElseThrow()
                                .missing() + ")";
            case NOT_LIMITED -> " does not limit cores as requested: recreate the pod";
            case TOO_SMALL, INSTANCE, WITHOUT_SLOTS -> " does not have as much: recreate the pod";
            case FEW,
                    TOO_FEW,
                    NO_SLOT,
                    FEW_PERCENT,
                    SHORT,
                    SHARED,
                    TAKEN_WHOLE,
                    NOT_SELECTED,
                    HELD,
                    CORDONED,
                    UNHEALTHY ->
                " was given twice: it is held by " + holders(card, except)
                        + ". The pod starts when they end, or recreate it";
        };
    }

    private String holders(CardId card, String except) {
        return cards.holdings().stream()
                .filter(holding -> !holding.holder().uid().equals(except))
                .filter(holding -> holding.allocation().cards().contains(card))
                .map(holding -> "claim " + holding.holder())
                .sorted()
                .limit(3)
                .collect(Collectors.joining(", "));
    }

    private static PodRef holder(ResourceClaim claim) {
        return new PodRef(claim.uid(), claim.namespace(), claim.name());
    }
}
