package io.gpushare.e2e.card;

import io.gpushare.e2e.sandbox.workload.PodSpec;
import java.time.Duration;

/** A kernel that writes to a bad address: the Xid reaches the plugin, and the card's health and pods afterwards. */
final class XidPart {
    private XidPart() {}

    static void run(Machine machine, Findings findings) throws Exception {
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
            String event = node.event("GpuXid", "bad", Duration.ofSeconds(20)).orElse("none");
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
