package io.gpushare.model;

/**
 * The cpu and memory that a node has or a pod requests, beside cards.
 *
 * @param cpuMilli thousandths of a cpu
 * @param memoryMib MiB of host memory
 */
public record HostResources(long cpuMilli, long memoryMib) {
    public static final HostResources NONE = new HostResources(0, 0);

    public HostResources plus(HostResources other) {
        return new HostResources(cpuMilli + other.cpuMilli, memoryMib + other.memoryMib);
    }

    /** The difference; negative where more is requested than the node has. */
    public HostResources minus(HostResources other) {
        return new HostResources(cpuMilli - other.cpuMilli, memoryMib - other.memoryMib);
    }
}
