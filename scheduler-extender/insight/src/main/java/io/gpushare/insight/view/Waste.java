package io.gpushare.insight.view;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.gpushare.insight.waste.PodOnCard;
import io.gpushare.insight.waste.Sums;
import io.gpushare.insight.waste.WasteReport;
import io.gpushare.insight.waste.WasteReport.Group;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is wasted: the sums, by namespace and workload, the pods that waste most, and the last hours.
 *
 * @param at null before the first round
 * @param report null if the caller has the one of this time
 */
public record Waste(
        int version,
        @Nullable Instant at,
        @JsonUnwrapped @Nullable Report report) {
    /** The report in bytes, as it is written. */
    public record Report(
            int nodes,
            int reporting,
            long capacityBytes,
            long allocatedBytes,
            long freeBytes,
            long unusableBytes,
            Sums total,
            List<Group> namespaces,
            List<Group> workloads,
            List<PodOnCard> pods,
            List<Node> byNode,
            List<Sample> history) {
        static Report of(WasteReport report) {
            var memory = report.now().memory();
            return new Report(
                    report.nodes(),
                    report.reporting(),
                    memory.capacity(),
                    memory.allocated(),
                    memory.free(),
                    memory.wasted(),
                    report.now().pods(),
                    report.namespaces(),
                    report.workloads(),
                    report.pods(),
                    report.byNode().stream().map(Node::of).toList(),
                    report.history().stream().map(Sample::of).toList());
        }
    }

    /** One node. */
    public record Node(
            String name,
            @Nullable Long usedBytes,
            @Nullable Long unusedBytes,
            boolean over,
            boolean idle,
            boolean unusable) {
        static Node of(WasteReport.NodeWaste node) {
            Sums sums = node.sums();
            return new Node(
                    node.name(),
                    sums.usedBytes(),
                    sums.unusedBytes(),
                    sums.podsOver() > 0,
                    sums.podsIdle() > 0,
                    node.unusable());
        }
    }

    /** The sums of the cluster at one moment. */
    public record Sample(
            Instant at,
            long capacityBytes,
            long allocatedBytes,
            long usedBytes,
            long unusedBytes,
            long unusableBytes,
            long overBytes) {
        static Sample of(WasteReport.Sample sample) {
            return new Sample(
                    sample.at(),
                    sample.memory().capacity(),
                    sample.memory().allocated(),
                    sample.pods().used(),
                    sample.pods().unused(),
                    sample.memory().wasted(),
                    sample.pods().over());
        }
    }

    /**
     * The report as a response.
     *
     * @param since the time of the report that the caller has; only the time is written if it is of this one
     */
    public static Waste of(WasteReport report, String since) {
        Instant at = report.now().at();
        return new Waste(
                ViewJson.VERSION, report.known() ? at : null, at.toString().equals(since) ? null : Report.of(report));
    }
}
