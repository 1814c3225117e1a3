package io.gpushare.insight.text;

import io.gpushare.extender.ledger.ClusterState;
import io.gpushare.extender.search.Departure;
import io.gpushare.extender.search.Move;
import io.gpushare.extender.search.Plan;
import io.gpushare.insight.defrag.DefragAdvisor.Advised;
import io.gpushare.insight.defrag.MoveProgress;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.ledger.CardState;
import java.util.stream.Collectors;

/**
 * The next move for a program, in one line of words: {@code move}, the pod's namespace, name and uid, its controller's
 * kind and uid, how many of the controller's pods are placed, the node, the cards to hold, the expected node, and
 * whether the cards are {@code held} already or {@code open}. Or {@code ready}, a node and the uid of the waiting pod
 * if no move is needed, or {@code none} and the reason.
 */
public final class DefragStep {
    private DefragStep() {}

    public static String of(Advised advised, ClusterState state) {
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
                String controller = move.controller().uid();
                yield String.join(
                                " ",
                                "move",
                                move.pod().namespace(),
                                move.pod().name(),
                                move.pod().uid(),
                                move.controller().kind(),
                                controller,
                                String.valueOf(MoveProgress.placed(state, controller)),
                                freed.node(),
                                freed.cards().stream().map(CardId::uuid).collect(Collectors.joining(",")),
                                move.to(),
                                held(freed, state) ? "held" : "open")
                        + "\n";
            }
        };
    }

    private static boolean held(Departure freed, ClusterState state) {
        return state.node(freed.node())
                .filter(view -> view.cards().cards().stream()
                        .map(CardState::card)
                        .filter(card -> freed.cards().contains(card.id()))
                        .allMatch(Card::held))
                .isPresent();
    }
}
