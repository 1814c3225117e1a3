package io.gpushare.extender.view.text;

import io.gpushare.extender.view.Waste;
import io.gpushare.extender.waste.Sums;
import io.gpushare.extender.waste.WasteReport.Group;
import java.util.List;
import java.util.stream.Collectors;

/** What is wasted as CSV, a row for each workload. Names of Kubernetes need no quotes. */
public final class WasteCsv {
    private static final String HEAD =
            "namespace,workload,pods,allocated_bytes,measured_bytes,used_bytes,unused_bytes,idle_bytes,over_bytes,"
                    + "pods_idle,pods_over\n";

    private WasteCsv() {}

    /** The head alone before the first report. */
    public static String of(Waste waste) {
        List<Group> workloads =
                waste.report() == null ? List.of() : waste.report().workloads();
        return HEAD + workloads.stream().map(WasteCsv::row).collect(Collectors.joining());
    }

    private static String row(Group group) {
        Sums sums = group.sums();
        return "%s,%s,%d,%d,%d,%d,%d,%d,%d,%d,%d\n"
                .formatted(
                        group.namespace(),
                        group.workload(),
                        sums.pods(),
                        sums.allocated(),
                        sums.measured(),
                        sums.used(),
                        sums.unused(),
                        sums.idle(),
                        sums.over(),
                        sums.podsIdle(),
                        sums.podsOver());
    }
}
