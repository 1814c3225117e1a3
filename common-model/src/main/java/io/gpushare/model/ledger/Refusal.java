package io.gpushare.model.ledger;

/** Why a demand finds no place: a handful of constant sentences, since kube-scheduler groups nodes by their text. */
public enum Refusal {
    /** gpushare's own words: users search for them. */
    NO_CARD_WITH_MEMORY("Insufficient GPU Memory in one device"),
    NO_FREE_CARDS("Insufficient whole GPU cards: a card that serves memory pods can't be taken whole");

    private final String sentence;

    Refusal(String sentence) {
        this.sentence = sentence;
    }

    public String sentence() {
        return sentence;
    }
}
