package io.gpushare.e2e.card;

import io.gpushare.e2e.card.node.Machine;
import io.gpushare.e2e.card.node.Node;
import io.gpushare.e2e.card.node.SkippedException;
import io.gpushare.e2e.card.node.Tenant;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The frameworks that people run, as far as the machine's python3 has them: what they take of a share, whether JAX
 * starts, and what inference loses beside a neighbour that computes all the time.
 *
 * @param has the frameworks
 */
record FrameworksPart(Machine machine, List<String> has, Findings findings) {
    private static final int UNITS = 4;
    private static final long CONTEXT_MIB = 518;
    private static final long PIECE_MIB = 256;
    private static final Duration IMPORT = Duration.ofSeconds(60);
    private static final List<String> ALLOCATORS =
            List.of("torch", "torch-expandable", "torch-async", "cupy", "cupy-async", "cupy-managed");
    private static final Pattern FILLED = Pattern.compile("filled (\\d+) free (\\d+) total (\\d+) then (\\w+): .*");
    /** Without them: a program that sets an empty value does not have the variable. */
    private static final Map<String, String> NO_VARIABLES =
            Map.of("XLA_PYTHON_CLIENT_MEM_FRACTION", "", "CUPY_GPU_MEMORY_LIMIT", "");

    static void run(Machine machine, Findings findings) throws Exception {
        if (Machine.find("python3").isEmpty()) {
            throw new SkippedException("python3 is missing");
        }
        String has = Machine.output("python3", script(machine), "has").strip();
        if (has.isEmpty()) {
            throw new SkippedException("python3 has none of PyTorch, CuPy and JAX");
        }
        new FrameworksPart(machine, List.of(has.split(" ")), findings).run();
    }

    private static String script(Machine machine) {
        return machine.pack().resolve("native/frameworks.py").toString();
    }

    private void run() throws Exception {
        findings.note("python3 has " + has);
        for (String each : List.of("torch", "cupy", "jax")) {
            if (!has.contains(each)) {
                findings.note("python3 lacks " + each);
            }
        }
        try (Node node = Node.withMps(machine)) {
            findings.step("the limit of MPS", () -> limits(node, "MPS"));
            findings.step("MPS", () -> inference(node, "MPS"));
        }
        try (Node node = Node.withMps(machine, "--mps-default-cores=none")) {
            findings.step("MPS, nobody limited", () -> inference(node, "MPS, nobody limited"));
        }
        try (Node node = Node.start(machine)) {
            findings.step("without isolation", () -> jax(node, node.memory("jax", UNITS), "time-slicing"));
            findings.step("time-slicing", () -> inference(node, "time-slicing"));
        }
        if (machine.hamiCore() == null) {
            findings.note("HAMi-core's library is not named: --hami-core");
            return;
        }
        try (Node node = Node.withHamiCore(machine, machine.hamiCore().toAbsolutePath())) {
            findings.step("the limit of HAMi-core", () -> limits(node, "HAMi-core"));
            findings.step("HAMi-core", () -> inference(node, "HAMi-core"));
        }
    }

    /** What each allocator takes of a share: no more than its limit less a context, and it computes afterwards. */
    private void limits(Node node, String isolation) throws IOException, InterruptedException {
        Node.Container container = node.memory("limits", UNITS);
        findings.figure(
                "under " + isolation + " a container of " + UNITS + " GiB has GPUSHARE_MEMORY_FRACTION",
                container.variable("GPUSHARE_MEMORY_FRACTION"));
        for (String allocator : ALLOCATORS) {
            if (has(allocator)) {
                filled(node, container, NO_VARIABLES, allocator, isolation);
            }
        }
        if (has("cupy")) {
            filled(node, container, Map.of(), "cupy", isolation + " with CUPY_GPU_MEMORY_LIMIT");
        }
        jax(node, container, isolation);
        node.delete(container);
    }

    private void filled(
            Node node, Node.Container container, Map<String, String> changes, String allocator, String isolation)
            throws IOException {
        try (Tenant tenant = start(node, container, changes, allocator)) {
            String line = tenant.line(0, IMPORT);
            Matcher filled = FILLED.matcher(line);
            long mib = filled.matches() ? Long.parseLong(filled.group(1)) : 0;
            findings.check(
                    allocator + " under " + isolation
                            + " stays within its share, takes most of it and computes afterwards",
                    mib <= UNITS * 1024L - CONTEXT_MIB + PIECE_MIB / 2
                            && mib >= UNITS * 1024L - 2 * CONTEXT_MIB - PIECE_MIB
                            && filled.group(4).equals("computes"),
                    line);
        }
    }

    /** JAX at its start, with its default and with the variable. */
    private void jax(Node node, Node.Container container, String isolation) throws IOException, InterruptedException {
        if (!has("jax")) {
            return;
        }
        try (Tenant tenant = start(node, container, NO_VARIABLES, "jax")) {
            findings.figure("JAX under " + isolation + " with its default", tenant.line(0, IMPORT));
        }
        try (Tenant tenant = start(node, container, Map.of(), "jax")) {
            String line = tenant.line(0, IMPORT);
            Matcher filled = FILLED.matcher(line);
            findings.check(
                    "JAX under " + isolation + " with the variable starts, and takes no more than its share",
                    filled.matches()
                            && Long.parseLong(filled.group(1)) <= UNITS * 1024L - CONTEXT_MIB
                            && filled.group(4).equals("computes"),
                    line);
        }
    }

    /** Inference alone and beside a neighbour in another container, and what is reported of both meanwhile. */
    private void inference(Node node, String mode) throws IOException, InterruptedException {
        if (!has("torch")) {
            return;
        }
        Node.Container one = node.memory("inference", UNITS);
        Node.Container other = node.memory("neighbour", UNITS);
        int milliseconds = machine.measureMillis() * 2;
        try (Tenant inference = start(node, one, Map.of(), "infer:" + milliseconds)) {
            go(inference);
            findings.figure("inference with " + mode + ", alone", inference.line(1, IMPORT));
        }
        // The plugin reads the driver every 6 s.
        try (Tenant inference = start(node, one, Map.of(), "infer:" + 3 * milliseconds);
                Tenant neighbour = start(node, other, Map.of(), "train:" + 3 * milliseconds)) {
            go(neighbour, inference);
            findings.figure("inference with " + mode + ", beside a neighbour", inference.line(1, IMPORT));
            findings.figure("the neighbour's TFLOP/s", neighbour.line(1, IMPORT));
            findings.figure("what is said of the neighbour, PID " + neighbour.pid(), use(node));
        }
        node.delete(one);
        node.delete(other);
    }

    private static void go(Tenant... programs) throws IOException {
        for (Tenant program : programs) {
            program.line(0, IMPORT);
        }
        for (Tenant program : programs) {
            program.go();
        }
    }

    /** What the driver and the plugin say of the neighbour's use. */
    private String use(Node node) {
        return "NVML: " + machine.processes() + "; metrics: "
                + node.programs().metrics("gpushare_container_utilisation_ratio");
    }

    private boolean has(String program) {
        return has.stream().anyMatch(program::startsWith);
    }

    private Tenant start(Node node, Node.Container container, Map<String, String> changes, String what)
            throws IOException {
        return node.program(container, changes, List.of("python3", script(machine), what));
    }
}
