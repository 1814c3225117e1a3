package io.gpushare.extender.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.feasibility.Reason;
import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.pod.AnnotationObserver;
import io.gpushare.extender.pod.PolicyKind;
import io.gpushare.extender.pod.SchedulingPod;
import io.gpushare.extender.policy.KnownNode;
import io.gpushare.extender.policy.Policies;
import io.gpushare.extender.policy.TestCards;
import io.gpushare.extender.policy.scoring.ClusterCapacity;
import io.gpushare.extender.policy.scoring.Scoring;
import io.gpushare.extender.scheduling.DecideIn;
import io.gpushare.extender.scheduling.NodeSelection;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.HostResources;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.CardKind;
import io.gpushare.model.codec.AnnotationKeys;
import io.gpushare.model.request.ContainerResources;
import io.gpushare.model.request.DemandCodec;
import io.gpushare.model.request.ResourceNames;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

/** What the inventory of one node, or a model of its own on each node, may cost the pods of all. */
class HostileInventoryTest {
    private static final HostResources MUCH = new HostResources(64_000, 64_000);

    private final Queue<Runnable> beside = new ArrayDeque<>();
    private final Placer placer = new Placer(
            new Ledger(new DemandCodec(ResourceNames.DEFAULT), AnnotationObserver.none()),
            new Policies(PolicyKind.WSP),
            beside::add,
            Assertions::fail);

    @Test
    void aNodeWithMoreCardsThanAnyHasTakesNoPod() {
        node("n1", 257);
        assertThat(placer.ledger().nodeEntry("n1").unavailable()).isEqualTo(Reason.BAD_INVENTORY);
        node("n1", 256);
        assertThat(placer.ledger().nodeEntry("n1").unavailable()).isNull();
    }

    @Test
    void aRequestGoesOnWithTheScoringBeforeWhileAnotherIsMade() {
        Scoring before = placer.scoring(null);
        node("n1", 256);
        assertThat(placer.scoring(null)).as("the one that is not made yet").isSameAs(before);
        assertThat(placer.scoring(null)).isSameAs(before);
        assertThat(beside).as("made once").hasSize(1);
        beside.remove().run();
        assertThat(placer.scoring(null)).isNotSameAs(before);
    }

    @Test
    void theFirstRequestIsPlacedByTheCardsThatAreThere() {
        Scoring ofNothing = placer.scoring(null);
        node("n1", 256);
        placer.prepare();
        assertThat(beside).isEmpty();
        assertThat(placer.scoring(null)).isNotSameAs(ofNothing);
    }

    @Test
    void withoutAThreadRequestsGoOnAndTheNextOneTriesAgain() {
        List<Throwable> failures = new ArrayList<>();
        AtomicBoolean exhausted = new AtomicBoolean(true);
        Placer pressed = new Placer(
                new Ledger(new DemandCodec(ResourceNames.DEFAULT), AnnotationObserver.none()),
                new Policies(PolicyKind.WSP),
                scoring -> {
                    if (exhausted.get()) {
                        throw new OutOfMemoryError("unable to create native thread");
                    }
                    scoring.run();
                },
                failures::add);
        Scoring before = pressed.scoring(null);
        node(pressed, "n1", 1, 1024, 40_960);
        assertThat(pressed.scoring(null)).isSameAs(before);
        assertThat(pressed.scoring(null)).isSameAs(before);
        assertThat(failures).as("told once").hasSize(1);
        exhausted.set(false);
        assertThat(pressed.scoring(null)).isNotSameAs(before);
    }

    @Test
    void policiesWeighTheKindsOfWhichThereAreTheMost() {
        List<KnownNode> nodes = new ArrayList<>();
        for (int i = 0; i < 5_000; i++) {
            String model = i % 10 == 0 ? "common" : "own " + i;
            nodes.add(TestCards.node("n" + i, 64_000, 64_000, List.of(TestCards.unused(new CardKind(model, 40)))));
        }
        ClusterCapacity capacity = KnownNode.capacity(nodes);
        assertThat(capacity.cards()).hasSize(128).containsEntry(new CardKind("common", 40), 500);
    }

    /** Every amount is one that the annotation's format allows. */
    @Test
    void amountsBeyondAnyCardStopNoOtherPod() {
        node("n1", 1, 1024, 40_960);
        node("huge", 256, 1, Integer.MAX_VALUE);
        node("none", 256, 1, 0);
        placer.scoring(null);
        beside.forEach(Runnable::run);
        assertThat(placer.scoring(null)).isNotNull();
        NodeSelection selection = new NodeSelection(placer, new PlacementOutcomes(() -> 0), DecideIn.FILTER);
        for (String resource : List.of("aliyun.com/gpu-mem", "aliyun.com/gpu-count")) {
            SchedulingPod pod = new SchedulingPod(
                    new PodRef("uid", "default", "p"),
                    Map.of(),
                    List.of(new ContainerResources("main", ContainerRole.APP, Map.of(resource, "1"))));
            assertThat(selection.filter(pod, List.of("n1")).passed()).isEqualTo(1);
            assertThat(selection.filter(pod, List.of("n1", "huge", "none")).passed())
                    .isEqualTo(1);
            // The last one offers nothing.
            assertThat(selection.prioritize(pod, List.of("n1", "huge", "none")))
                    .containsExactly(
                            resource.equals("aliyun.com/gpu-mem") ? new int[] {0, 10, 0} : new int[] {10, 9, 0});
        }
    }

    private void node(String name, int cards) {
        node(name, cards, 1024, 40_960);
    }

    private void node(String name, int cards, int unit, int memory) {
        node(placer, name, cards, unit, memory);
    }

    private static void node(Placer placer, String name, int cards, int unit, int memory) {
        String list = IntStream.range(0, cards)
                .mapToObj(i -> "{\"uuid\":\"GPU-%1$s-%2$d\",\"index\":%2$d,\"model\":\"M%2$d\",\"memoryMiB\":%3$d}"
                        .formatted(name, i, memory))
                .collect(Collectors.joining(","));
        String inventory = "{\"version\":1,\"unitMiB\":" + unit + ",\"cards\":[" + list + "]}";
        placer.ledger().updateNode(name, Map.of(AnnotationKeys.INVENTORY, inventory), MUCH);
    }
}
