package io.gpushare.simulation.lifetimes;

import io.gpushare.extender.capacity.FreeNode;
import io.gpushare.extender.policy.PolicyKind;
import io.gpushare.simulation.trace.PodClass;
import io.gpushare.simulation.trace.TimedPod;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** How long pods wait with each policy, at several loads, as text. */
public final class WaitTable {
    private WaitTable() {}

    /**
     * Replays the pods with each policy and speed, and writes a line per replay.
     *
     * @param speeds how much faster pods come than in the list
     * @param out receives the lines
     */
    public static void write(
            List<FreeNode> nodes,
            List<TimedPod> pods,
            List<PolicyKind> policies,
            List<Double> speeds,
            Consumer<String> out) {
        for (double speed : speeds) {
            out.accept(String.format(
                    Locale.ROOT, "Pods come %.1f times as fast. Minutes of waiting, mean and 95th percentile:", speed));
            boolean head = true;
            for (PolicyKind policy : policies) {
                Waits waits = new Timeline(nodes, policy, pods, speed).run();
                List<PodClass> classes =
                        Stream.of(PodClass.values()).filter(waits::has).toList();
                if (head) {
                    out.accept(head(classes));
                    head = false;
                }
                out.accept(line(policy, waits, classes));
            }
            out.accept("");
        }
    }

    private static String head(List<PodClass> classes) {
        StringBuilder line = new StringBuilder(String.format(Locale.ROOT, "%-10s %9s", "policy", "allocated"));
        classes.forEach(each -> line.append(String.format(Locale.ROOT, " %17s", each)));
        return line.append(String.format(Locale.ROOT, " %13s %6s", "beside free", "never"))
                .toString();
    }

    private static String line(PolicyKind policy, Waits waits, List<PodClass> classes) {
        StringBuilder line =
                new StringBuilder(String.format(Locale.ROOT, "%-10s %7.2f %%", policy, 100 * waits.allocated()));
        classes.forEach(each -> line.append(
                String.format(Locale.ROOT, " %8.1f %8.1f", waits.mean(each) / 60, waits.percentile95(each) / 60)));
        return line.append(String.format(Locale.ROOT, " %11.1f h %6d", waits.besideFree() / 3600, waits.neverStarted()))
                .toString();
    }
}
