package io.gpushare.model;

/**
 * What of a node is not its cards: cpu and memory, that a node has or a pod requests.
 *
 * @param cpuMilli thousandths of a cpu
 * @param memoryMib MiB of the node's memory
 */
public record HostResources(long cpuMilli, long memoryMib) {
    public static final HostResources NONE = new HostResources(0, 0);

    public HostResources plus(HostResources other) {
        return new HostResources(cpuMilli + other.cpuMilli, memoryMib + other.memoryMib);
    }

    /** May be below 0: more is requested of the node than it has. */
    public HostResources minus(HostResources other) {
        return new HostResources(cpuMilli - other.cpuMilli, memoryMib - other.memoryMib);
    }
}
