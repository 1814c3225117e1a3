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

    /** The text of that many units: {@code 8 GiB}, {@code 2048 MiB}. */
    public String amount(long units) {
        return equals(GIB) ? units + " GiB" : Math.multiplyExact(units, size.mib()) + " MiB";
    }

    @Override
    public String toString() {
        return equals(GIB) ? "GiB" : size.mib() + "MiB";
    }
}
