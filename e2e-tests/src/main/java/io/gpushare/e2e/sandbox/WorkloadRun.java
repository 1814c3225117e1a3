package io.gpushare.e2e.sandbox;

import io.gpushare.e2e.sandbox.ClusterSnapshot.Placed;
import io.gpushare.e2e.sandbox.workload.PodSpec;
import io.gpushare.e2e.sandbox.workload.Workload;
import io.gpushare.simulated.client.ApiClient;
import io.gpushare.simulated.client.PodDocument;
import io.gpushare.simulated.patience.Patience;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Runs the workload from its creation to its end, and checks the cluster continuously. */
final class WorkloadRun implements AutoCloseable {
    static final String PODS = "/api/v1/namespaces/default/pods";
    private static final Duration PERIOD = Duration.ofMillis(250);
    private static final String TOO_BIG_REASON =
            "0/5 nodes are available: 2 No card is large enough, even when empty: needs"
                    + " a scale-up, 3 Insufficient " + PodSpec.MEMORY + ".";

    private final SandboxCluster sandbox;
    private final TerminalView screen;
    private final Checks checks;
    private final CardReport usage = new CardReport();
    private final Map<String, PodSpec> orders = new LinkedHashMap<>();
    private final PodProofs proofs;

    WorkloadRun(SandboxCluster sandbox, TerminalView screen, Checks checks) {
        this.sandbox = sandbox;
        this.screen = screen;
        this.checks = checks;
        this.proofs = new PodProofs(sandbox, checks, orders);
    }

    /** Runs the pods to their end; a condition that does not hold by the deadline is a failed check. */
    CardReport run(List<PodSpec> pods, Instant deadline) throws IOException, InterruptedException {
        for (PodSpec order : pods) {
            orders.put(order.name(), order);
            require(sandbox.api().post(PODS, order.patient().document()));
        }
        boolean ended = checkUntil(deadline, this::settled);
        if (!ended) {
            checkUnfinished(ClusterSnapshot.take(sandbox.api()));
        }
        if (orders.containsKey(Workload.TOO_BIG)) {
            require(sandbox.api().delete(PODS + "/" + Workload.TOO_BIG, ApiClient.document()));
        }
        boolean free = checkUntil(deadline.plus(Patience.of(Duration.ofSeconds(15))), ClusterSnapshot::allFree);
        checks.check(free, "not all cards and memory became free after the last pod ended");
        checks.check(inspectedAllocation() == 0, "inspect reports allocated memory although every pod ended");
        return usage;
    }

    private interface Condition {
        boolean holds(ClusterSnapshot snapshot) throws IOException, InterruptedException;
    }

    private boolean checkUntil(Instant deadline, Condition condition) throws IOException, InterruptedException {
        while (Instant.now().isBefore(deadline)) {
            sandbox.checkPrograms();
            ClusterSnapshot snapshot = ClusterSnapshot.take(sandbox.api());
            screen.show(snapshot, List.of());
            usage.add(snapshot);
            checks.checkCards(snapshot);
            for (Placed placed : snapshot.pods()) {
                proofs.prove(placed, snapshot);
            }
            if (condition.holds(snapshot)) {
                return true;
            }
            Thread.sleep(PERIOD);
        }
        return false;
    }

    /** Whether every pod has ended except the one that never fits, and that one has the expected condition. */
    private boolean settled(ClusterSnapshot snapshot) {
        for (Placed placed : snapshot.pods()) {
            PodDocument pod = placed.pod();
            boolean tooBig = pod.name().equals(Workload.TOO_BIG);
            if (tooBig ? !pod.waitingReason().equals(TOO_BIG_REASON) : !pod.ended()) {
                return false;
            }
        }
        return snapshot.pods().stream().allMatch(this::checkSucceeded);
    }

    private boolean checkSucceeded(Placed placed) {
        if (placed.pod().name().equals(Workload.TOO_BIG)) {
            return true;
        }
        checks.check(
                placed.pod().phase().equals("Succeeded"),
                placed.pod().name() + " did not succeed: "
                        + placed.pod().document().path("status").path("message").asText());
        checks.check(checks.proven(placed), placed.pod().name() + " was never observed running with its cards");
        return true;
    }

    private void checkUnfinished(ClusterSnapshot snapshot) {
        for (Placed placed : snapshot.pods()) {
            PodDocument pod = placed.pod();
            if (pod.name().equals(Workload.TOO_BIG)) {
                checks.check(
                        pod.waitingReason().equals(TOO_BIG_REASON), pod.name() + " waits with: " + pod.waitingReason());
            } else {
                checks.check(
                        pod.ended(), pod.name() + " has not ended; phase " + pod.phase() + ", " + pod.waitingReason());
            }
        }
    }

    private long inspectedAllocation() throws IOException, InterruptedException {
        try (ApiClient extender = new ApiClient(sandbox.extender())) {
            long used = 0;
            for (var node :
                    extender.get("/gpushare-scheduler/inspect").document().path("nodes")) {
                used += node.path("usedGPU").asLong();
            }
            return used;
        }
    }

    static void require(ApiClient.Answer answer) throws IOException {
        if (!answer.succeeded()) {
            throw new IOException(answer.message());
        }
    }

    /** Deletes the round's pods. */
    void clear() throws IOException, InterruptedException {
        for (Placed placed : ClusterSnapshot.take(sandbox.api()).pods()) {
            require(sandbox.api().delete(placed.pod().path(), ApiClient.document("{\"gracePeriodSeconds\":0}")));
        }
    }

    @Override
    public void close() {
        proofs.close();
    }
}
