package io.gpushare.e2e.card;

import io.gpushare.e2e.card.node.Machine;
import io.gpushare.e2e.card.node.Node;
import io.gpushare.e2e.card.node.Tenant;
import io.gpushare.e2e.sandbox.workload.PodSpec;
import io.gpushare.nvml.ComputeMode;
import io.gpushare.nvml.library.NvmlException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** MPS by our supervisor, while all goes well: limits, what a tenant can do about them, users, many clients. */
record LimitsPart(Machine machine, Node node, Findings findings) {
    static final String LIMIT = "CUDA_MPS_PINNED_DEVICE_MEM_LIMIT";
    private static final Pattern FILLED = Pattern.compile("filled (\\d+) error \\d+ free (\\d+) total \\d+");
    /** Seen on an H100 with driver 580.159. */
    private static final int ABOVE_MIB = 2;

    /**
     * The driver is read every 6 s; the rest is the grace time of 2 s, and what 2 s between checks and slow machines
     * add.
     */
    private static final Duration TERMINATED = Duration.ofSeconds(12);

    private static final int MANY = 40;
    private static final int MANY_UNITS = 28;

    static void run(Machine machine, Findings findings) throws Exception {
        try (Node node = Node.withMps(machine)) {
            new LimitsPart(machine, node, findings).run();
        }
    }

    private void run() throws Exception {
        long start = System.nanoTime();
        Node.Container two = node.memory("two", 2);
        findings.figure("the first pod of the card waits for MPS", Findings.seconds(start));
        mode("with memory pods", ComputeMode.EXCLUSIVE_PROCESS);
        start = System.nanoTime();
        Node.Container five = node.memory("five", 5);
        Node.Container eight = node.memory("eight", 8);
        findings.figure("two further pods wait together", Findings.seconds(start));
        findings.note("the environment of the pod of 2 GiB: " + two.environment());
        Tenant neighbour = node.tenant(five, "1000");
        findings.same("a neighbour allocates", "ok 1000", neighbour.line(0));
        findings.step("limits", () -> {
            exact(two, Map.of(), 2);
            exact(eight, Map.of(), 8);
            new FactsPart(machine, findings).processes();
        });
        findings.step("a changed environment", () -> loosened(two));
        findings.step("two processes", () -> together(two));
        findings.step("no limit", () -> unlimited(two));
        findings.step("users", () -> users(eight));
        findings.check("the neighbour still computes", neighbour.alive(), neighbour.lines());
        neighbour.close();
        findings.step("limits", () -> exact(five, Map.of(), 5));
        for (Node.Container each : List.of(two, five, eight)) {
            node.delete(each);
        }
        findings.step("many clients", this::many);
        findings.step("the next pods", this::follow);
    }

    void mode(String when, ComputeMode expected) throws NvmlException {
        ComputeMode mode = machine.nvml().computeMode(machine.uuid());
        if (machine.keepSettings()) {
            findings.same("the card's compute mode " + when + ", which is kept", machine.mode(), mode);
        } else {
            findings.same("the card's compute mode " + when, expected, mode);
        }
    }

    /** Fills a container's share: by the account of MPS all of it, by NVML at most 2 MiB more. */
    void exact(Node.Container container, Map<String, String> changes, int gib) throws IOException {
        try (Tenant tenant = node.tenant(container, changes, "fill")) {
            String filled = tenant.line(0);
            Matcher matcher = FILLED.matcher(filled);
            if (!matcher.matches()) {
                throw new IOException("a tenant that fills its share printed " + filled);
            }
            long limit = gib * 1024L;
            long mib = machine.memoryMib(tenant.pid());
            findings.check(
                    "a program of pod " + container.pod() + " with " + changes + " gets " + limit + " MiB and no more",
                    filled.contains("error 2 ")
                            && matcher.group(1).equals(matcher.group(2))
                            && mib > limit - 4
                            && mib <= limit + ABOVE_MIB,
                    mib + " MiB by NVML; " + filled);
            long got = Long.parseLong(matcher.group(1));
            findings.figure("its context costs", (limit - got) + " MiB of the limit, " + (mib - got) + " MiB by NVML");
        }
    }

    /** What a tenant gets that changes its environment: the largest share of the card. */
    private void loosened(Node.Container two) throws IOException {
        exact(two, Map.of(LIMIT, ""), 8);
        try (Tenant tenant = node.tenant(two, machine.withoutMps(), "1")) {
            String line = tenant.line(0);
            if (machine.keepSettings()) {
                findings.figure("with another pipe directory, in compute mode " + machine.mode(), line);
            } else {
                findings.same("with another pipe directory", "error 46", line);
            }
        }
    }

