package io.gpushare.model.claims;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * An amount of a card that claims consume parts of.
 *
 * @param value what the card has
 * @param ifUnnamed what a claim consumes that does not name it
 * @param least what a claim consumes at least
 * @param step the amount is {@code least} and any number of steps, rounded up
 */
public record Capacity(long value, long ifUnnamed, long least, long step) {
    /** The capacity in which a claim requests memory. */
    public static final String MEMORY = "memory";

    /** The capacity in which a claim requests a percentage of the cores. */
    public static final String CORES = "cores";

    /** The capacity of which each claim takes one, so that a card has at most so many. */
    static final String SLOTS = "slots";

    private static final String SUFFIXES = "KMGTPE";
    private static final int KIBI = 1024;

    /** As the API has it. The API server refuses a range of which no step fits: then the value is the only one. */
    Map<String, Object> document() {
        Map<String, Object> policy = new LinkedHashMap<>();
        policy.put("default", quantity(ifUnnamed));
        if (least + step > value) {
            policy.put("validValues", List.of(quantity(value)));
        } else {
            policy.put("validRange", Map.of("min", quantity(least), "max", quantity(value), "step", quantity(step)));
        }
        return Map.of("value", quantity(value), "requestPolicy", policy);
    }

    /** In the canonical form of a quantity with binary suffixes, so that it is read back as it was written. */
    public static String quantity(long amount) {
        long rest = amount;
        int suffix = 0;
        while (rest > 0 && rest % KIBI == 0 && suffix < SUFFIXES.length()) {
            rest /= KIBI;
            suffix++;
        }
        return suffix == 0 ? String.valueOf(rest) : rest + SUFFIXES.substring(suffix - 1, suffix) + "i";
    }
}
