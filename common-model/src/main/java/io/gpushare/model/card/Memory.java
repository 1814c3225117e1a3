package io.gpushare.model.card;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An amount of memory, exact, in bytes. */
public record Memory(long bytes) implements Comparable<Memory> {
    private static final long MIB = 1L << 20;
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

    @Override
    public int compareTo(Memory other) {
        return Long.compare(bytes, other.bytes);
    }

    @Override
    public String toString() {
        return mib() + "MiB";
    }
}
