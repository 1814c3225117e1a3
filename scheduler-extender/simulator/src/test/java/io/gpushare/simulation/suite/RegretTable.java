package io.gpushare.simulation.suite;

import io.gpushare.extender.pod.PolicyKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * How much less of the cards each policy gets to use than the best one of each cluster: its regret, in points of the
 * cluster's capacity.
 *
 * @param rows one per cluster
 */
public record RegretTable(List<PolicyKind> policies, List<Row> rows) {
    /**
     * What each policy allocated in one cluster.
     *
     * @param arrivals the order of the pods in words
     * @param allocated per cent of the capacity of one cluster, by policy
     */
    public record Row(long seed, String cluster, String arrivals, List<Double> allocated) {
        public Row {
            allocated = List.copyOf(allocated);
        }

        double best() {
            return allocated.stream().mapToDouble(Double::doubleValue).max().orElseThrow();
        }

        public double regret(int policy) {
            return best() - allocated.get(policy);
        }
    }

    public RegretTable {
        policies = List.copyOf(policies);
        rows = List.copyOf(rows);
        if (rows.isEmpty()) {
            throw new IllegalArgumentException("a suite has at least one cluster");
        }
    }

    /** The mean regret of that policy. */
    public double mean(PolicyKind policy) {
        return regrets(policy).stream()
                .mapToDouble(Double::doubleValue)
                .average()
                .orElseThrow();
    }

    /** The regret that 95 % of the clusters do not exceed. */
    public double percentile95(PolicyKind policy) {
        List<Double> sorted = regrets(policy).stream().sorted().toList();
        return sorted.get((int) Math.ceil(0.95 * sorted.size()) - 1);
    }

    /** The cluster with the highest regret of that policy. */
    public Row worst(PolicyKind policy) {
        int at = policies.indexOf(policy);
        Row worst = rows.getFirst();
        for (Row row : rows) {
            worst = row.regret(at) > worst.regret(at) ? row : worst;
        }
        return worst;
    }

    private List<Double> regrets(PolicyKind policy) {
        int at = policies.indexOf(policy);
        return rows.stream().map(row -> row.regret(at)).toList();
    }

    /** A line per policy, then the worst cluster of each. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        text.append(String.format(
                Locale.ROOT, "%-12s %9s %9s %9s %9s  %s%n", "policy", "allocated", "regret", "95 %", "worst", "seed"));
        List<String> seeds = new ArrayList<>();
        for (int i = 0; i < policies.size(); i++) {
            int at = i;
            PolicyKind policy = policies.get(i);
            Row worst = worst(policy);
            text.append(String.format(
                    Locale.ROOT,
                    "%-12s %9.2f %9.2f %9.2f %9.2f  %d%n",
                    policy,
                    rows.stream()
                            .mapToDouble(row -> row.allocated.get(at))
                            .average()
                            .orElseThrow(),
                    mean(policy),
                    percentile95(policy),
                    worst.regret(i),
                    worst.seed));
            String line = "seed " + worst.seed + ": " + worst.cluster;
            if (!seeds.contains(line)) {
                seeds.add(line);
            }
        }
        text.append(System.lineSeparator());
        seeds.forEach(line -> text.append(line).append(System.lineSeparator()));
        return text.append(byArrivals()).toString();
    }

    /** A line per policy with the regret for each order of arrival: mean, 95 % and worst. */
    private String byArrivals() {
        Map<String, List<Row>> orders =
                rows.stream().collect(Collectors.groupingBy(Row::arrivals, TreeMap::new, Collectors.toList()));
        StringBuilder text = new StringBuilder(String.format(Locale.ROOT, "%n%-12s", "regret"));
        orders.forEach((order, some) -> text.append(String.format(Locale.ROOT, " %26s", some.size() + " " + order)));
        for (PolicyKind policy : policies) {
            text.append(String.format(Locale.ROOT, "%n%-12s", policy));
            orders.values().forEach(some -> {
                RegretTable table = new RegretTable(policies, some);
                text.append(String.format(
                        Locale.ROOT,
                        " %12.2f %6.2f %6.2f",
                        table.mean(policy),
                        table.percentile95(policy),
                        table.worst(policy).regret(policies.indexOf(policy))));
            });
        }
        return text.append(System.lineSeparator()).toString();
    }
}
