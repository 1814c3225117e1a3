package io.gpushare.model.codec;

import io.gpushare.model.card.CardId;
import io.gpushare.model.text.Printable;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The node annotation {@value AnnotationKeys#CORDON}, which operators write: UUIDs of cards, separated by commas.
 *
 * @param complaints one sentence for each part that is not a UUID; the other parts are still valid
 */
public record CordonCodec(Set<CardId> cards, List<String> complaints) {
    public CordonCodec {
        cards = Set.copyOf(cards);
        complaints = List.copyOf(complaints);
    }

    /** Reads it from a node's annotations. Without the annotation, or with an empty one, no card is cordoned. */
    public static CordonCodec decode(Map<String, String> annotations) {
        Set<CardId> cards = new LinkedHashSet<>();
        List<String> complaints = new ArrayList<>();
        String written = annotations.getOrDefault(AnnotationKeys.CORDON, "");
        for (String part : written.isBlank() ? new String[0] : written.split(",", -1)) {
            try {
                cards.add(card(part.strip()));
            } catch (IllegalArgumentException e) {
                complaints.add("annotation " + AnnotationKeys.CORDON + ": " + e.getMessage()
                        + "; write UUIDs as nvidia-smi -L shows them, with commas between");
            }
        }
        return new CordonCodec(cards, complaints);
    }

    private static CardId card(String text) {
        CardId card = new CardId(text);
        // Operators also know cards by index: "0" would be an identity that no card has.
        if (!text.startsWith("GPU-") && !text.startsWith("MIG-")) {
            throw new IllegalArgumentException(Printable.quoted(text) + " is not the UUID of a card");
        }
        return card;
    }
}