    /** A limit for a card that is not there drops all limits; the plugin ends the program. */
    private void unlimited(Node.Container two) throws IOException {
        long start = System.nanoTime();
        try (Tenant tenant = node.tenant(two, Map.of(LIMIT, "0=2G,1=4G"), "fill")) {
            findings.figure("with a limit for a card that is not there", tenant.line(0));
            findings.same("it is terminated", "lost 810", tenant.lastLine("lost"));
            findings.check(
                    "within " + TERMINATED.toSeconds() + " s: when the driver was read, and after the grace time",
                    System.nanoTime() - start < TERMINATED.toNanos(),
                    Findings.seconds(start));
        }
    }

    /** Each of two processes is below the limit, both together are above: the newer one is ended. */
    private void together(Node.Container two) throws IOException {
        try (Tenant first = node.tenant(two, "1200")) {
            findings.same("the first process of a pod of 2 GiB", "ok 1200", first.line(0));
            long start = System.nanoTime();
            try (Tenant second = node.tenant(two, "1200")) {
                findings.same("the second one", "ok 1200", second.line(0));
                findings.figure(
                        "NVML's sum", machine.memoryMib(first.pid()) + machine.memoryMib(second.pid()) + " MiB");
                String lost = second.lastLine("lost");
                findings.same("the second one is terminated", "lost 810", lost);
                findings.figure("after", Findings.seconds(start));
                findings.check("the first one computes", first.alive(), first.lines());
            }
            String event = node.event("GpuMpsProcessTerminated", "two", 10);
            findings.check("an Event says so", event.contains("more than its 2 GiB"), event);
        }
    }

    private void users(Node.Container eight) throws IOException {
        List<Tenant> tenants = new ArrayList<>();
        for (int user : new int[] {0, 1000, 2000}) {
            tenants.add(node.tenant(eight, "user:" + user, "64"));
        }
        for (Tenant tenant : tenants) {
            findings.same("programs of users 0, 1000 and 2000 compute at once", "ok 64", tenant.line(0));
        }
        findings.check("all of them live", tenants.stream().allMatch(Tenant::alive), "");
        tenants.forEach(Tenant::close);
    }

    private void many() throws IOException, InterruptedException {
        if (machine.totalMib() < (MANY_UNITS + 2) * 1024) {
            findings.note("the card is too small for " + MANY + " clients");
            return;
        }
        Node.Container container = node.memory("many", MANY_UNITS);
        long start = System.nanoTime();
        List<Tenant> tenants = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            tenants.add(node.tenant(container, "16"));
        }
        List<String> failed = tenants.stream()
                .map(tenant -> tenant.line(0))
                .filter(line -> !line.equals("ok 16"))
                .toList();
        findings.check(MANY + " clients compute", failed.isEmpty(), failed);
        findings.figure("they all have their memory after", Findings.seconds(start));
        findings.figure("the card's memory in use", machine.usedMib() + " MiB");
        node.programs().awaitMps("clients", String.valueOf(MANY));
        tenants.forEach(Tenant::close);
        node.delete(container);
        node.programs().awaitMps("clients", "0");
    }

    /** The card is given back when its last memory pod has ended, and taken again for the next one. */
    private void follow() throws Exception {
        long start = System.nanoTime();
        node.awaitHealthy(PodSpec.CARDS, 1);
        Node.Container whole = node.whole("whole");
        findings.figure("from the end of memory pods to a running pod of the whole card", Findings.seconds(start));
        findings.same("MPS is off then", "OFF", node.programs().mps("phase"));
        mode("with a whole card", ComputeMode.DEFAULT);
        try (Tenant tenant = node.tenant(whole, "64")) {
            findings.same("its program computes", "ok 64", tenant.line(0));
        }
        node.delete(whole);
        node.awaitHealthy(PodSpec.MEMORY, (int) (machine.totalMib() / 1024));
        Node.Container again = node.memory("again", 2);
        findings.same(
                "and ready again for the next memory pod",
                "READY",
                node.programs().mps("phase"));
        mode("with memory again", ComputeMode.EXCLUSIVE_PROCESS);
        try (Tenant tenant = node.tenant(again, "64")) {
            findings.same("its program computes too", "ok 64", tenant.line(0));
        }
    }
}
