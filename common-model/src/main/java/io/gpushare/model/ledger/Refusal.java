package io.gpushare.model.ledger;

/** Why a demand finds no place: a handful of constant sentences, since kube-scheduler groups nodes by their text. */
public enum Refusal {
    /** gpushare's own words: users search for them. */
    NO_CARD_WITH_MEMORY("Insufficient GPU Memory in one device"),
    /** The same for a pod that splits its memory. */
    NO_CARDS_WITH_MEMORY("Insufficient GPU Memory on as many devices as the pod's memory is split over"),
    NO_FREE_CARDS("Insufficient whole GPU cards: a card that serves memory pods can't be taken whole"),
    /** None of the node's cards, used or not: no eviction could help. */
    NO_CARD_OF_KIND("No GPU card of the kind that the pod selects in its annotations"),
    /** Fewer of them than it needs, used or not. */
    TOO_FEW_CARDS("Fewer GPU cards than the pod asks for");

    private final String sentence;

    Refusal(String sentence) {
        this.sentence = sentence;
    }

    public String sentence() {
        return sentence;
    }
}
