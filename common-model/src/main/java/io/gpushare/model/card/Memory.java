package io.gpushare.model.card;

/** An amount of memory, exact, in bytes. */
public record Memory(long bytes) implements Comparable<Memory> {
    private static final long MIB = 1L << 20;

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
