package io.gpushare.model.codec;

import io.gpushare.model.card.CardId;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The node annotation {@value AnnotationKeys#RESERVATION}: {@code run=<id>;renewed=<n>;cards=<uuid>,<uuid>} while pods
 * are moved away from cards, or {@code run=<id>;renewed=<n>;pod=<uid>} when the cards wait for a pod.
 *
 * @param written the annotation as it is; empty for none. The reader measures since when it is unchanged
 * @param run who reserves: only this run changes the annotation
 * @param cards accept no new pods
 * @param pod the uid of the pod for which the node has cards; empty for none
 */
public record ReservationCodec(String written, String run, Set<CardId> cards, String pod) {
    public ReservationCodec {
        cards = Set.copyOf(cards);
    }

    /** Reads it from a node's annotations. One that can't be read reserves nothing. */
    public static ReservationCodec decode(Map<String, String> annotations) {
        String written = annotations.getOrDefault(AnnotationKeys.RESERVATION, "");
        Map<String, String> parts = new HashMap<>();
        for (String part : written.split(";", -1)) {
            String[] entry = part.split("=", 2);
            parts.put(entry[0].strip(), entry.length == 2 ? entry[1].strip() : "");
        }
        String run = parts.getOrDefault("run", "");
        if (run.isEmpty()) {
            return new ReservationCodec(written, "", Set.of(), "");
        }
        Set<CardId> cards = new LinkedHashSet<>();
        try {
            List.of(parts.getOrDefault("cards", "").split(",")).stream()
                    .filter(uuid -> !uuid.isBlank())
                    .forEach(uuid -> cards.add(new CardId(uuid.strip())));
        } catch (IllegalArgumentException e) {
            return new ReservationCodec(written, "", Set.of(), "");
        }
        return new ReservationCodec(written, run, cards, parts.getOrDefault("pod", ""));
    }
}
