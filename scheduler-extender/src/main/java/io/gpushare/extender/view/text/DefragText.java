package io.gpushare.extender.view.text;

import io.gpushare.extender.defrag.DefragAdvisor.Advised;
import io.gpushare.extender.defrag.MoveProgress;
import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.search.Departure;
import io.gpushare.extender.search.Move;
import io.gpushare.extender.search.Plan;
import io.gpushare.extender.view.Phrases;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.ledger.CardState;
import java.util.List;
import java.util.stream.Collectors;

/** Which pods to move, as text. */
public final class DefragText {
    private final Ledger ledger;

    public DefragText(Ledger ledger) {
        this.ledger = ledger;
    }

    /** All plans, one after the other. */
    public String of(List<Advised> advised) {
        String text = advised.stream().map(this::of).collect(Collectors.joining("\n"));
        return advised.stream().allMatch(Advised::budgets)
                ? text
                : text + "\nPodDisruptionBudgets were not checked: the extender has no permission to read them, see"
                        + " deploy/preemption.\n";
    }

    private String of(Advised advised) {
        String subject = advised.waiting() == null ? "" : "Pod " + advised.waiting() + ": ";
        return switch (advised.plan()) {
            case Plan.NotNeeded(String node) -> subject + "it fits on node " + node + " without any move.\n";
            case Plan.NotPossible(String why) ->
                (subject.isEmpty() ? "No whole card can be freed: " : subject + "no moves help: ") + why + ".\n";
            case Plan.Leave leave -> {
                int pods = (int) leave.moves().count();
                String what = advised.waiting() == null
                        ? "frees " + Phrases.count(leave.departures().size(), "whole card")
                        : "makes it fit on node "
                                + leave.departures().getFirst().node();
                yield subject + (subject.isEmpty() ? "Moving " : "moving ") + Phrases.count(pods, "pod") + " " + what
                        + ":\n" + table(leave);
            }
        };
    }

    private TextTable table(Plan.Leave leave) {
        TextTable table = new TextTable().row("POD", "CONTROLLER", "NODE", "NEW NODE", "THEN FREE");
        for (Departure freed : leave.departures()) {
            for (int i = 0; i < freed.moves().size(); i++) {
                Move move = freed.moves().get(i);
                table.row(
                        move.pod().toString(),
                        move.controller().kind(),
                        move.from(),
                        move.to(),
                        i == freed.moves().size() - 1 ? freed.node() + " " + cards(freed) : "");
            }
        }
        return table;
    }

    private String cards(Departure freed) {
        return freed.cards().stream()
                .map(card -> "GPU" + index(freed.node(), card))
                .sorted()
                .collect(Collectors.joining(", "));
    }

    private String index(String node, CardId id) {
        return ledger.node(node)
                .flatMap(view -> view.cards().inventory().card(id))
                .map(card -> String.valueOf(card.index()))
                .orElse(" " + id.uuid());
    }

    private boolean held(Departure freed) {
        return ledger.node(freed.node())
                .filter(view -> view.cards().cards().stream()
                        .map(CardState::card)
                        .filter(card -> freed.cards().contains(card.id()))
                        .allMatch(Card::held))
                .isPresent();
    }

    /**
     * The next move for a program, in one line of words: {@code move}, the pod's namespace, name and uid, its controller's
     * kind and uid, how many of the controller's pods are placed, the node, the cards to hold, the expected node, and whether
     * the cards are {@code held} already or {@code open}. Or {@code ready}, a node and the uid of the waiting pod if no move is
     * needed, or {@code none} and the reason.
     */
    public String step(Advised advised) {
        return switch (advised.plan()) {
            case Plan.NotNeeded(String node) ->
                "ready " + node
                        + (advised.waiting() == null
                                ? ""
                                : " " + advised.waiting().uid()) + "\n";
            case Plan.NotPossible(String why) -> "none " + why + "\n";
            case Plan.Leave leave -> {
                Departure freed = leave.departures().getFirst();
                Move move = freed.moves().getFirst();
                yield String.join(
                                " ",
                                "move",
                                move.pod().namespace(),
                                move.pod().name(),
                                move.pod().uid(),
                                move.controller().kind(),
                                move.controller().uid(),
                                String.valueOf(MoveProgress.placed(
                                        ledger, move.controller().uid())),
                                freed.node(),
                                freed.cards().stream().map(CardId::uuid).collect(Collectors.joining(",")),
                                move.to(),
                                held(freed) ? "held" : "open")
                        + "\n";
            }
        };
    }
}
