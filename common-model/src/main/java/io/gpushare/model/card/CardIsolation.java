package io.gpushare.model.card;

import java.math.BigDecimal;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What holds containers to their share of one card.
 *
 * @param inForce what does
 * @param missing why what the operator asked for is not in force, as a sentence; empty if nothing is missing
 * @param closed whether the card therefore offers no memory to new pods; it can still be taken whole
 * @param headroom what is kept of the card's memory for the driver and for what enforces the limits, before the rest is
 *     cut into units
 * @param coreCap what containers may use of the cores if they request none
 */
public record CardIsolation(Isolation inForce, String missing, boolean closed, Memory headroom, CoreCap coreCap) {
    /** Memory is counted, and nothing else was asked for. */
    public static final CardIsolation NONE = of(Isolation.NONE);

    /**
     * What a container may use at most of a card's cores if it requests none: a percentage, or as much as it holds of
     * the memory, times a factor. It limits that container only and takes nothing from what others may request.
     *
     * @param percent 0 if it depends on the memory
     * @param hundredths of the factor; 0 if it does not depend on the memory. Both are 0 for no limit
     */
    public record CoreCap(int percent, int hundredths) {
        public static final CoreCap NONE = new CoreCap(0, 0);

        /**
         * As much of the cores as of the memory. The caps of a full card come to 100 percent at most where each share
         * is at least a tenth of the card; smaller ones get the least cap, so that theirs may come to more.
         */
        public static final CoreCap MEMORY = new CoreCap(0, 100);

        private static final int LEAST = 10;
        private static final int ALL = 100;
        private static final BigDecimal MOST_FACTOR = BigDecimal.valueOf(100);
        private static final Pattern PERCENT = Pattern.compile("([1-9][0-9]?|100)%?");
        private static final Pattern FACTOR = Pattern.compile("memory(?:\\*([0-9]{1,3}(?:\\.[0-9]{1,2})?))?");

        /**
         * Reads {@code none}, {@code 25}, {@code memory} or {@code memory*2}.
         *
         * @throws IllegalArgumentException with a sentence for the user for any other text
         */
        public static CoreCap parse(String text) {
            Matcher percent = PERCENT.matcher(text);
            Matcher factor = FACTOR.matcher(text);
            if (text.equals("none")) {
                return NONE;
            }
            if (percent.matches()) {
                return new CoreCap(Integer.parseInt(percent.group(1)), 0);
            }
            BigDecimal times =
                    factor.matches() && factor.group(1) != null ? new BigDecimal(factor.group(1)) : BigDecimal.ONE;
            if (!factor.matches() || times.signum() == 0 || times.compareTo(MOST_FACTOR) > 0) {
                throw new IllegalArgumentException(
                        "'" + text + "' is not understood: write none, a percentage from 1 to"
                                + " 100, memory, or memory*<factor> such as memory*2, at most memory*100");
            }
            return new CoreCap(0, times.movePointRight(2).intValueExact());
        }

        /**
         * The percentage for that many of the card's units, at least 10 if it depends on the memory; 0 for no limit.
         */
        int of(int units, int capacity) {
            if (hundredths == 0 || capacity == 0) {
                return percent;
            }
            return Math.clamp((long) units * hundredths / capacity, LEAST, ALL);
        }

        /** As {@link #parse} reads it. */
        @Override
        public String toString() {
            return equals(NONE)
                    ? "none"
                    : percent > 0
                            ? String.valueOf(percent)
                            : equals(MEMORY)
                                    ? "memory"
                                    : "memory*"
                                            + BigDecimal.valueOf(hundredths, 2)
                                                    .stripTrailingZeros()
                                                    .toPlainString();
        }
    }

    public CardIsolation {
        if (missing.isEmpty() ? closed : inForce != Isolation.NONE) {
            throw new IllegalArgumentException("a card with " + inForce + " lacks nothing, and a closed one something");
        }
    }

    private CardIsolation(Isolation inForce, String missing, boolean closed) {
        this(inForce, missing, closed, new Memory(0), CoreCap.NONE);
    }

    /** A card on which that is in force. */
    public static CardIsolation of(Isolation inForce) {
        return new CardIsolation(inForce, "", false);
    }

    /** A card whose memory is counted although more was asked for. */
    public static CardIsolation counted(String missing) {
        return new CardIsolation(Isolation.NONE, missing, false);
    }

    /** A card that offers no memory because it can't be shared as was asked for. */
    public static CardIsolation closed(String missing) {
        return new CardIsolation(Isolation.NONE, missing, true);
    }

    /** The same with that much memory kept. */
    public CardIsolation withHeadroom(Memory changed) {
        return new CardIsolation(inForce, missing, closed, changed, coreCap);
    }

    /** The same with that cap, which is an option of MPS only. */
    public CardIsolation withCoreCap(CoreCap changed) {
        return new CardIsolation(inForce, missing, closed, headroom, inForce == Isolation.MPS ? changed : CoreCap.NONE);
    }

    /**
     * The cores in percent that a container with that share of the card may use at most: what it requests, or else the
     * cap; 0 for no limit.
     *
     * @param capacity of the card
     */
    public int coresOf(Share share, Share capacity) {
        return share.cores() > 0 || share.units() == 0 ? share.cores() : coreCap.of(share.units(), capacity.units());
    }
}
