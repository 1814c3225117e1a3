package io.gpushare.e2e.card;

import io.gpushare.e2e.card.node.CardClaims;
import io.gpushare.e2e.card.node.Machine;
import io.gpushare.e2e.card.node.Node;
import io.gpushare.e2e.card.node.Tenant;
import io.gpushare.e2e.cluster.Await;
import io.gpushare.nvml.ComputeMode;
import java.util.List;
import java.util.Map;

/**
 * The card by ResourceClaims, with MPS: the kubelet lets the driver prepare them, and containers get what the files of
 * the Container Device Interface say.
 */
final class ClaimsPart {
    private ClaimsPart() {}

    static void run(Machine machine, Findings findings) throws Exception {
        try (Node node = Node.withClaims(machine)) {
            run(machine, node, findings);
        }
    }

    private static void run(Machine machine, Node node, Findings findings) throws Exception {
        CardClaims claims = node.claims();
        LimitsPart limits = new LimitsPart(machine, node, findings);
        long start = System.nanoTime();
        Node.Container two = claims.start("claim-two", "2Gi");
        findings.figure("the first claim of the card waits for MPS", Findings.seconds(start));
        Node.Container five = claims.start("claim-five", "5Gi");
        findings.note("the environment of the claim of 2 GiB: " + two.environment());
        for (Node.Container each : List.of(two, five)) {
            findings.same(each.pod() + " has the card", machine.uuid(), each.variable("NVIDIA_VISIBLE_DEVICES"));
        }
        findings.same("each claim has a file", 2, claims.written().size());
        limits.mode("with claims", ComputeMode.EXCLUSIVE_PROCESS);

        try (Tenant neighbour = node.tenant(five, "1000")) {
            findings.same("a program of the other claim allocates", "ok 1000", neighbour.line(0));
            findings.step("the limit of a claim", () -> limits.exact(two, Map.of(), 2));
            findings.check("the other claim's program still computes", neighbour.alive(), neighbour.lines());
        }
        findings.step("the limit of the other claim", () -> limits.exact(five, Map.of(), 5));

        String refusal = claims.refused("claim-whole", claims.whole());
        findings.check(
                "beside them a claim on the whole card is refused",
                refusal.contains("was given twice: it is held by claim default/claim-"),
                refusal);
        findings.same("and has no file", 2, claims.written().size());
        start = System.nanoTime();
        node.delete(two);
        node.delete(five);
        Node.Container whole = claims.started("claim-whole");
        findings.figure("when they end, it starts after", Findings.seconds(start));
        findings.same("its container has no limit of MPS", "", whole.variable(LimitsPart.LIMIT));
        findings.same("MPS is off then", "OFF", node.programs().mps("phase"));
        limits.mode("with the whole card", ComputeMode.DEFAULT);
        try (Tenant tenant = node.tenant(whole, "8192")) {
            findings.same("its program allocates more than the other claims had", "ok 8192", tenant.line(0));
        }
        node.delete(whole);
        findings.same(
                "no file is left of claims that have ended",
                List.of(),
                Await.until(Node.PATIENCE, "files of claims are removed", claims::written, List::isEmpty));
    }
}
