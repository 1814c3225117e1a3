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
 * @param processLimitMib the most memory of one of its containers; 0 if it is off
 * @param terminate the processes whose contexts the supervisor ends: the newest ones of containers over their limit
 */
public record CardWant(long sequence, boolean on, long processLimitMib, List<Long> terminate) {
    /** Nothing was ever wanted. */
    public static final CardWant NOTHING = new CardWant(0, false, 0, List.of());

    public CardWant {
        terminate = List.copyOf(terminate);
    }

    /** The same wish, whatever its sequence. */
    public boolean sameAs(CardWant other) {
        return on == other.on && processLimitMib == other.processLimitMib && terminate.equals(other.terminate);
    }

    static CardWant of(Fields fields) {
        long limit = fields.number("processLimitMiB");
        boolean on = fields.flag("on") && limit > 0;
        return new CardWant(fields.number("sequence"), on, on ? limit : 0, fields.numbers("terminate"));
    }

    Map<String, String> fields() {
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("sequence", String.valueOf(sequence));
        fields.put("on", String.valueOf(on));
        fields.put("processLimitMiB", String.valueOf(processLimitMib));
        fields.put("terminate", terminate.stream().map(String::valueOf).collect(Collectors.joining(" ")));
        return fields;
    }
}
