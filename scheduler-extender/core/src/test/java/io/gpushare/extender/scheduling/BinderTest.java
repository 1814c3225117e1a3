package io.gpushare.extender.scheduling;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.ledger.Holding.Standing;
import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.ledger.LedgerCounts;
import io.gpushare.extender.placement.PlacementOutcomes;
import io.gpushare.extender.placement.Placer;
import io.gpushare.extender.pod.PodBuilder;
import io.gpushare.extender.scheduling.BindResult.Bound;
import io.gpushare.extender.scheduling.BindResult.Failed;
import io.gpushare.extender.scheduling.BindResult.Why;
import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.HostResources;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.Share;
import io.gpushare.model.codec.InventoryCodec;
import io.gpushare.model.pod.PodState;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What stays reserved after a Binding that failed, step by step. */
class BinderTest {
    private static final PodRef POD = new PodRef("uid-p", "default", "p");

    private final Placer placer = TestCluster.placer();
    private final Ledger ledger = placer.ledger();
    private final Script api = new Script();
    private final PlacementOutcomes outcomes = new PlacementOutcomes(System::nanoTime);
    private final Binder binder = new Binder(placer, api, outcomes, () -> TestCluster.NOW);

    /** An API server that answers Bindings with these statuses: 0 for no answer, -1 for no connection. */
    private static final class Script implements PodApi {
        private final Queue<Integer> statuses = new ArrayDeque<>();
        private Runnable onBind = () -> {};
        private Optional<PodState> pod = Optional.of(
                PodBuilder.pod(POD).requesting("aliyun.com/gpu-mem", 3).build());

        @Override
        public Optional<PodState> pod(String namespace, String name) {
            return pod;
        }

        @Override
        public void bind(PodRef ref, String node, Map<String, String> annotations) throws Failure {
            onBind.run();
            int status = statuses.remove();
            switch (status) {
                case 201 -> {}
                case 0 -> throw TestCluster.failure(Failure.Reach.UNANSWERED, 0);
                case -1 -> throw TestCluster.failure(Failure.Reach.NEVER_SENT, 0);
                default -> throw TestCluster.failure(Failure.Reach.ANSWERED, status);
            }
        }
    }

    @BeforeEach
    void nodes() {
        for (String node : List.of("n1", "n2")) {
            ledger.updateNode(
                    node,
                    Map.of("gpushare.io/inventory", InventoryCodec.encode(TestCluster.cards(15, 15))),
                    HostResources.NONE);
        }
    }

    @Test
    void aDefiniteRefusalForgetsTheHolding() {
        for (int status : List.of(-1, 403, 422, 429, 409, 500, 503)) {
            assertThat(bind("n1", status)).as("%d", status).isEqualTo(Why.REFUSED);
            assertThat(used("n1")).isZero();
        }
    }

    @Test
    void anUnansweredBindingKeepsItsCardsUntilResolved() {
        for (int status : List.of(0, 504)) {
            assertThat(bind("n1", status)).isEqualTo(Why.UNKNOWN);
            assertThat(used("n1")).isEqualTo(3);
            binder.resolveUnknown(TestCluster.NOW, TestCluster.NOW);
            assertThat(used("n1")).as("too early to say").isEqualTo(3);
            binder.resolveUnknown(TestCluster.LATER, TestCluster.LATER);
            assertThat(used("n1")).isZero();
        }
    }

    @Test
    void aLaterRefusalKeepsAnEarlierUnknownBinding() {
        bind("n1", 0);
        assertThat(bind("n1", 500)).isEqualTo(Why.REFUSED);
        assertThat(bind("n1", 403)).isEqualTo(Why.REFUSED);
        assertThat(LedgerCounts.of(placer.ledger()).holding(Standing.DOUBTFUL)).isEqualTo(1);
        assertThat(used("n1")).isEqualTo(3);
        assertThat(bind("n2", 500)).isEqualTo(Why.REFUSED);
        assertThat(used("n2")).isZero();
        assertThat(used("n1")).isEqualTo(3);
    }

    @Test
    void aSuccessResolvesAllUnknownBindings() {
        bind("n1", 0);
        api.statuses.add(201);
        assertThat(binder.bind(POD, "n2", TestCluster.NOW)).isEqualTo(new Bound(false));
        assertThat(used("n1")).isZero();
        assertThat(used("n2")).isEqualTo(3);
    }

    @Test
    void aCardThatAWholeCardPodHasJustLeftIsBoundOnceItIsSettled() {
        Allocation whole = ofFirstCard(Share.whole(1));
        Allocation memory = ofFirstCard(Share.memory(3));
        outcomes.left().add("n1", whole);
        assertThat(outcomes.left().settlesIn("n1", memory)).isPositive();
        List<Duration> waits = new ArrayList<>();
        api.onBind = () -> waits.add(outcomes.left().settlesIn("n1", memory));
        api.statuses.add(201);
        assertThat(binder.bind(POD, "n1", TestCluster.NOW)).isEqualTo(new Bound(false));
        assertThat(waits).containsExactly(Duration.ZERO);
    }

    private Allocation ofFirstCard(Share share) {
        CardId card = ledger.nodeEntry("n1").cards().cards().getFirst().card().id();
        return new Allocation(
                MemoryUnit.GIB, List.of(new ContainerAllocation("main", ContainerRole.APP, Map.of(card, share))));
    }

    @Test
    void aDeletedPodResolvesAllUnknownBindings() {
        bind("n1", 0);
        api.pod = Optional.empty();
        assertThat(bind("n1", 404)).isEqualTo(Why.NO_POD);
        assertThat(used("n1")).isZero();
    }

    @Test
    void aPodCreatedAndDeletedInAGapOfTheWatchIsForgotten() {
        api.statuses.add(201);
        assertThat(binder.bind(POD, "n1", TestCluster.NOW)).isEqualTo(new Bound(false));
        api.pod = Optional.empty();
        binder.resolveUnknown(TestCluster.LATER, TestCluster.LATER);
        assertThat(used("n1")).isZero();
        assertThat(ledger.podEntry(POD.uid())).isEmpty();
    }

    private Why bind(String node, int status) {
        api.statuses.add(status);
        if (binder.bind(POD, node, TestCluster.NOW) instanceof Failed(Why why, String sentence)) {
            return why;
        }
        throw new AssertionError("bound");
    }

    private int used(String node) {
        return ledger.state().node(node).orElseThrow().cards().cards().stream()
                .mapToInt(card -> card.occupied().units())
                .sum();
    }
}
