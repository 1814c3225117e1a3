package io.gpushare.insight.text;

import io.gpushare.insight.report.Phrases;
import io.gpushare.insight.view.DefragPlans;
import io.gpushare.insight.view.DefragPlans.Freed;
import io.gpushare.insight.view.DefragPlans.Moved;
import io.gpushare.insight.view.DefragPlans.OnePlan;
import java.util.Iterator;
import java.util.Objects;
import java.util.stream.Collectors;

/** Which pods to move, as text, with the commands that do it. */
public final class DefragText {
    private DefragText() {}

    /** All plans, one after the other. */
    public static String of(DefragPlans plans) {
        String text = plans.plans().stream().map(DefragText::of).collect(Collectors.joining("\n"));
        if (plans.plans().stream()
                        .filter(plan -> plan.state() == DefragPlans.State.MOVES)
                        .count()
                > 1) {
            text += "\n# Each plan is for the cluster as it is now: ask again after one was carried out.\n";
        }
        return plans.budgetsChecked()
                ? text
                : text + "\nPodDisruptionBudgets were not checked: the extender has no permission to read them, see"
                        + " deploy/preemption.\n";
    }

    private static String of(OnePlan plan) {
        boolean cards = plan.waiting() == null;
        String subject = cards ? "" : "Pod " + plan.waiting() + ": ";
        return subject
                + switch (plan.state()) {
                    case NOT_NEEDED -> "it fits on node " + plan.node() + " without any move.\n";
                    case NOT_POSSIBLE ->
                        (cards ? "No whole card can be freed: " : "no moves help: ") + plan.sentence() + ".\n";
                    case MOVES ->
                        (cards ? "Moving " : "moving ")
                                + Phrases.count(Objects.requireNonNull(plan.pods()), "pod")
                                + (cards
                                        ? " frees " + Phrases.count(plan.freed().size(), "whole card")
                                        : " makes it fit on node "
                                                + plan.freed().getFirst().node())
                                + ":\n" + table(plan)
                                + "\nNothing was moved. These commands move the pods; run them one after the other"
                                + " (where a wait takes more than two minutes, repeat the last annotate meanwhile;"
                                + " before Kubernetes 1.22 the Eviction is of policy/v1beta1):\n"
                                + DefragCommands.of(plan);
                };
    }

    private static TextTable table(OnePlan plan) {
        TextTable table = new TextTable().row("POD", "CONTROLLER", "NODE", "NEW NODE", "THEN FREE");
        for (Freed freed : plan.freed()) {
            for (Iterator<Moved> moves = freed.moves().iterator(); moves.hasNext(); ) {
                Moved move = moves.next();
                table.row(
                        move.pod().toString(),
                        move.controller(),
                        move.from(),
                        move.to(),
                        moves.hasNext() ? "" : freed.node() + " " + freed.names());
            }
        }
        return table;
    }
}
