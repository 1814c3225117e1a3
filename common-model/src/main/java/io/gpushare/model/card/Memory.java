package io.gpushare.model.card;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An amount of memory, exact, in bytes. */
public record Memory(long bytes) implements Comparable<Memory> {
    private static final long MIB = 1L << 20;
    // Less than a tenth of a GiB apart, in MiB.
    private static final long CLOSE = 102;
    private static final Pattern FORM = Pattern.compile("([1-9][0-9]{0,8})([GM])iB");

    public Memory {
        if (bytes < 0) {
            throw new IllegalArgumentException("memory can't be negative: " + bytes);
        }
    }

    /** That many MiB (2^20 bytes each). */
    public static Memory ofMib(long mib) {
        return new Memory(Math.multiplyExact(mib, MIB));
    }

    /** That many GiB (2^30 bytes each). */
    public static Memory ofGib(long gib) {
        return ofMib(Math.multiplyExact(gib, 1024L));
    }

    /**
     * Reads {@code 119GiB} or {@code 15360MiB}.
     *
     * @throws IllegalArgumentException with a sentence for the user for any other text
     */
    public static Memory parse(String text) {
        Matcher form = FORM.matcher(text.strip());
        if (!form.matches()) {
            throw new IllegalArgumentException(
                    "the amount of memory '" + text + "' is not understood: write 119GiB or 15360MiB, for example");
        }
        long amount = Long.parseLong(form.group(1));
        return form.group(2).equals("G") ? ofGib(amount) : ofMib(amount);
    }

    /** The difference, at least 0. */
    public Memory minus(Memory other) {
        return new Memory(Math.max(0, bytes - other.bytes));
    }

    /** Whole MiB in this amount, rounded down. */
    public long mib() {
        return bytes / MIB;
    }

    /**
     * The amount for people: whole MiB below 1 GiB, else GiB with one decimal unless it is whole. Cards are sold in
     * GiB, so the sum of many is in GiB too, beside the figure of one. The page writes amounts in the same way.
     */
    public String text() {
        return in(scale()) + " " + scale().unit;
    }

    /** The same beside another amount: in MiB where rounding could hide the difference. */
    public String text(Memory other) {
        long difference = Math.abs(mib() - other.mib());
        return difference > 0 && difference <= CLOSE ? mib() + " MiB" : text();
    }

    /** This part of an amount, for people, in the unit of the whole: {@code 37.8/190 GiB}. */
    public String of(Memory whole, String separator) {
        return in(whole.scale()) + separator + whole.text();
    }

    /** The figure for people in a column of GiB. */
    public String gib() {
        return in(Scale.GIB);
    }

    private enum Scale {
        MIB("MiB", 1),
        GIB("GiB", 1L << 10);

        private final String unit;
        private final long mib;

        Scale(String unit, long mib) {
            this.unit = unit;
            this.mib = mib;
        }
    }

    private Scale scale() {
        return mib() < Scale.GIB.mib ? Scale.MIB : Scale.GIB;
    }

    private String in(Scale scale) {
        return mib() % scale.mib == 0
                ? String.valueOf(mib() / scale.mib)
                : String.format(Locale.ROOT, "%.1f", mib() / (double) scale.mib);
    }

    @Override
    public int compareTo(Memory other) {
        return Long.compare(bytes, other.bytes);
    }

    @Override
    public String toString() {
        return mib() + "MiB";
    }
}
