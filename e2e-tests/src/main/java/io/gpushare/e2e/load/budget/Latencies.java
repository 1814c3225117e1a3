package io.gpushare.e2e.load.budget;

import java.util.Arrays;

/** The durations of calls, in nanoseconds, and their percentiles. */
public final class Latencies {
    private final long[] nanos;
    private int count;

    public Latencies(int capacity) {
        nanos = new long[capacity];
    }

    public void add(long duration) {
        nanos[count++] = duration;
    }

    public int count() {
        return count;
    }

    /** The duration in milliseconds that this share of the calls, from 0 to 1, did not exceed. */
    public double millis(double share) {
        long[] sorted = Arrays.copyOf(nanos, count);
        Arrays.sort(sorted);
        return sorted[(int) Math.min(count - 1, Math.floor(share * count))] / 1e6;
    }
}
