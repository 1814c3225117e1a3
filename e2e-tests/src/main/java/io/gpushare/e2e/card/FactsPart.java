package io.gpushare.e2e.card;

import io.gpushare.nvml.CardFacts;
import io.gpushare.nvml.CardReading;
import io.gpushare.nvml.CardUtilization;
import io.gpushare.nvml.library.NvmlException;
import io.gpushare.nvml.process.CardProcess;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Facts, memory, processes and links by our NVML binding, against {@code nvidia-smi}. */
final class FactsPart {
    private static final int TENANT_MIB = 512;
    private static final List<String> FIELDS = List.of(
            "name", "uuid", "memory.total", "compute_cap", "pci.bus_id", "ecc.mode.current", "mig.mode.current");

    private FactsPart() {}

    static void run(Machine machine, Findings findings) throws Exception {
        CardFacts card = machine.card();
        findings.note("our binding: " + machine.driver() + ", " + card);
        boolean smi = Machine.find("nvidia-smi").isPresent();
        if (smi) {
            compareFacts(machine, card, findings);
        } else {
            findings.note("nvidia-smi is missing: nothing is compared");
        }
        links(machine, findings);
        long usedBefore = machine.utilization().memoryUsedBytes() / Machine.MIB;
        try (Tenant tenant = machine.tenant(String.valueOf(TENANT_MIB))) {
            findings.same("a tenant without MPS allocates", "ok " + TENANT_MIB, tenant.line(0));
            CardUtilization load = machine.utilization();
            long used = machine.memoryMib(tenant.pid());
            findings.check("NVML lists the tenant's process with its memory", used >= TENANT_MIB, used + " MiB");
            findings.figure("a context without MPS costs", (used - TENANT_MIB) + " MiB");
            findings.figure(
                    "the card's memory in use grew by", (load.memoryUsedBytes() / Machine.MIB - usedBefore) + " MiB");
            findings.note("utilization: " + load);
            if (smi) {
                compareLoad(machine, load, findings);
            }
        }
    }

    static void mig(Machine machine, Findings findings) throws Exception {
        if (Machine.find("nvidia-smi").isPresent()) {
            findings.note(Machine.output("nvidia-smi", "mig", "-i", machine.uuid(), "-lgip"));
        }
        throw new Part.Skipped(
                machine.keepSettings()
                        ? "the card's settings are kept"
                        : "the plugin offers whole cards only, and no card whose MIG mode is enabled");
    }

    private static List<String> query(Machine machine, String kind, List<String> fields)
            throws IOException, InterruptedException {
        String answer = Machine.output(
                "nvidia-smi",
                "-i",
                machine.uuid(),
                "--query-" + kind + "=" + String.join(",", fields),
                "--format=csv,noheader,nounits");
        return answer.lines().filter(line -> !line.isBlank()).toList();
    }

    private static List<String> values(String line) {
        return Arrays.stream(line.split(",", -1)).map(String::strip).toList();
    }

    private static void compareFacts(Machine machine, CardFacts card, Findings findings)
            throws IOException, InterruptedException {
        List<String> ours = List.of(
                card.model(),
                card.uuid(),
                String.valueOf(card.memoryTotalBytes() / Machine.MIB),
                card.compute().map(Object::toString).orElse("[N/A]"),
                card.pciBusId(),
                enabled(card.ecc()),
                enabled(card.mig()));
        List<String> theirs = values(query(machine, "gpu", FIELDS).getFirst());
        for (int i = 0; i < FIELDS.size(); i++) {
            findings.same(FIELDS.get(i), theirs.get(i), ours.get(i));
        }
        String report = Machine.output("nvidia-smi", "-q", "-i", machine.uuid());
        findings.same(
                "driver version",
                found(report, "Driver Version"),
                machine.driver().driverVersion());
        findings.same(
                "CUDA version",
                found(report, "CUDA Version"),
                machine.driver().cudaMajor() + "." + machine.driver().cudaMinor());
        findings.same(
                "minor number",
                found(report, "Minor Number"),
                card.minor().isPresent() ? String.valueOf(card.minor().getAsInt()) : "N/A");
    }

    private static String enabled(Optional<Boolean> mode) {
        return mode.map(on -> on ? "Enabled" : "Disabled").orElse("[N/A]");
    }

    private static String found(String report, String name) {
        Matcher matcher = Pattern.compile("(?m)^ *" + name + " *: (.*)$").matcher(report);
        return matcher.find() ? matcher.group(1).strip() : "missing";
    }

    private static void links(Machine machine, Findings findings) throws NvmlException {
        List<String> others = new ArrayList<>();
        for (CardReading reading : machine.nvml().cards()) {
            if (reading instanceof CardReading.Present present
                    && !present.facts().uuid().equals(machine.uuid())) {
                String other = present.facts().uuid();
                others.add(other);
                findings.figure("link to " + other, machine.nvml().link(machine.uuid(), other));
            }
        }
        if (others.isEmpty()) {
            findings.note("one card: there are no links");
        }
    }

    private static void compareLoad(Machine machine, CardUtilization load, Findings findings)
            throws IOException, InterruptedException {
        List<String> row = values(query(machine, "gpu", List.of("memory.used", "temperature.gpu", "power.draw"))
                .getFirst());
        near(findings, "memory used, MiB", load.memoryUsedBytes() / (double) Machine.MIB, row.get(0), 16);
        near(findings, "temperature, °C", first(load.temperatureCelsius()), row.get(1), 5);
        near(findings, "power, W", first(load.powerMilliwatts()) / 1000, row.get(2), 100);
        processes(machine, findings);
    }

    /** Compares the processes on the card, of which there are some now. */
    static void processes(Machine machine, Findings findings) throws IOException, InterruptedException {
        if (Machine.find("nvidia-smi").isEmpty()) {
            return;
        }
        Set<String> theirs = new HashSet<>();
        for (String line : query(machine, "compute-apps", List.of("pid", "used_memory"))) {
            theirs.add(line.replace(" ", ""));
        }
        Set<String> ours = new HashSet<>();
        for (CardProcess process : machine.utilization().processes()) {
            ours.add(process.pid() + "," + process.memoryUsedBytes().orElse(0) / Machine.MIB);
        }
        findings.same("processes with their MiB", theirs, ours);
    }

    private static double first(OptionalInt value) {
        return value.orElse(-1);
    }

    private static void near(Findings findings, String what, double ours, String theirs, double tolerance) {
        double other;
        try {
            other = Double.parseDouble(theirs);
        } catch (NumberFormatException e) {
            findings.check(what, ours < 0, ours + ", nvidia-smi " + theirs);
            return;
        }
        findings.check(what, Math.abs(ours - other) <= tolerance, ours + ", nvidia-smi " + theirs);
    }
}
