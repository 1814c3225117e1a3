package io.gpushare.insight.text;

import io.gpushare.insight.report.Phrases;
import io.gpushare.insight.view.Waste;
import io.gpushare.insight.view.Waste.Report;
import io.gpushare.insight.waste.PodOnCard;
import io.gpushare.insight.waste.Sums;
import io.gpushare.insight.waste.WasteReport.Group;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What is wasted as text: the sums of the cluster, then by namespace, by workload, and the pods that waste most. */
public final class WasteText {
    private static final int ROWS = 20;

    private WasteText() {}

    /**
     * The report in tables.
     *
     * @param namespace of which the report is; empty for the cluster, whose totals come first
     */
    public static String of(Waste waste, String namespace) {
        if (waste.at() == null || waste.report() == null) {
            return "The usage of the cards is not known yet; try again in a moment.\n";
        }
        Report report = waste.report();
        int unknown = report.nodes() - report.reporting();
        if (!namespace.isEmpty() && report.namespaces().isEmpty()) {
            return TopText.none(namespace);
        }
        return (namespace.isEmpty() ? totals(report) + "\n" : "") + groups(report.namespaces(), false)
                + groups(report.workloads(), true) + pods(report.pods())
                + (unknown == 0 ? "" : "Usage is unknown on " + Phrases.count(unknown, "node") + ".\n")
                + idleUnknown(report.total().podsIdleUnknown()) + "As of "
                + waste.at() + ".\n";
    }

    private static String idleUnknown(int pods) {
        return pods == 0
                ? ""
                : "Idle or not is unknown of " + Phrases.count(pods, "pod")
                        + "; 'kubectl gpushare top pods -A' shows why.\n";
    }

    private static TextTable totals(Report report) {
        Sums total = report.total();
        boolean noneKnown = total.podsIdle() == 0 && total.podsIdleUnknown() > 0;
        String idle = "Allocated to " + (noneKnown ? "pods" : Phrases.count(total.podsIdle(), "pod"))
                + " that have not computed for " + PodOnCard.IDLE.toMinutes() + " minutes";
        boolean partly = total.measured() < total.allocated();
        return new TextTable()
                .row("Memory of all cards", Phrases.size(report.capacityBytes()), "")
                .row("Allocated", Phrases.size(report.allocatedBytes()), "")
                .row("  unused", size(total.unusedBytes(), partly), "Allocated and not used")
                .row("  idle", size(total.idleBytes(), total.podsIdleUnknown() > 0), idle)
                .row("Free", Phrases.size(report.freeBytes()), "")
                .row("  unusable", Phrases.size(report.unusableBytes()), "Of no use to any usual or waiting pod")
                .row(
                        "Over the limit",
                        size(total.overBytes(), partly),
                        "Used by " + Phrases.count(total.podsOver(), "pod") + " beyond what is allocated");
    }

    private static String groups(List<Group> groups, boolean workloads) {
        List<String> head = new ArrayList<>(List.of("NAMESPACE"));
        if (workloads) {
            head.add("WORKLOAD");
        }
        head.addAll(List.of("PODS", "ALLOCATED", "USED", "UNUSED", "IDLE", "OVER ITS LIMIT"));
        TextTable table = new TextTable().row(head);
        for (Group group : groups.subList(0, Math.min(ROWS, groups.size()))) {
            Sums sums = group.sums();
            boolean partly = sums.measured() < sums.allocated();
            List<String> row = new ArrayList<>(List.of(group.namespace()));
            if (workloads) {
                row.add(group.workload());
            }
            row.addAll(List.of(
                    String.valueOf(sums.pods()),
                    Phrases.size(sums.allocated()),
                    size(sums.usedBytes(), partly),
                    size(sums.unusedBytes(), partly),
                    size(sums.idleBytes(), sums.podsIdleUnknown() > 0),
                    size(sums.overBytes(), partly)));
            table.row(row);
        }
        return table.isEmpty() ? "" : table + more(groups.size()) + "\n";
    }

    private static String pods(List<PodOnCard> pods) {
        TextTable table = new TextTable().row("NAMESPACE", "POD", "NODE", "CARD", "ALLOCATED", "USED", "");
        for (PodOnCard pod : pods.subList(0, Math.min(ROWS, pods.size()))) {
            table.row(
                    pod.pod().namespace(),
                    pod.pod().name(),
                    pod.node(),
                    String.valueOf(pod.card()),
                    Phrases.size(pod.allocatedBytes()),
                    Phrases.sizeOrDash(pod.usedBytes()),
                    states(pod));
        }
        return table.isEmpty() ? "" : table + more(pods.size()) + "\n";
    }

    /** The unusual states of a pod in words; empty for none. */
    static String states(PodOnCard pod) {
        List<String> states = new ArrayList<>();
        if (pod.notStarted() != null) {
            states.add("not started");
        }
        if (pod.over()) {
            states.add("over its limit");
        }
        if (pod.idle() && pod.idleSeconds() != null) {
            states.add("idle for " + Phrases.duration(pod.idleSeconds()));
        }
        return String.join(", ", states);
    }

    /** Of a part of the pods, if it is unknown of the others. */
    private static String size(@Nullable Long bytes, boolean partly) {
        return bytes == null || (partly && bytes == 0)
                ? "-"
                : (partly ? ">= " : "") + (bytes == 0 ? "0 GiB" : Phrases.size(bytes));
    }

    private static String more(int all) {
        return all <= ROWS ? "" : "and " + (all - ROWS) + " more: -o json\n";
    }
}
