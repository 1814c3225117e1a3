package io.gpushare.e2e.card;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What sharing costs: a product of matrices that fills the card, one that does not, and a copy within its memory. All
 * tenants of a measurement work at the same time; the figures are their sum.
 */
final class CostPart {
    private static final List<String> WORKLOADS = List.of("matmul:2048", "matmul:256", "copy:256");
    private static final int UNITS = 4;

    private CostPart() {}

    /** Work per second, by workload, as tenants report it: {@code <workload> <count> in <microseconds>}. */
    private record Cost(Map<String, Double> rates) {
        private static final Pattern LINE = Pattern.compile("(\\S+) (\\d+) in (\\d+)");

        Cost {
            rates = new TreeMap<>(rates);
        }

        /** Adds a tenant's line to the sums. */
        static void add(Map<String, Double> sums, String line) {
            Matcher matcher = LINE.matcher(line);
            if (!matcher.matches()) {
                throw new IllegalStateException("a tenant that measures printed: " + line);
            }
            double rate = Long.parseLong(matcher.group(2)) * 1e6 / Math.max(1, Long.parseLong(matcher.group(3)));
            sums.merge(matcher.group(1), rate, Double::sum);
        }

        /** Each rate as a part of that of the same workload alone. */
        String relativeTo(Cost alone) {
            return rates.keySet().stream()
                    .map(workload -> String.format(
                            Locale.ROOT,
                            "%s %.2f (%.0f/s)",
                            workload,
                            rate(workload) / alone.rate(workload),
                            rate(workload)))
                    .collect(Collectors.joining(", "));
        }

        private double rate(String workload) {
            return rates.getOrDefault(workload, Double.NaN);
        }
    }

    private interface Starter {
        Tenant start(String... arguments) throws IOException;
    }

    static void run(Machine machine, Findings findings) throws Exception {
        machine.kernels();
        Cost alone = measure(machine, 1, machine::tenant);
        findings.figure("one tenant, without MPS", alone.relativeTo(alone));
        for (int tenants : new int[] {2, 4}) {
            findings.figure(
                    tenants + " tenants together, without MPS (time-slicing)",
                    measure(machine, tenants, machine::tenant).relativeTo(alone));
        }
        try (Node node = Node.withMps(machine, "--core-resource=" + Node.CORES)) {
            Node.Container container = node.memory("cost", UNITS * 4);
            for (int tenants : new int[] {1, 2, 4}) {
                Cost cost = measure(machine, tenants, arguments -> node.tenant(container, arguments));
                findings.figure(
                        tenants + (tenants == 1 ? " tenant, with MPS" : " tenants together, with MPS"),
                        cost.relativeTo(alone));
            }
            cores(machine, node, container, findings);
        }
        Cost again = measure(machine, 1, machine::tenant);
        findings.figure("one tenant again, without MPS: the noise", again.relativeTo(alone));
    }

    /** What each compute share leaves of the speed. */
    private static void cores(Machine machine, Node node, Node.Container all, Findings findings)
            throws IOException, InterruptedException {
        Cost whole = measure(machine, 1, arguments -> node.tenant(all, arguments));
        findings.figure("without a compute share, which sees " + cores(node, all), whole.relativeTo(whole));
        for (int percent : new int[] {50, 25}) {
            Node.Container container = node.cores("cores" + percent, UNITS, percent);
            findings.same(
                    "a pod of " + percent + " percent has",
                    String.valueOf(percent),
                    container.variable("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE"));
            Cost cost = measure(machine, 1, arguments -> node.tenant(container, arguments));
            findings.figure(
                    "with " + percent + " percent, which sees " + cores(node, container), cost.relativeTo(whole));
        }
    }

    private static String cores(Node node, Node.Container container) throws IOException {
        try (Tenant tenant = node.tenant(container, "cores")) {
            return tenant.line(0);
        }
    }

    private static Cost measure(Machine machine, int count, Starter starter) throws IOException {
        List<String> arguments = new ArrayList<>();
        for (String workload : WORKLOADS) {
            // Once before: the first use loads the kernel.
            arguments.addAll(List.of(workload + ":1", "go", workload + ":" + machine.measureMillis()));
        }
        List<Tenant> tenants = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                tenants.add(starter.start(arguments.toArray(String[]::new)));
            }
            Map<String, Double> sums = new HashMap<>();
            int line = 0;
            for (String _ : WORKLOADS) {
                for (Tenant tenant : tenants) {
                    String ready = tenant.line(line + 1);
                    if (!ready.equals("ready")) {
                        throw new IOException("a tenant that measures printed " + tenant.lines());
                    }
                }
                for (Tenant tenant : tenants) {
                    tenant.go();
                }
                for (Tenant tenant : tenants) {
                    Cost.add(sums, tenant.line(line + 2));
                }
                line += 3;
            }
            return new Cost(sums);
        } finally {
            tenants.forEach(Tenant::close);
        }
    }
}
