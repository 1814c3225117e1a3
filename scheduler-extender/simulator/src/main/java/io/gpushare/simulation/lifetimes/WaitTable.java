package io.gpushare.simulation.lifetimes;

import io.gpushare.extender.pod.PolicyKind;
import io.gpushare.extender.policy.KnownNode;
import io.gpushare.simulation.trace.PodClass;
import io.gpushare.simulation.trace.TimedPod;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/** How long pods wait with each policy: minutes of the mean and the 95th percentile by class. */
public final class WaitTable {
    private final Map<PolicyKind, Waits> waits = new EnumMap<>(PolicyKind.class);

    private WaitTable() {}

    /**
     * Replays the pods with each policy.
     *
     * @param speed how much faster pods come than in the list
     */
    public static WaitTable of(List<KnownNode> nodes, List<TimedPod> pods, List<PolicyKind> policies, double speed) {
        WaitTable table = new WaitTable();
        policies.forEach(policy -> table.waits.put(policy, new Timeline(nodes, policy, pods, speed).run()));
        return table;
    }

    /** The pods of both. */
    public WaitTable plus(WaitTable other) {
        WaitTable both = new WaitTable();
        both.waits.putAll(waits);
        other.waits.forEach((policy, more) -> both.waits.merge(policy, more, Waits::plus));
        return both;
    }

    /** A line per policy. */
    @Override
    public String toString() {
        List<PodClass> classes = Stream.of(PodClass.values())
                .filter(each -> waits.values().stream().anyMatch(one -> one.has(each)))
                .toList();
        StringBuilder table =
                new StringBuilder(String.format("Minutes of waiting, mean and 95th percentile:%n%s", head(classes)));
        waits.forEach((policy, each) -> table.append(System.lineSeparator()).append(line(policy, each, classes)));
        return table.append(System.lineSeparator()).toString();
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
