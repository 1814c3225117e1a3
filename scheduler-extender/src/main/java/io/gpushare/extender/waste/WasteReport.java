package io.gpushare.extender.waste;

import java.time.Instant;
import java.util.List;
import java.util.Objects;

/**
 * What is wasted in the cluster, as of one round over all nodes.
 *
 * @param at the end of the round; the epoch before the first one
 * @param nodes the number of nodes with cards
 * @param reporting the number of those whose device plugin reported usage
 * @param capacity the memory of all cards
 * @param allocated the memory that pods hold
 * @param free the memory that new pods can get
 * @param unusable the part of it that no pod of the kinds seen so far, or waiting, can use
 * @param total sums over all pods
 * @param namespaces the namespaces that waste most, with the most first; a limited number
 * @param workloads the same by workload
 * @param pods the pods that waste most; a limited number
 * @param byNode every node with measured usage or unusable memory
 * @param history samples of the last hours, the oldest first
 */
public record WasteReport(
        Instant at,
        int nodes,
        int reporting,
        long capacity,
        long allocated,
        long free,
        long unusable,
        Sums total,
        List<Group> namespaces,
        List<Group> workloads,
        List<PodOnCard> pods,
        List<NodeWaste> byNode,
        List<Sample> history) {
    /** The report before the first round. */
    public static final WasteReport NONE = new WasteReport(
            Instant.EPOCH, 0, 0, 0, 0, 0, 0, Sums.NONE, List.of(), List.of(), List.of(), List.of(), List.of());

    /**
     * The sums of one namespace, or of one workload in it.
     *
     * @param workload empty for the namespace
     */
    public record Group(String namespace, String workload, Sums sums) {}

    /**
     * One node.
     *
     * @param used memory that its pods use
     * @param unused memory that is allocated to them and not used
     * @param over whether a pod there uses more than is allocated to it
     * @param idle whether a pod there is idle
     * @param unusable whether it has free memory that no pod can use
     */
    public record NodeWaste(String name, long used, long unused, boolean over, boolean idle, boolean unusable) {}

    /** The sums of the cluster at one moment of the last hours, in bytes. */
    public record Sample(Instant at, long capacity, long allocated, long used, long unused, long unusable, long over) {
        public Sample {
            Objects.requireNonNull(at);
        }
    }

    public WasteReport {
        Objects.requireNonNull(at);
        Objects.requireNonNull(total);
        namespaces = List.copyOf(namespaces);
        workloads = List.copyOf(workloads);
        pods = List.copyOf(pods);
        byNode = List.copyOf(byNode);
        history = List.copyOf(history);
    }

    /**
     * The report with the namespaces, workloads and pods of that namespace only; its sums are those of the
     * cluster.
     */
    public WasteReport of(String namespace) {
        return new WasteReport(
                at,
                nodes,
                reporting,
                capacity,
                allocated,
                free,
                unusable,
                total,
                namespaces.stream()
                        .filter(group -> group.namespace().equals(namespace))
                        .toList(),
                workloads.stream()
                        .filter(group -> group.namespace().equals(namespace))
                        .toList(),
                pods.stream()
                        .filter(pod -> pod.pod().namespace().equals(namespace))
                        .toList(),
                byNode,
                history);
    }

    /** Whether a round has ended. */
    public boolean known() {
        return !at.equals(Instant.EPOCH);
    }
}
