package io.gpushare.extender.view.text;

import io.gpushare.extender.placement.LedgerStats.Amounts;
import io.gpushare.extender.view.Phrases;
import io.gpushare.extender.waste.PodOnCard;
import io.gpushare.extender.waste.Sums;
import io.gpushare.extender.waste.WasteReport;
import io.gpushare.extender.waste.WasteReport.Group;
import java.util.ArrayList;
import java.util.List;

/** What is wasted as text: the sums of the cluster, then by namespace, by workload, and the pods that waste most. */
public final class WasteText {
    private static final int ROWS = 20;

    private WasteText() {}

    /**
     * The report in tables.
     *
     * @param namespace shows the workloads and pods of this one only; all for an empty text
     */
    public static String of(WasteReport report, String namespace) {
        if (!report.known()) {
            return "The usage of the cards is not known yet; try again in a moment.\n";
        }
        String unknown = report.reporting() == report.nodes()
                ? ""
                : "Usage is unknown on " + Phrases.count(report.nodes() - report.reporting(), "node") + ".\n";
        return (namespace.isEmpty() ? totals(report) + "\n" : "")
                + groups(report.namespaces(), namespace, false)
                + groups(report.workloads(), namespace, true)
                + pods(report.pods(), namespace) + unknown + "As of "
                + report.now().at() + ".\n";
    }

    private static TextTable totals(WasteReport report) {
        Amounts memory = report.now().memory();
        Sums total = report.now().pods();
        String idle = "Allocated to " + Phrases.count(total.podsIdle(), "pod") + " that have not computed for "
                + PodOnCard.IDLE.toMinutes() + " minutes";
        return new TextTable()
                .row("Memory of all cards", Phrases.size(memory.capacity()), "")
                .row("Allocated", Phrases.size(memory.allocated()), "")
                .row("  unused", Phrases.size(total.unused()), "Allocated and not used")
                .row("  idle", Phrases.size(total.idle()), idle)
                .row("Free", Phrases.size(memory.free()), "")
                .row("  unusable", Phrases.size(memory.wasted()), "Of no use to any usual or waiting pod")
                .row(
                        "Over the limit",
                        Phrases.size(total.over()),
                        "Used by " + Phrases.count(total.podsOver(), "pod") + " beyond what is allocated");
    }

    private static String groups(List<Group> groups, String namespace, boolean workloads) {
        List<String> head = new ArrayList<>(List.of("NAMESPACE"));
        if (workloads) {
            head.add("WORKLOAD");
        }
        head.addAll(List.of("PODS", "ALLOCATED", "USED", "UNUSED", "IDLE", "OVER ITS LIMIT"));
        TextTable table = new TextTable().row(head);
        List<Group> some = groups.stream()
                .filter(group -> namespace.isEmpty() || group.namespace().equals(namespace))
                .toList();
        for (Group group : some.subList(0, Math.min(ROWS, some.size()))) {
            Sums sums = group.sums();
            List<String> row = new ArrayList<>(List.of(group.namespace()));
            if (workloads) {
                row.add(group.workload());
            }
            row.addAll(List.of(
                    String.valueOf(sums.pods()),
                    Phrases.size(sums.allocated()),
                    size(sums.used()),
                    size(sums.unused()),
                    size(sums.idle()),
                    size(sums.over())));
            table.row(row);
        }
        return table.isEmpty() ? "" : table + more(some.size()) + "\n";
    }

    private static String pods(List<PodOnCard> pods, String namespace) {
        TextTable table = new TextTable().row("NAMESPACE", "POD", "NODE", "CARD", "ALLOCATED", "USED", "");
        List<PodOnCard> some = pods.stream()
                .filter(pod -> namespace.isEmpty() || pod.pod().namespace().equals(namespace))
                .toList();
        for (PodOnCard pod : some.subList(0, Math.min(ROWS, some.size()))) {
            table.row(
                    pod.pod().namespace(),
                    pod.pod().name(),
                    pod.node(),
                    String.valueOf(pod.card()),
                    Phrases.size(pod.allocatedBytes()),
                    pod.usedBytes() == null ? "-" : Phrases.size(pod.usedBytes()),
                    states(pod));
        }
        return table.isEmpty() ? "" : table + more(some.size()) + "\n";
    }

    /** The unusual states of a pod in words; empty for none. */
    static String states(PodOnCard pod) {
        List<String> states = new ArrayList<>();
        if (pod.over()) {
            states.add("over its limit");
        }
        if (pod.idle() && pod.idleSeconds() != null) {
            states.add("idle for " + Phrases.duration(pod.idleSeconds()));
        }
        return String.join(", ", states);
    }

    private static String size(long bytes) {
        return bytes == 0 ? "-" : Phrases.size(bytes);
    }

    private static String more(int all) {
        return all <= ROWS ? "" : "and " + (all - ROWS) + " more: -o json\n";
    }
}
