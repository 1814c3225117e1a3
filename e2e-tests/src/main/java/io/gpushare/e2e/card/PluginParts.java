package io.gpushare.e2e.card;

import io.gpushare.e2e.card.node.Machine;
import io.gpushare.e2e.card.node.Node;
import io.gpushare.e2e.card.node.Tenant;
import io.gpushare.e2e.cluster.Await;
import io.gpushare.e2e.sandbox.workload.PodSpec;
import java.util.List;

/** The plugin with NVML and a kubelet, without isolation. */
final class PluginParts {
    private PluginParts() {}

    /** Both resources, their link, and what containers get. */
    static void kubelet(Machine machine, Findings findings) throws Exception {
        int units = (int) (machine.totalMib() / 1024);
        long start = System.nanoTime();
        try (Node node = Node.start(machine)) {
            findings.figure("from the start of the kubelet to the card's offer", Findings.seconds(start));
            findings.same(PodSpec.MEMORY + " in GiB", units, node.healthy(PodSpec.MEMORY));
            findings.same(PodSpec.CARDS, 1, node.awaitHealthy(PodSpec.CARDS, 1));
            findings.note("inventory: " + node.inventory());

            Node.Container memory = node.memory("memory", 2);
            findings.same("a pod of 2 GiB sees", machine.uuid(), memory.variable("NVIDIA_VISIBLE_DEVICES"));
            findings.same("its card can't be taken whole", 0, node.awaitHealthy(PodSpec.CARDS, 0));
            try (Tenant tenant = node.tenant(memory, "1024")) {
                findings.same("its program allocates", "ok 1024", tenant.line(0));
                findings.step("use", () -> usage(machine, node, tenant, findings));
            }
            node.delete(memory);
            findings.same("without it, it can", 1, node.awaitHealthy(PodSpec.CARDS, 1));

            Node.Container whole = node.whole("whole");
            findings.same("a pod of the whole card sees", machine.uuid(), whole.variable("NVIDIA_VISIBLE_DEVICES"));
            findings.same("the card then offers no memory", 0, node.awaitHealthy(PodSpec.MEMORY, 0));
            node.delete(whole);
            findings.same("without it, all", units, node.awaitHealthy(PodSpec.MEMORY, units));
        }
    }

    private static void usage(Machine machine, Node node, Tenant tenant, Findings findings) {
        long mib = machine.memoryMib(tenant.pid());
        String value = " " + (double) (mib << 20);
        String what = "the plugin's metric of the container's use is NVML's, " + mib + " MiB";
        // It is read every 6 s: the first reading may be of a program that has only its context.
        List<String> lines = Await.until(
                Node.PATIENCE,
                what,
                () -> node.programs().metrics("gpushare_container_memory_used_bytes"),
                found -> found.stream().anyMatch(line -> line.endsWith(value)));
        findings.check(what, true, lines);
    }

    /** A kernel that writes to a bad address: the Xid reaches the plugin, and the card's health and pods afterwards. */
    static void xid(Machine machine, Findings findings) throws Exception {
        machine.kernels();
        try (Node node = Node.start(machine, "--health-quiet-time=3s")) {
            int units = node.healthy(PodSpec.MEMORY);
            Node.Container container = node.memory("bad", 2);
            int left = node.healthy(PodSpec.MEMORY);
            long start = System.nanoTime();
            try (Tenant tenant = node.tenant(container, "64", "fault")) {
                String last = tenant.lastLine("lost");
                findings.check("the program loses its context", last.startsWith("lost"), last);
            }
            String event = node.event("GpuXid", "bad", 20);
            findings.check("an Event GpuXid is recorded on its pod", event.contains("Xid"), event);
            findings.figure("from the start of the program to the Event", Findings.seconds(start));
            findings.figure("metric", node.programs().metrics("gpushare_card_xid_errors_total"));
            findings.same(
                    "the card stays healthy: the program is at fault", left, node.awaitHealthy(PodSpec.MEMORY, left));
            Node.Container next = node.memory("next", 2);
            try (Tenant tenant = node.tenant(next, "64")) {
                findings.same("the next program computes", "ok 64", tenant.line(0));
            }
            node.delete(container);
            node.delete(next);
            findings.same("all memory is offered again", units, node.awaitHealthy(PodSpec.MEMORY, units));
        }
    }
}
