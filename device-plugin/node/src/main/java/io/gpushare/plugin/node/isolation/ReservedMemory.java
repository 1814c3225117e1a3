package io.gpushare.plugin.node.isolation;

import io.gpushare.model.card.Card;
import io.gpushare.model.card.Memory;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What is kept of each card before the rest is cut into units, so that every container can use its limit.
 *
 * @param fixed the same amount of every card, whatever isolation there is; empty: what the driver reserves, and what
 *     the isolation takes beside the containers, on cards that are not only counted
 */
public record ReservedMemory(Optional<Memory> fixed) {
    public static final ReservedMemory AUTO = new ReservedMemory(Optional.empty());

    private static final Pattern MIB = Pattern.compile("([0-9]{1,7})(MiB)?");

    /**
     * Reads {@code auto}, {@code none} or a number of MiB.
     *
     * @throws IllegalArgumentException with a sentence for the user for any other text
     */
    public static ReservedMemory parse(String text) {
        var mib = MIB.matcher(text);
        if (text.equals("auto")) {
            return AUTO;
        }
        if (!text.equals("none") && !mib.matches()) {
            throw new IllegalArgumentException(
                    "'" + text + "' is not understood: write auto, none, or a number of MiB such as 600");
        }
        return new ReservedMemory(Optional.of(Memory.ofMib(text.equals("none") ? 0 : Long.parseLong(mib.group(1)))));
    }

    /** Whether it keeps memory of cards without isolation too. */
    public boolean always() {
        return fixed.filter(amount -> amount.bytes() > 0).isPresent();
    }

    /**
     * What is kept of that card.
     *
     * @param isolated whether the card is shared by programs with limits
     * @param beside what the isolation takes beside the containers
     */
    Memory of(Card card, boolean isolated, Memory beside) {
        return fixed.orElseGet(
                () -> isolated ? new Memory(card.details().reserved().bytes() + beside.bytes()) : new Memory(0));
    }
}
