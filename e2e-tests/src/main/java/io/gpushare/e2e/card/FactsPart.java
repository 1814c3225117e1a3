package io.gpushare.e2e.card;

import io.gpushare.e2e.card.node.Machine;
import io.gpushare.e2e.card.node.Tenant;
import io.gpushare.nvml.CardFacts;
import io.gpushare.nvml.CardReading;
import io.gpushare.nvml.CardUtilization;
import io.gpushare.nvml.MigFacts;
import io.gpushare.nvml.library.NvmlException;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Facts, memory, processes and links by our NVML binding, against {@code nvidia-smi} where that is on the machine. */
record FactsPart(Machine machine, Findings findings) {
    private static final int TENANT_MIB = 512;
    private static final List<String> FIELDS =
            List.of("name", "uuid", "memory.total", "compute_cap", "ecc.mode.current", "mig.mode.current");
    private static final boolean SMI = Machine.find("nvidia-smi").isPresent();

    static void run(Machine machine, Findings findings) throws Exception {
        new FactsPart(machine, findings).run();
    }

    private void run() throws Exception {
        findings.note("our binding: " + machine.driver() + ", " + machine.card());
        if (SMI) {
            compareFacts(machine.card());
        }
        links();
        long before = machine.usedMib();
        try (Tenant tenant = machine.tenant(String.valueOf(TENANT_MIB))) {
            findings.same("a tenant without MPS allocates", "ok " + TENANT_MIB, tenant.line(0));
            CardUtilization load = machine.utilization();
            long used = machine.memoryMib(tenant.pid());
            findings.check("NVML lists the tenant's process with its memory", used >= TENANT_MIB, used + " MiB");
            findings.figure("a context without MPS costs", (used - TENANT_MIB) + " MiB");
            findings.figure(
                    "the card's memory in use grew by",
                    (load.memoryUsedBytes().orElse(0) / Machine.MIB - before) + " MiB");
            findings.note("utilization: " + load);
            if (SMI) {
                compareLoad(load);
                processes();
            }
        }
    }

    private List<List<String>> query(String kind, String... fields) throws IOException, InterruptedException {
        String query = "--query-" + kind + "=" + String.join(",", fields);
        return Machine.output("nvidia-smi", "-i", machine.uuid(), query, "--format=csv,noheader,nounits")
                .lines()
                .filter(line -> !line.isBlank())
                .map(line ->
                        Arrays.stream(line.split(",", -1)).map(String::strip).toList())
                .toList();
    }

    private void compareFacts(CardFacts card) throws IOException, InterruptedException {
        List<String> ours = List.of(
                card.model().orElse("[N/A]"),
                card.uuid(),
                String.valueOf(machine.totalMib()),
                card.compute().map(Object::toString).orElse("[N/A]"),
                enabled(card.ecc()),
                enabled(card.mig().map(MigFacts::enabled)));
        List<String> theirs = query("gpu", FIELDS.toArray(String[]::new)).getFirst();
        for (int i = 0; i < FIELDS.size(); i++) {
            findings.same(FIELDS.get(i), theirs.get(i), ours.get(i));
        }
        String report = Machine.output("nvidia-smi", "-q", "-i", machine.uuid());
        findings.same("driver", found(report, "Driver Version"), machine.driverVersion());
        findings.same(
                "CUDA", found(report, "CUDA Version"), machine.driver().cuda().orElse("unknown"));
        findings.same(
                "minor number",
                found(report, "Minor Number"),
                String.valueOf(card.minor().orElse(-1)));
    }

    private static String enabled(Optional<Boolean> mode) {
        return mode.map(on -> on ? "Enabled" : "Disabled").orElse("[N/A]");
    }

    private static String found(String report, String name) {
        Matcher matcher = Pattern.compile("(?m)^ *" + name + " *: (.*)$").matcher(report);
        return matcher.find() ? matcher.group(1).strip() : "missing";
    }

    private void links() throws NvmlException, IOException, InterruptedException {
        List<CardReading> cards = machine.nvml().cards();
        for (CardReading reading : cards) {
            if (reading instanceof CardReading.Present(int _, CardFacts other)
                    && other.index() != machine.card().index()) {
                findings.figure("link to card " + other.index(), machine.nvml().link(machine.uuid(), other.uuid()));
            }
        }
        if (SMI && cards.size() > 1) {
            findings.note(Machine.output("nvidia-smi", "topo", "-m"));
        }
    }

    private void compareLoad(CardUtilization load) throws IOException, InterruptedException {
        List<String> theirs =
                query("gpu", "memory.used", "temperature.gpu", "power.draw").getFirst();
        near("memory used, MiB", load.memoryUsedBytes().orElse(0) / Machine.MIB, theirs.get(0), 16);
        near("temperature, °C", load.temperatureCelsius().orElse(0), theirs.get(1), 5);
        near("power, W", load.powerMilliwatts().orElse(0) / 1000, theirs.get(2), 100);
    }

    private void near(String what, long ours, String theirs, double tolerance) {
        boolean near = Math.abs(ours - Double.parseDouble(theirs)) <= tolerance;
        findings.check(what, near, ours + ", nvidia-smi " + theirs);
    }

    /** Compares the processes on the card, of which there are some now. */
    void processes() throws IOException, InterruptedException {
        if (!SMI) {
            return;
        }
        Set<List<String>> theirs = Set.copyOf(query("compute-apps", "pid", "used_memory"));
        Set<List<String>> ours = machine.processes().stream()
                .map(process -> List.of(
                        String.valueOf(process.pid()),
                        String.valueOf(process.memoryUsedBytes().orElse(0) / Machine.MIB)))
                .collect(Collectors.toSet());
        findings.same("processes with their MiB", theirs, ours);
    }
}
