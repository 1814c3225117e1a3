package io.gpushare.extender.feasibility;

import io.gpushare.model.ledger.Refusal;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

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

    /**
     * It could, but another node was taken. Few words, since filter says them of nearly every node; kube-scheduler shows
     * them only if the pod is refused on that other node after all.
     */
    public static final Reason NOT_CHOSEN = new Reason("not_chosen", "not chosen", true);

    public Reason {
        Objects.requireNonNull(label);
        Objects.requireNonNull(sentence);
    }

    private static final String BAD_DEMAND = "bad_demand";

    /** The pod itself asks for what can't be. */
    public static Reason badDemand(String sentence) {
        return new Reason(BAD_DEMAND, sentence, false);
    }

    /** Whether it is one of the few that are always the same. */
    public boolean standing() {
        return !label.equals(BAD_DEMAND);
    }

    /** The labels of all reasons that there are. */
    public static Set<String> labels() {
        Set<String> labels = new TreeSet<>(Set.of(
                UNKNOWN_NODE.label(), NO_INVENTORY.label(), BAD_INVENTORY.label(), NOT_CHOSEN.label(), BAD_DEMAND));
        TAKEN.values().forEach(reason -> labels.add(reason.label()));
        BEYOND.values().forEach(reason -> labels.add(reason.label()));
        return labels;
    }

    /** Other pods have what it would take. */
    public static Reason taken(Refusal refusal) {
        return Objects.requireNonNull(TAKEN.get(refusal));
    }

    /** The node could not even if no pod were there. */
    public static Reason beyond(Refusal refusal) {
        return Objects.requireNonNull(BEYOND.get(refusal));
    }

    private static final Map<Refusal, Reason> TAKEN = new EnumMap<>(Refusal.class);
    private static final Map<Refusal, Reason> BEYOND = new EnumMap<>(Refusal.class);

    static {
        for (Refusal refusal : Refusal.values()) {
            String label = refusal.name().toLowerCase(Locale.ROOT);
            String sentence = refusal.sentence();
            boolean curable = ofPods(refusal);
            Reason taken = new Reason(label, sentence, curable);
            TAKEN.put(refusal, taken);
            BEYOND.put(
                    refusal,
                    curable ? new Reason(label + "_even_empty", sentence + "; no eviction would help", false) : taken);
        }
    }

    /** Whether it may be because of pods. */
    private static boolean ofPods(Refusal refusal) {
        return switch (refusal) {
            case NO_CARD_WITH_MEMORY, NO_CARDS_WITH_MEMORY, NO_FREE_CARDS -> true;
            case NO_CARD_OF_KIND, TOO_FEW_CARDS -> false;
        };
    }
}
