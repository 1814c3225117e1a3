package io.gpushare.plugin.allocate.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.plugin.allocate.snapshot.KubeletCheckpoint.NamedCard;
import io.gpushare.plugin.node.pod.NodePod;
import io.gpushare.plugin.node.pod.TestPods;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RecordedPodsTest {
    private static final CardId A = new CardId("GPU-a");
    private static final CardId B = new CardId("GPU-b");
    private static final Inventory CARDS = new Inventory(
            MemoryUnit.GIB,
            null,
            List.of(Card.of("GPU-a", 0, Memory.ofGib(15)), Card.of("GPU-b", 1, Memory.ofGib(15))));

    private static final Set<CardId> NONE = Set.of();
    private static final Set<CardId> ALL = Set.of(A, B);
    private static final NodePod WAITING = TestPods.unannotated("p", 0, TestPods.memory("main", 3));
    private static final NodePod ADMITTED = TestPods.started(WAITING, Map.of());

    private static Set<CardId> kept(NodePod pod, @Nullable KubeletCheckpoint recorded) {
        Set<CardId> own = new RecordedPods(List.of(pod), recorded).on(CARDS).get(pod.ref());
        return own == null ? NONE : own.isEmpty() ? ALL : own;
    }

    private static KubeletCheckpoint.Entry entry(String container, NamedCard card) {
        return new KubeletCheckpoint.Entry("uid-p", container, "aliyun.com/gpu-mem", Set.of("x"), List.of(card));
    }

    @Test
    void aPodThatTheKubeletHasNotAdmittedMayHaveAnyCardUntilItIsRecorded() {
        assertThat(kept(WAITING, KubeletCheckpoint.EMPTY)).isEqualTo(ALL);
        assertThat(kept(WAITING, KubeletCheckpoint.of(List.of(entry("main", new NamedCard.ByUuid(A))))))
                .containsExactly(A);
        assertThat(kept(WAITING, KubeletCheckpoint.of(List.of(entry("init", new NamedCard.ByUuid(A))))))
                .isEqualTo(ALL);
        assertThat(kept(TestPods.ended(WAITING), KubeletCheckpoint.EMPTY)).isEqualTo(NONE);
    }

    /** A kubelet ignores names that its node never had: the pod runs without a device. */
    @Test
    void aPodThatTheKubeletAdmittedWithoutARecordHasNoDevice() {
        assertThat(kept(ADMITTED, KubeletCheckpoint.EMPTY)).isEqualTo(NONE);
        assertThat(kept(ADMITTED, KubeletCheckpoint.of(List.of(entry("main", new NamedCard.ByUuid(A))))))
                .containsExactly(A);
        assertThat(kept(ADMITTED, KubeletCheckpoint.of(List.of(), Map.of("uid-p", Set.of("main")), Set.of())))
                .as("gpushare's plugin refused it")
                .isEqualTo(NONE);
    }

    @Test
    void aRecordThatIsNotUnderstoodIsOfAllCards() {
        assertThat(kept(ADMITTED, null)).as("it can't be read").isEqualTo(ALL);
        assertThat(kept(ADMITTED, KubeletCheckpoint.of(List.of(), Map.of(), Set.of("uid-p"))))
                .as("it names no card")
                .isEqualTo(ALL);
        assertThat(kept(ADMITTED, KubeletCheckpoint.of(List.of(entry("main", new NamedCard.ByIndex(7))))))
                .as("it names a card that the node does not have")
                .isEqualTo(ALL);
    }
}
