package io.gpushare.model.ledger;

import io.gpushare.model.Demand;

/** Why a demand does not fit. The sentences are few and constant, because kube-scheduler groups nodes by their text. */
public enum Refusal {
    /** gpushare's own sentence: users search for it. */
    NO_CARD_WITH_MEMORY("Insufficient GPU Memory in one device"),
    /** The same for a pod that splits its memory over several cards. */
    NO_CARDS_WITH_MEMORY("Insufficient GPU Memory on as many devices as the pod's memory is split over"),
    /** Memory is free, and not as much of the cores of that card as the pod requests. */
    NO_CARD_WITH_CORES("Insufficient GPU cores in one device"),
    NO_FREE_CARDS("Insufficient whole GPU cards: a card that serves memory pods can't be taken whole"),
    /** There are instances of the profile, none of them free. */
    NO_FREE_INSTANCES("Insufficient MIG instances: one that serves memory pods can't be taken whole"),
    /** A card has as much free, and each of its slots is taken. */
    NO_CARD_WITH_SLOTS("Insufficient slots on one GPU card"),
    /** The node offers none: no eviction can help. */
    NO_SLOTS("The node's GPU cards have no slots: its device plugin needs --hami"),
    /** Its cards can't limit cores: no eviction can help. */
    NO_CORE_LIMITS("No GPU card of the node limits cores: its device plugin needs --core-resource and --isolation=mps"),
    /** The selector accepts none of the node's cards: no eviction can help. */
    NO_CARD_OF_KIND("No GPU card matches the pod's card selection"),
    /** The selector accepts fewer cards than the pod needs: no eviction can help. */
    TOO_FEW_CARDS("The node has fewer GPU cards than the pod requests");

    private final String sentence;

    /** The reason for that obstacle of the node's nearest card. */
    static Refusal of(Nearest nearest) {
        return switch (nearest.obstacle()) {
            case NOT_SELECTED -> NO_CARD_OF_KIND;
            case TOO_FEW -> TOO_FEW_CARDS;
            case NO_CORE_LIMITS -> NO_CORE_LIMITS;
            case WITHOUT_SLOTS -> NO_SLOTS;
            case FEW_CORES -> lack(nearest, NO_CARD_WITH_CORES);
            case NO_SLOT -> lack(nearest, NO_CARD_WITH_SLOTS);
            // Larger cards of the node do not limit cores.
            case TOO_SMALL ->
                lack(
                        nearest,
                        nearest.demand().share().hasPercents() && !nearest.everyCard()
                                ? NO_CARD_WITH_CORES
                                : NO_CARD_WITH_MEMORY);
            default -> lack(nearest, NO_CARD_WITH_MEMORY);
        };
    }

    /** The reason of a demand of one card to share is that one. */
    private static Refusal lack(Nearest nearest, Refusal ofOneCard) {
        Demand demand = nearest.demand();
        if (nearest.whole()) {
            return demand.instances() ? NO_FREE_INSTANCES : NO_FREE_CARDS;
        }
        return demand.sharedCards() > 1 ? NO_CARDS_WITH_MEMORY : ofOneCard;
    }

    Refusal(String sentence) {
        this.sentence = sentence;
    }

    public String sentence() {
        return sentence;
    }
}
