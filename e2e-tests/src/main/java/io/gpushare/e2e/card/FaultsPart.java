package io.gpushare.e2e.card;

import io.gpushare.e2e.card.node.Machine;
import io.gpushare.e2e.card.node.Node;
import io.gpushare.e2e.card.node.Tenant;
import io.gpushare.e2e.cluster.Await;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** MPS by our supervisor, when something fails: what the tenants see, and how long until the card is ready again. */
record FaultsPart(Machine machine, Node node, Findings findings) {
    private static final long LOOK_SECONDS = 2;

    static void run(Machine machine, Findings findings) throws Exception {
        machine.kernels();
        try (Node node = Node.withMps(machine)) {
            new FaultsPart(machine, node, findings).run();
        }
    }

    private void run() throws IOException, InterruptedException {
        Node.Container one = node.memory("one", 3);
        Node.Container other = node.memory("other", 3);
        findings.step("a fatal fault", () -> fault(one, other));
        findings.step("a killed client", () -> busyClientKilled(one, other));
        findings.step("a killed daemon", () -> daemonLost(one, "killed"));
        if (Machine.find("kill").isPresent()) {
            findings.step("a stopped daemon", () -> daemonLost(one, "stopped"));
        }
    }

    private void fault(Node.Container one, Node.Container other) throws IOException {
        Tenant neighbour = node.tenant(other, "100");
        neighbour.line(0);
        long start = System.nanoTime();
        Tenant bad = node.tenant(one, "100", "fault");
        String seen = bad.lastLine("lost");
        findings.check("a fatal fault ends its program", seen.startsWith("lost"), seen);
        seen = neighbour.lastLine("lost");
        findings.check("and the neighbour's on the card", seen.startsWith("lost"), seen);
        findings.figure("the neighbour sees it after", Findings.seconds(start));
        // The server serves again when the programs that the fault hurt have ended.
        bad.close();
        neighbour.close();
        start = System.nanoTime();
        findings.figure("once they have ended, the next program computes after", untilServed(other, start));
        String xid = node.event("GpuXid", "other", 5);
        String failed = node.event("GpuMpsFailed", "other", 1);
        findings.check(
                "an Event on the neighbour's pod says so",
                !xid.equals("none") || !failed.equals("none"),
                "GpuXid: " + xid + "; GpuMpsFailed: " + failed);
    }

    /** Undefined by NVIDIA's documents: the neighbour may be harmed. */
    private void busyClientKilled(Node.Container one, Node.Container other) throws IOException, InterruptedException {
        Tenant neighbour = node.tenant(other, "100");
        neighbour.line(0);
        Tenant busy = node.tenant(one, "64", "matmul:2048:60000");
        busy.line(0);
        TimeUnit.SECONDS.sleep(1);
        long start = System.nanoTime();
        busy.close();
        findings.figure("after a busy client was killed, the next program computes after", untilServed(one, start));
        TimeUnit.SECONDS.sleep(1);
        findings.check("and its neighbour lives", neighbour.alive(), neighbour.lines());
        findings.note("the card's memory in use then: " + machine.usedMib() + " MiB");
        neighbour.close();
    }

    private void daemonLost(Node.Container container, String how) throws IOException, InterruptedException {
        Tenant tenant = node.tenant(container, "100");
        tenant.line(0);
        ProcessHandle daemon =
                node.programs().daemon().orElseThrow(() -> new IOException("there is no control daemon"));
        long start = System.nanoTime();
        if (how.equals("killed")) {
            daemon.destroyForcibly();
        } else {
            Machine.output("kill", "-STOP", String.valueOf(daemon.pid()));
        }
        Await.until(
                Node.PATIENCE,
                "the daemon that was " + how + " is replaced",
                node.programs()::daemon,
                now -> now.isPresent() && now.get().pid() != daemon.pid());
        findings.figure("a daemon that was " + how + " is replaced after", Findings.seconds(start));
        findings.figure("the next program computes after", untilServed(container, start));
        TimeUnit.SECONDS.sleep(LOOK_SECONDS);
        findings.figure(
                "the program that computed meanwhile", tenant.lines() + (tenant.alive() ? " and lives" : " and ended"));
        tenant.close();
    }

    /** Starts programs of the container until one gets memory while MPS is ready; how long it took. */
    private String untilServed(Node.Container container, long start) throws IOException {
        node.programs().awaitMps("phase", "READY");
        int tries = 0;
        String line = "";
        while (!line.equals("ok 32")) {
            if (++tries > 20) {
                throw new IOException("no program is served, the last one printed " + line);
            }
            try (Tenant tenant = node.tenant(container, "32")) {
                line = tenant.line(0);
            }
        }
        return Findings.seconds(start) + (tries > 1 ? ", try " + tries : "");
    }
}
