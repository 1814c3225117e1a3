package io.gpushare.plugin.allocate.state;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.kubernetes.PodEvent;
import io.gpushare.model.card.CardId;
import io.gpushare.plugin.allocate.snapshot.AnnotationDifference;
import io.gpushare.plugin.node.part.Backoff;
import io.gpushare.plugin.node.pod.TestPods;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AllocationReconcilerTest {
    private static final AllocationReconciler.Pace QUICK = new AllocationReconciler.Pace(
            Duration.ofMillis(1), new Backoff(Duration.ofMillis(5), Duration.ofMillis(20)), Duration.ofMillis(50));

    private final CopyOnWriteArrayList<AnnotationDifference> world = new CopyOnWriteArrayList<>();
    private final List<String> written = new CopyOnWriteArrayList<>();
    private final List<PodEvent> events = new CopyOnWriteArrayList<>();
    private final AtomicInteger refusals = new AtomicInteger();
    private final AllocationReconciler note = new AllocationReconciler(
                    () -> List.copyOf(world),
                    this::write,
                    (_, event) -> events.add(event),
                    QUICK,
                    InstantSource.system())
            .start();

    private void write(AnnotationDifference difference) throws KubernetesException {
        if (refusals.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            throw new KubernetesException(503, "annotating: 503 away", null);
        }
        written.add(difference.pod().ref().name());
        world.remove(difference);
    }

    @AfterEach
    void end() {
        note.close();
    }

    @Test
    void aDifferenceIsRepairedAndReportedOnce() {
        world.add(difference("p", AnnotationDifference.Kind.MISSING));
        note.reconcileSoon();
        await().until(() -> events.size() == 1);
        assertThat(written).containsExactly("p");
        assertThat(events.getFirst().reason()).isEqualTo("GpuAllocationWritten");
    }

    @Test
    void aFailedRepairIsRetriedUntilItSucceeds() {
        refusals.set(5);
        world.add(difference("p", AnnotationDifference.Kind.WRONG));
        note.reconcileSoon();
        await().until(() -> !events.isEmpty());
        assertThat(written).containsExactly("p");
        assertThat(note.found()).containsEntry(AnnotationDifference.Kind.WRONG, 1L);
        assertThat(note.repaired()).isOne();
        assertThat(note.failures()).isEqualTo(5);
    }

    @Test
    void aFailedRepairDoesNotDelayOtherPods() {
        refusals.set(1);
        world.add(difference("p", AnnotationDifference.Kind.MISSING));
        world.add(difference("q", AnnotationDifference.Kind.MISSING));
        note.reconcileSoon();
        await().until(() -> written.size() == 2);
        assertThat(written).containsExactly("q", "p");
    }

    @Test
    void anUnconfirmedAnnotationIsReportedAndNothingIsWritten() {
        world.add(difference("p", AnnotationDifference.Kind.UNCONFIRMED));
        note.reconcileSoon();
        await().until(() -> !events.isEmpty());
        assertThat(written).isEmpty();
        assertThat(events.getFirst().reason()).isEqualTo("GpuAllocationDoubtful");
    }

    private static AnnotationDifference difference(String pod, AnnotationDifference.Kind kind) {
        return new AnnotationDifference(
                TestPods.withoutDemand(pod),
                Optional.of(TestPods.allocation(TestPods.share("main", new CardId("GPU-a"), 2))),
                kind);
    }
}
