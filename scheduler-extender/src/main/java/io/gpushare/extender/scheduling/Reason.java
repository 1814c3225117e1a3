package io.gpushare.extender.scheduling;

import io.gpushare.model.ledger.Refusal;
import java.util.Objects;

/**
 * Why a node can't take a pod. The sentence is constant, with no name or number of a node in it: kube-scheduler groups
 * nodes by it, and one that changed from attempt to attempt would make it try again for ever.
 *
 * @param label short and of a small set, for metrics
 * @param curable whether the eviction of pods could make room
 */
public record Reason(String label, String sentence, boolean curable) {
    public static final Reason UNKNOWN_NODE =
            new Reason("unknown_node", "node is not known to the GPU share extender", false);
    public static final Reason NO_INVENTORY = new Reason(
            "no_inventory",
            "node is not a GPU share node: it has no inventory of cards (is the GPU share device plugin running"
                    + " there?)",
            false);
    public static final Reason BAD_INVENTORY = new Reason(
            "bad_inventory",
            "node's inventory of cards can't be read (see the extender's log, and the version of the device plugin"
                    + " there)",
            false);

    /** It could, but filter decides here, and another node was taken. */
    public static final Reason NOT_CHOSEN =
            new Reason("not_chosen", "the pod fits here, and the GPU share extender's policy chose another node", true);

    public Reason {
        Objects.requireNonNull(label);
        Objects.requireNonNull(sentence);
    }

    /** The pod itself asks for what can't be. */
    static Reason badDemand(String sentence) {
        return new Reason("bad_demand", sentence, false);
    }

    static Reason of(Refusal refusal) {
        return switch (refusal) {
            case NO_CARD_WITH_MEMORY -> NO_CARD_WITH_MEMORY_HERE;
            case NO_CARDS_WITH_MEMORY -> NO_CARDS_WITH_MEMORY_HERE;
            case NO_FREE_CARDS -> NO_FREE_CARDS_HERE;
            case NO_CARD_OF_KIND -> NO_CARD_OF_KIND_HERE;
            case TOO_FEW_CARDS -> TOO_FEW_CARDS_HERE;
        };
    }

    private static final Reason NO_CARD_WITH_MEMORY_HERE =
            new Reason("no_card_with_memory", Refusal.NO_CARD_WITH_MEMORY.sentence(), true);
    private static final Reason NO_FREE_CARDS_HERE =
            new Reason("no_free_cards", Refusal.NO_FREE_CARDS.sentence(), true);
    private static final Reason NO_CARDS_WITH_MEMORY_HERE =
            new Reason("no_cards_with_memory", Refusal.NO_CARDS_WITH_MEMORY.sentence(), true);
    private static final Reason NO_CARD_OF_KIND_HERE =
            new Reason("no_card_of_kind", Refusal.NO_CARD_OF_KIND.sentence(), false);
    private static final Reason TOO_FEW_CARDS_HERE =
            new Reason("too_few_cards", Refusal.TOO_FEW_CARDS.sentence(), false);
}
