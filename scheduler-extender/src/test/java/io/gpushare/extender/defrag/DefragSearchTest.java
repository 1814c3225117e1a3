package io.gpushare.extender.defrag;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.ledger.PodEntry;
import io.gpushare.model.card.CardId;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class DefragSearchTest {
    private final RunningPods cluster = new RunningPods().node("a", 16, 16).node("b", 16, 16);

    @Test
    void theCardWithTheFewestPodsIsFreedIntoCardsInUse() {
        cluster.runs("one", "a", 0, 4)
                .runs("two", "a", 1, 3)
                .runs("three", "a", 1, 3)
                .runs("four", "b", 0, 10);
        assertThat(wholeCards(1)).singleElement().satisfies(freed -> {
            assertThat(freed.node()).isEqualTo("a");
            assertThat(freed.cards()).containsExactly(new CardId("GPU-a-0"));
            assertThat(names(freed)).containsExactly("one");
            assertThat(freed.moves().getFirst().cards()).doesNotContain(new CardId("GPU-b-1"));
        });
        assertThat(wholeCards(3).stream().flatMap(freed -> names(freed).stream()))
                .startsWith("one")
                .doesNotContain("four");
    }

    @Test
    void nothingIsMovedToAnUnusedCard() {
        cluster.runs("one", "a", 0, 12).runs("two", "b", 0, 12);
        assertThat(new WholeCardSearch(cluster.ledger, PodKnowledge.NONE, _ -> true).plan(8))
                .isInstanceOf(DefragPlan.NotPossible.class);
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"DaemonSet", "Node"})
    void podsThatNoControllerCreatesElsewhereStay(@Nullable String controller) {
        cluster.runs("one", "a", 0, 4, controller).runs("two", "a", 1, 8);
        assertThat(wholeCards(8))
                .singleElement()
                .satisfies(freed -> assertThat(names(freed)).containsExactly("two"));
    }

    @Test
    void aWaitingPodGetsTheCardWithTheFewestMoves() {
        cluster.runs("a0", "a", 0, 10).runs("a1", "a", 1, 4).runs("a2", "a", 1, 4);
        cluster.runs("b0", "b", 0, 5).runs("b1", "b", 1, 12);
        PodEntry waits = cluster.waits("big", "aliyun.com/gpu-mem", 12);
        assertThat(waiting(waits))
                .isInstanceOfSatisfying(
                        DefragPlan.Moves.class,
                        moves -> assertThat(moves.freed()).singleElement().satisfies(freed -> {
                            assertThat(names(freed)).hasSize(1).isSubsetOf("a1", "a2", "b0");
                            assertThat(freed.moves().getFirst().cards()).doesNotContainAnyElementsOf(freed.cards());
                        }));
    }

    @Test
    void aPodThatFitsNeedsNoMove() {
        cluster.runs("a0", "a", 0, 10);
        assertThat(waiting(cluster.waits("big", "aliyun.com/gpu-count", 1))).isInstanceOf(DefragPlan.NotNeeded.class);
    }

    @Test
    void whatFitsNowhereElseStays() {
        for (String node : List.of("a", "b")) {
            cluster.runs(node + 0, node, 0, 10).runs(node + 1, node, 1, 10);
        }
        assertThat(waiting(cluster.waits("big", "aliyun.com/gpu-count", 1)))
                .isEqualTo(new DefragPlan.NotPossible(
                        "the pods that would have to be moved for it fit nowhere else, or may not be moved"));
        assertThat(waiting(cluster.waits("huge", "aliyun.com/gpu-mem", 40)))
                .isEqualTo(new DefragPlan.NotPossible("no node could take it, even with other pods moved away"));
    }

    @Test
    void heldCardsAcceptNoPodsAndAreFreedFirst() {
        cluster.runs("one", "a", 0, 2).runs("two", "a", 1, 4).runs("three", "b", 0, 6);
        cluster.annotated("b", "run=x;renewed=1;cards=GPU-b-0");
        assertThat(wholeCards(1)).singleElement().satisfies(freed -> {
            assertThat(names(freed)).containsExactly("three");
            assertThat(freed.node()).isEqualTo("b");
        });
    }

    private List<FreedCards> wholeCards(int most) {
        return new WholeCardSearch(cluster.ledger, PodKnowledge.NONE, _ -> true).plan(most)
                        instanceof DefragPlan.Moves(List<FreedCards> freed)
                ? freed
                : List.of();
    }

    private DefragPlan waiting(PodEntry pod) {
        return new WaitingPodSearch(cluster.ledger, pod, PodKnowledge.NONE, _ -> true).plan(8);
    }

    private static List<String> names(FreedCards freed) {
        return freed.moves().stream().map(move -> move.pod().name()).toList();
    }
}
