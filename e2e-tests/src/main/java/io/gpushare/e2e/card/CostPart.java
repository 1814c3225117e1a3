package io.gpushare.e2e.card;

import io.gpushare.e2e.card.node.Machine;
import io.gpushare.e2e.card.node.Node;
import io.gpushare.e2e.card.node.Tenant;
import java.io.IOException;
import java.util.ArrayList;
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
record CostPart(Machine machine, Findings findings) {
    private static final List<String> WORKLOADS = List.of("matmul:2048", "matmul:256", "copy:256");
    /** As tenants report it: {@code <workload> <count> in <microseconds>}. */
    private static final Pattern LINE = Pattern.compile("(\\S+) (\\d+) in (\\d+)");

    private static final int UNITS = 4;

    private interface Starter {
        Tenant start(String... arguments) throws IOException;
    }

    static void run(Machine machine, Findings findings) throws Exception {
        machine.kernels();
        new CostPart(machine, findings).run();
    }

    private void run() throws Exception {
        Map<String, Double> alone = measure(1, machine::tenant);
        findings.figure("one tenant, without MPS", relative(alone, alone));
        for (int tenants : new int[] {2, 4}) {
            findings.figure(
                    tenants + " tenants together, without MPS (time-slicing)",
                    relative(measure(tenants, machine::tenant), alone));
        }
        try (Node node = Node.withMps(machine, "--core-resource=" + Node.CORES, "--mps-default-cores=none")) {
            Node.Container container = node.memory("cost", UNITS * 4);
            Starter starter = arguments -> node.tenant(container, arguments);
            for (int tenants : new int[] {1, 2, 4}) {
                findings.figure(
                        tenants + (tenants == 1 ? " tenant, with MPS" : " tenants together, with MPS"),
                        relative(measure(tenants, starter), alone));
            }
            Map<String, Double> whole = measure(1, starter);
            findings.figure("without a compute share, which sees " + cores(starter), relative(whole, whole));
            for (int percent : new int[] {50, 25}) {
                share(node, percent, whole);
            }
        }
        Map<String, Double> again = measure(1, machine::tenant);
        findings.figure("one tenant again, without MPS: the noise", relative(again, alone));
    }

    /** What a compute share leaves of the speed. */
    private void share(Node node, int percent, Map<String, Double> whole) throws IOException, InterruptedException {
        Node.Container container = node.cores("cores" + percent, UNITS, percent);
        findings.same(
                "a pod of " + percent + " percent has",
                String.valueOf(percent),
                container.variable("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE"));
        Starter starter = arguments -> node.tenant(container, arguments);
        findings.figure(
                "with " + percent + " percent, which sees " + cores(starter), relative(measure(1, starter), whole));
    }

    private static String cores(Starter starter) throws IOException {
        try (Tenant tenant = starter.start("cores")) {
            return tenant.line(0);
        }
    }

    /** Each rate as a part of that of the same workload alone. */
    private static String relative(Map<String, Double> rates, Map<String, Double> alone) {
        return rates.entrySet().stream()
                .map(each -> String.format(
                        Locale.ROOT,
                        "%s %.2f (%.0f/s)",
                        each.getKey(),
                        each.getValue() / alone.getOrDefault(each.getKey(), Double.NaN),
                        each.getValue()))
                .collect(Collectors.joining(", "));
    }

    /** The work per second of so many tenants together, by workload. */
    private Map<String, Double> measure(int count, Starter starter) throws IOException {
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
            Map<String, Double> rates = new TreeMap<>();
            for (int line = 0; line < arguments.size(); line += 3) {
                for (Tenant tenant : tenants) {
                    tenant.line(line + 1);
                }
                for (Tenant tenant : tenants) {
                    tenant.go();
                }
                for (Tenant tenant : tenants) {
                    add(rates, tenant.line(line + 2));
                }
            }
            return rates;
        } finally {
            tenants.forEach(Tenant::close);
        }
    }

    private static void add(Map<String, Double> rates, String line) throws IOException {
        Matcher matcher = LINE.matcher(line);
        if (!matcher.matches()) {
            throw new IOException("a tenant that measures printed: " + line);
        }
        double rate = Long.parseLong(matcher.group(2)) * 1e6 / Math.max(1, Long.parseLong(matcher.group(3)));
        rates.merge(matcher.group(1), rate, Double::sum);
    }
}
