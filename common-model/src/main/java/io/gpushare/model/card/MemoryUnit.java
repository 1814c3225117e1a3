package io.gpushare.model.card;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The amount of memory that one memory device represents: {@code GiB}, or any whole number of MiB. */
public record MemoryUnit(Memory size) {
    public static final MemoryUnit GIB = new MemoryUnit(Memory.ofGib(1));

    private static final Pattern MIB = Pattern.compile("([1-9][0-9]{0,8})?MiB");

    public MemoryUnit {
        if (size.mib() == 0 || !size.equals(Memory.ofMib(size.mib()))) {
            throw new IllegalArgumentException("a memory unit is a whole number of MiB, at least 1");
        }
    }

    public static MemoryUnit ofMib(long mib) {
        return new MemoryUnit(Memory.ofMib(mib));
    }

    /**
     * Reads {@code GiB}, {@code MiB} or {@code <n>MiB}.
     *
     * @throws IllegalArgumentException with a sentence for the user for any other text
     */
    public static MemoryUnit parse(String text) {
        if (text.equals("GiB")) {
            return GIB;
        }
        Matcher mib = MIB.matcher(text);
        if (!mib.matches()) {
            throw new IllegalArgumentException(
                    "memory unit '" + text + "' is not understood: write GiB, or a number of MiB such as 256MiB");
        }
        return ofMib(mib.group(1) == null ? 1 : Long.parseLong(mib.group(1)));
    }

    /** The number of whole units in that memory, rounded down. */
    public int unitsIn(Memory memory) {
        return Math.toIntExact(memory.bytes() / size.bytes());
    }

    /** The smallest number of these units that holds {@code count} units of another size, at most the largest int. */
    public int unitsCovering(int count, MemoryUnit other) {
        if (count > Long.MAX_VALUE / other.size.bytes()) {
            return Integer.MAX_VALUE;
        }
        return (int) Math.min(Integer.MAX_VALUE, Math.ceilDiv(other.size.bytes() * count, size.bytes()));
    }

    /** The memory of that many units, at most the largest that a long holds: anyone may request too much. */
    public Memory of(long units) {
        return new Memory(units > Long.MAX_VALUE / size.bytes() ? Long.MAX_VALUE : units * size.bytes());
    }

    /** The same for people: {@code 8 GiB}, {@code 512 MiB}. */
    public String amount(long units) {
        return of(units).text();
    }

    /**
     * What a pod requests, with the number of units where a unit is not a GiB: {@code 7.5 GiB (30 units of 256 MiB)}.
     */
    public String requested(int units) {
        return amount(units)
                + (equals(GIB) ? "" : " (" + units + (units == 1 ? " unit" : " units") + " of " + size.text() + ")");
    }

    @Override
    public String toString() {
        return equals(GIB) ? "GiB" : size.mib() + "MiB";
    }
}
