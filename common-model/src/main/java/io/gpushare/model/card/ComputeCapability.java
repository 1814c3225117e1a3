package io.gpushare.model.card;

import java.util.Comparator;

/** CUDA compute capability, such as 8.0. */
public record ComputeCapability(int major, int minor) implements Comparable<ComputeCapability> {
    private static final Comparator<ComputeCapability> ORDER =
            Comparator.comparingInt(ComputeCapability::major).thenComparingInt(ComputeCapability::minor);

    /**
     * Parses {@code major.minor}.
     *
     * @throws IllegalArgumentException for any other text
     */
    public static ComputeCapability parse(String text) {
        int dot = text.indexOf('.');
        try {
            return new ComputeCapability(
                    Integer.parseInt(text.substring(0, Math.max(dot, 0))), Integer.parseInt(text.substring(dot + 1)));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("'" + text + "' is not a compute capability such as 8.0", e);
        }
    }

    @Override
    public int compareTo(ComputeCapability other) {
        return ORDER.compare(this, other);
    }

    @Override
    public String toString() {
        return major + "." + minor;
    }
}
