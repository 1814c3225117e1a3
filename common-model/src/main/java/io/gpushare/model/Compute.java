package io.gpushare.model;

/**
 * What of a node is not its cards: cpu and memory, that a node has or a pod requests.
 *
 * @param cpuMilli thousandths of a cpu
 * @param memoryMib MiB of the node's memory
 */
public record Compute(long cpuMilli, long memoryMib) {
    public static final Compute NONE = new Compute(0, 0);

    public Compute plus(Compute other) {
        return new Compute(cpuMilli + other.cpuMilli, memoryMib + other.memoryMib);
    }

    /** May be below 0: more is requested of the node than it has. */
    public Compute minus(Compute other) {
        return new Compute(cpuMilli - other.cpuMilli, memoryMib - other.memoryMib);
    }
}
