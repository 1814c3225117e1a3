package io.gpushare.model.ledger;

import io.gpushare.model.Demand;
import io.gpushare.model.card.ShareKind;
import org.jspecify.annotations.Nullable;

/** Why a demand does not fit. The sentences are few and constant, because kube-scheduler groups nodes by their text. */
public enum Refusal {
    /** gpushare's own sentence: users search for it. */
    NO_CARD_WITH_MEMORY("Insufficient GPU Memory in one device", "No card is large enough"),
    /** The same for a pod that splits its memory over several cards. */
    NO_CARDS_WITH_MEMORY(
            "Insufficient GPU Memory on as many devices as the pod's memory is split over",
            "Not enough cards are large enough"),
    /** Memory is free, and not as much of the cores of that card as the pod requests. */
    NO_CARD_WITH_CORES("Insufficient GPU cores in one device", "No card that limits cores is large enough"),
    NO_FREE_CARDS(
            "Insufficient whole GPU cards: a card that serves memory pods can't be taken whole",
            "Not enough cards can be taken whole"),
    /** There are instances of the profile, none of them free. */
    NO_FREE_INSTANCES(
            "Insufficient MIG instances: one that serves memory pods can't be taken whole",
            "Not enough MIG instances can be taken whole"),
    /** A card has as much free, and each of its slots is taken. */
    NO_CARD_WITH_SLOTS("Insufficient slots on one GPU card", "No card has as many slots"),
    /** The node offers none. */
    NO_SLOTS("The node's GPU cards have no slots: its device plugin needs --hami", ""),
    /** Its cards can't limit cores. */
    NO_CORE_LIMITS(
            "No GPU card of the node limits cores: its device plugin needs --core-resource and --isolation=mps or"
                    + " hami-core",
            ""),
    /** The selector accepts none of the node's cards. */
    NO_CARD_OF_KIND("No GPU card matches the pod's card selection", ""),
    /** The selector accepts fewer cards than the pod needs. */
    TOO_FEW_CARDS("The node has fewer GPU cards than the pod requests", "");

    private final String sentence;
    private final String whenEmpty;

    Refusal(String sentence, String whenEmpty) {
        this.sentence = sentence;
        this.whenEmpty = whenEmpty;
    }

    /**
     * The reason for that obstacle of the node's nearest card.
     *
     * @param percent the percentage that this card lacks, or that keeps other cards of the node from serving the demand
     *     because they do not limit it; null for none
     */
    static Refusal of(Demand demand, boolean whole, Obstacle nearest, @Nullable ShareKind percent) {
        if (nearest == Obstacle.NOT_SELECTED) {
            return NO_CARD_OF_KIND;
        }
        if (nearest == Obstacle.NOT_LIMITED || nearest == Obstacle.WITHOUT_SLOTS) {
            return nearest == Obstacle.WITHOUT_SLOTS ? NO_SLOTS : NO_CORE_LIMITS;
        }
        if (whole) {
            return demand.instances() ? NO_FREE_INSTANCES : NO_FREE_CARDS;
        }
        if (demand.sharedCards() > 1) {
            return NO_CARDS_WITH_MEMORY;
        }
        // Whatever keeps those from serving that limit cores: only these could.
        return nearest == Obstacle.NO_SLOT
                ? NO_CARD_WITH_SLOTS
                : percent == null ? NO_CARD_WITH_MEMORY : NO_CARD_WITH_CORES;
    }

    public String sentence() {
        return sentence;
    }

    /** The reason if the cards were empty; empty where that makes no difference: no eviction can help. */
    public String whenEmpty() {
        return whenEmpty;
    }
}
