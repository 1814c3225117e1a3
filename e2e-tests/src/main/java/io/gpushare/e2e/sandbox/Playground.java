package io.gpushare.e2e.sandbox;

import io.gpushare.e2e.sandbox.ClusterSnapshot.Placed;
import io.gpushare.e2e.sandbox.workload.PodSpec;
import io.gpushare.e2e.sandbox.workload.Workload;
import io.gpushare.simulated.client.ApiClient;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Keeps pods coming and going beside those of the user, with use that moves, and checks every card all the while. It
 * touches only pods that it created.
 */
final class Playground {
    private static final Duration PERIOD = Duration.ofMillis(500);
    private static final Duration USE_PERIOD = Duration.ofSeconds(5);
    /** A pod comes back so long after it ended. */
    private static final Duration ABSENCE = Duration.ofSeconds(5);

    private final SandboxCluster sandbox;
    private final TerminalView screen;
    private final Checks checks = new Checks();
    private final Map<String, PodSpec> orders = new LinkedHashMap<>();
    private final Map<String, Instant> due = new LinkedHashMap<>();
    private final Map<String, String> own = new LinkedHashMap<>(); // the uid by name

    Playground(SandboxCluster sandbox, TerminalView screen) {
        this.sandbox = sandbox;
        this.screen = screen;
        Workload.round().forEach(order -> {
            // Long enough to be looked at; the one that never fits waits for `kubectl gpushare why`.
            PodSpec longer = new PodSpec(order.name(), 6 * order.seconds(), order.containers(), order.preferences());
            orders.put(order.name(), longer);
            due.put(order.name(), Instant.EPOCH);
        });
    }

    /** Runs until a check fails, or the sandbox is stopped. */
    Checks run() throws IOException, InterruptedException {
        SimulatedUse use = new SimulatedUse(sandbox::cards, sandbox.proc());
        Instant nextUse = Instant.EPOCH;
        try (PodProofs proofs = new PodProofs(sandbox, checks, orders);
                ExtenderView view = new ExtenderView(sandbox.extender())) {
            while (checks.failures().isEmpty() && !sandbox.stopping()) {
                sandbox.checkPrograms();
                ClusterSnapshot snapshot = ClusterSnapshot.take(sandbox.api());
                screen.show(snapshot, view.cards(SandboxNode.CLAIMS.name()));
                checks.checkCards(snapshot);
                for (Placed placed : snapshot.pods()) {
                    if (placed.pod().uid().equals(own.get(placed.pod().name()))) {
                        proofs.prove(placed, snapshot);
                    }
                }
                Instant now = Instant.now();
                renew(snapshot, now);
                ClusterSnapshot all = snapshot.and(ClaimedCards.take(sandbox.api()));
                if (!now.isBefore(nextUse) || use.outlives(all)) {
                    use.next(all);
                    nextUse = now.plus(USE_PERIOD);
                }
                Thread.sleep(PERIOD);
            }
        }
        return checks;
    }

    /** Deletes own pods that ended, and creates them again after a while. */
    private void renew(ClusterSnapshot snapshot, Instant now) throws IOException, InterruptedException {
        for (Placed placed : snapshot.pods()) {
            String name = placed.pod().name();
            if (placed.pod().ended() && placed.pod().uid().equals(own.get(name))) {
                sandbox.api().delete(placed.pod().path(), ApiClient.document());
                own.remove(name);
                due.put(name, now.plus(ABSENCE));
            }
        }
        for (PodSpec order : orders.values()) {
            boolean absent = snapshot.pod(order.name()).isEmpty();
            if (absent && own.containsKey(order.name())) {
                // The user deleted it.
                own.remove(order.name());
                due.put(order.name(), now.plus(ABSENCE));
            } else if (absent && !now.isBefore(due.getOrDefault(order.name(), now))) {
                ApiClient.Answer answer = sandbox.api().post(WorkloadRun.PODS, order.document());
                if (answer.succeeded()) {
                    own.put(
                            order.name(),
                            answer.document().path("metadata").path("uid").asText());
                    due.put(order.name(), now.plus(ABSENCE));
                }
            }
        }
    }
}
