package io.gpushare.insight.text;

import io.gpushare.insight.view.Waste;
import io.gpushare.insight.waste.Sums;
import io.gpushare.insight.waste.WasteReport.Group;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What is wasted as CSV, a row for each workload; unknown values are empty. Names of Kubernetes need no quotes. */
public final class WasteCsv {
    private static final String HEAD =
            "namespace,workload,pods,allocated_bytes,measured_bytes,used_bytes,unused_bytes,idle_bytes,over_bytes,"
                    + "pods_idle,pods_over,pods_idle_unknown\n";

    private WasteCsv() {}

    /** The head alone before the first report. */
    public static String of(Waste waste) {
        List<Group> workloads =
                waste.report() == null ? List.of() : waste.report().workloads();
        return HEAD + workloads.stream().map(WasteCsv::row).collect(Collectors.joining());
    }

    private static String row(Group group) {
        Sums sums = group.sums();
        return Stream.of(
                        group.namespace(),
                        group.workload(),
                        sums.pods(),
                        sums.allocated(),
                        sums.measured(),
                        sums.usedBytes(),
                        sums.unusedBytes(),
                        sums.idleBytes(),
                        sums.overBytes(),
                        sums.knownIdle(),
                        sums.knownOver(),
                        sums.podsIdleUnknown())
                .map(value -> Objects.toString(value, ""))
                .collect(Collectors.joining(",", "", "\n"));
    }
}
