package io.gpushare.mps.link;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What the plugin wants of MPS on one card.
 *
 * @param sequence larger with each change
 * @param on whether memory pods hold the card
 * @param roofMib the most memory of one of its containers; 0 if it is off
 * @param terminate the processes whose contexts the supervisor ends: the newest ones of containers over their limit
 */
public record CardWant(long sequence, boolean on, long roofMib, List<Long> terminate) {
    /** Nothing was ever wanted. */
    public static final CardWant NOTHING = new CardWant(0, false, 0, List.of());

    public CardWant {
        terminate = List.copyOf(terminate);
    }

    /** The same wish, whatever its sequence. */
    public boolean sameAs(CardWant other) {
        return on == other.on && roofMib == other.roofMib && terminate.equals(other.terminate);
    }

    static CardWant of(Fields fields) {
        long roof = fields.number("roofMiB");
        boolean on = fields.flag("on") && roof > 0;
        return new CardWant(fields.number("sequence"), on, on ? roof : 0, fields.numbers("terminate"));
    }

    Map<String, String> fields() {
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("version", "1");
        fields.put("sequence", String.valueOf(sequence));
        fields.put("on", String.valueOf(on));
        fields.put("roofMiB", String.valueOf(roofMib));
        fields.put("terminate", terminate.stream().map(String::valueOf).collect(Collectors.joining(" ")));
        return fields;
    }
}
