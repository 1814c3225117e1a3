package io.gpushare.extender.search;

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
        assertThat(new ClusterSearch(cluster.placer, Question.wholeCards(_ -> true, PodKnowledge.NONE, 8)).plan())
                .isInstanceOf(Plan.NotPossible.class);
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
                        Plan.Leave.class,
                        moves -> assertThat(moves.departures()).singleElement().satisfies(freed -> {
                            assertThat(names(freed)).hasSize(1).isSubsetOf("a1", "a2", "b0");
                            assertThat(freed.moves().getFirst().cards()).doesNotContainAnyElementsOf(freed.cards());
                        }));
    }

    @Test
    void aPodThatFitsNeedsNoMove() {
        cluster.runs("a0", "a", 0, 10);
        assertThat(waiting(cluster.waits("big", "aliyun.com/gpu-count", 1))).isInstanceOf(Plan.NotNeeded.class);
    }

    @Test
    void whatFitsNowhereElseStays() {
        for (String node : List.of("a", "b")) {
            cluster.runs(node + 0, node, 0, 10).runs(node + 1, node, 1, 10);
        }
        assertThat(waiting(cluster.waits("big", "aliyun.com/gpu-count", 1)))
                .isEqualTo(new Plan.NotPossible(
                        "the pods that would have to be moved for it fit nowhere else, or may not be moved"));
        assertThat(waiting(cluster.waits("huge", "aliyun.com/gpu-mem", 40)))
                .isEqualTo(new Plan.NotPossible("no node could take it, even with other pods moved away"));
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

    private List<Departure> wholeCards(int most) {
        return new ClusterSearch(cluster.placer, Question.wholeCards(_ -> true, PodKnowledge.NONE, most)).plan()
                        instanceof Plan.Leave(List<Departure> freed)
                ? freed
                : List.of();
    }

    private Plan waiting(PodEntry pod) {
        return new ClusterSearch(cluster.placer, Question.moves(pod, _ -> true, PodKnowledge.NONE, 8)).plan();
    }

    private static List<String> names(Departure freed) {
        return freed.moves().stream().map(move -> move.pod().name()).toList();
    }
}
