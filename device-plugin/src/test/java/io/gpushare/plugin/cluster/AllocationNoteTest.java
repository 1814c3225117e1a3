package io.gpushare.plugin.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.gpushare.kubernetes.KubernetesException;
import io.gpushare.kubernetes.PodEvent;
import io.gpushare.model.CardId;
import io.gpushare.plugin.allocation.Difference;
import io.gpushare.plugin.allocation.Pods;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AllocationNoteTest {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final AllocationNote.Pace QUICK = new AllocationNote.Pace(
            Duration.ofMillis(1), Duration.ofMillis(5), Duration.ofMillis(20), Duration.ofMillis(50));

    private final CopyOnWriteArrayList<Difference> world = new CopyOnWriteArrayList<>();
    private final List<String> written = new CopyOnWriteArrayList<>();
    private final List<PodEvent> events = new CopyOnWriteArrayList<>();
    private final AtomicInteger refusals = new AtomicInteger();
    private final AllocationNote note = AllocationNote.start(
            () -> List.copyOf(world), this::write, (_, event) -> events.add(event), QUICK, InstantSource.system());

    private void write(Difference difference) throws KubernetesException {
        if (refusals.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            throw new KubernetesException(503, "annotating: 503 away", null);
        }
        written.add(difference.pod().name());
        world.remove(difference);
    }

    @AfterEach
    void end() {
        note.close();
    }

    @Test
    void aDifferenceIsWrittenAndToldOnce() {
        world.add(difference("p", Difference.Kind.UNWRITTEN));
        note.look();
        await().atMost(PATIENCE).until(() -> events.size() == 1);
        assertThat(written).containsExactly("p");
        assertThat(events.getFirst().reason()).isEqualTo("GpuAllocationWritten");
    }

    @Test
    void whatTheApiServerRefusedIsTriedAgainUntilItIsWritten() {
        refusals.set(5);
        world.add(difference("p", Difference.Kind.WRONG));
        note.look();
        await().atMost(PATIENCE).until(() -> !events.isEmpty());
        assertThat(written).containsExactly("p");
        assertThat(note.counts()).contains("WRONG=1", "written 1", "failed attempts 5");
    }

    @Test
    void onePodThatCanNotBeWrittenDoesNotHoldUpTheOthers() {
        refusals.set(1);
        world.add(difference("p", Difference.Kind.UNWRITTEN));
        world.add(difference("q", Difference.Kind.UNWRITTEN));
        note.look();
        await().atMost(PATIENCE).until(() -> written.size() == 2);
        assertThat(written).containsExactly("q", "p");
    }

    @Test
    void aDoubtIsToldAndNothingIsWritten() {
        world.add(difference("p", Difference.Kind.DOUBTFUL));
        note.look();
        await().atMost(PATIENCE).until(() -> !events.isEmpty());
        assertThat(written).isEmpty();
        assertThat(events.getFirst().reason()).isEqualTo("GpuAllocationDoubtful");
    }

    private static Difference difference(String pod, Difference.Kind kind) {
        return new Difference(Pods.ref(pod), Pods.allocation(Pods.gets("main", new CardId("GPU-a"), 2)), kind);
    }
}
