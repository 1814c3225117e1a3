package io.gpushare.insight.waste;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.gpushare.insight.waste.LedgerStats.Amounts;
import java.time.Instant;
import java.util.List;
import java.util.function.Predicate;

/**
 * What is wasted in the cluster, as of one round over all nodes.
 *
 * @param now the sums at the end of the round; of the epoch before the first one
 * @param nodes the number of nodes with cards
 * @param reporting the number of those whose device plugin reported usage
 * @param namespaces the namespaces that waste most, with the most first; a limited number
 * @param workloads the same by workload
 * @param pods the pods that waste most; a limited number
 * @param byNode every node with measured usage or unusable memory
 * @param history samples of the last hours, the oldest first
 */
public record WasteReport(
        Sample now,
        int nodes,
        int reporting,
        List<Group> namespaces,
        List<Group> workloads,
        List<PodOnCard> pods,
        List<NodeWaste> byNode,
        List<Sample> history) {
    /** The report before the first round. */
    public static final WasteReport NONE = new WasteReport(
            new Sample(Instant.EPOCH, Amounts.NONE, Sums.NONE),
            0,
            0,
            List.of(),
            List.of(),
            List.of(),
            List.of(),
            List.of());

    /**
     * The sums of one namespace, or of one workload in it.
     *
     * @param workload empty for the namespace
     */
    public record Group(
            String namespace,
            @JsonInclude(JsonInclude.Include.NON_EMPTY) String workload,
            @JsonUnwrapped Sums sums) {}

    /**
     * One node.
     *
     * @param unusable whether it has free memory that no pod can use
     */
    public record NodeWaste(String name, Sums sums, boolean unusable) {}

    /**
     * The sums of the cluster at one moment.
     *
     * @param memory of all cards
     * @param pods what pods hold and use of it
     */
    public record Sample(Instant at, Amounts memory, Sums pods) {}

    public WasteReport {
        namespaces = List.copyOf(namespaces);
        workloads = List.copyOf(workloads);
        pods = List.copyOf(pods);
        byNode = List.copyOf(byNode);
        history = List.copyOf(history);
    }

    /** The report with the namespaces, workloads and pods of that namespace only; its sums are those of the cluster. */
    public WasteReport of(String namespace) {
        Predicate<Group> within = group -> group.namespace().equals(namespace);
        return new WasteReport(
                now,
                nodes,
                reporting,
                namespaces.stream().filter(within).toList(),
                workloads.stream().filter(within).toList(),
                pods.stream()
                        .filter(pod -> pod.pod().namespace().equals(namespace))
                        .toList(),
                byNode,
                history);
    }

    /** Whether a round has ended. */
    public boolean known() {
        return !now.at().equals(Instant.EPOCH);
    }
}
