package io.gpushare.insight.view;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.gpushare.extender.ledger.ClusterState;
import io.gpushare.extender.search.Departure;
import io.gpushare.extender.search.Move;
import io.gpushare.extender.search.Plan;
import io.gpushare.insight.defrag.DefragAdvisor.Advised;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.CardId;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Which pods to move. */
public record DefragPlans(int version, @JsonInclude boolean budgetsChecked, List<OnePlan> plans) {
    /** What a plan says. */
    public enum State {
        @JsonProperty("not-needed")
        NOT_NEEDED,
        @JsonProperty("not-possible")
        NOT_POSSIBLE,
        @JsonProperty("moves")
        MOVES
    }

    /**
     * The plan for one goal.
     *
     * @param waiting the pod that should fit; null for whole cards
     * @param node where it fits without any move
     * @param sentence why nothing helps
     * @param pods how many are moved
     * @param freed the cards that become free, in the order of the moves
     */
    public record OnePlan(
            @JsonProperty("for") @Nullable PodRef waiting,
            State state,
            @Nullable String node,
            @Nullable String sentence,
            @Nullable Integer pods,
            @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Freed> freed) {}

    /**
     * Cards of one node that become free.
     *
     * @param names of the cards in texts
     */
    public record Freed(
            String node,
            Set<CardId> cards,
            List<Moved> moves,
            @JsonIgnore String names) {}

    /** The eviction of one pod, and where its controller's new pod is expected. */
    public record Moved(@JsonUnwrapped PodRef pod, String controller, String from, String to, Set<CardId> cards) {
        static Moved of(Move move) {
            return new Moved(move.pod(), move.controller().kind(), move.from(), move.to(), move.cards());
        }
    }

    public static DefragPlans of(List<Advised> advised, ClusterState state) {
        return new DefragPlans(
                ViewJson.VERSION,
                advised.stream().allMatch(Advised::budgets),
                advised.stream().map(each -> of(each, state)).toList());
    }

    private static OnePlan of(Advised advised, ClusterState state) {
        return switch (advised.plan()) {
            case Plan.NotNeeded(String node) ->
                new OnePlan(advised.waiting(), State.NOT_NEEDED, node, null, null, List.of());
            case Plan.NotPossible(String why) ->
                new OnePlan(advised.waiting(), State.NOT_POSSIBLE, null, why, null, List.of());
            case Plan.Leave leave ->
                new OnePlan(
                        advised.waiting(),
                        State.MOVES,
                        null,
                        null,
                        (int) leave.moves().count(),
                        leave.departures().stream().map(each -> of(each, state)).toList());
        };
    }

    private static Freed of(Departure freed, ClusterState state) {
        return new Freed(
                freed.node(),
                freed.cards(),
                freed.moves().stream().map(Moved::of).toList(),
                freed.cards().stream()
                        .map(card -> "GPU" + index(freed.node(), card, state))
                        .sorted()
                        .collect(Collectors.joining(", ")));
    }

    private static String index(String node, CardId id, ClusterState state) {
        return state.node(node)
                .flatMap(view -> view.cards().inventory().card(id))
                .map(card -> String.valueOf(card.index()))
                .orElse(" " + id.uuid());
    }
}
