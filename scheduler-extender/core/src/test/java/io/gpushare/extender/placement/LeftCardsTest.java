package io.gpushare.extender.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.Share;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LeftCardsTest {
    private static final CardId A = new CardId("GPU-a");
    private static final CardId B = new CardId("GPU-b");
    private static final Share SLOT = Share.memory(3).plus(Share.slots(1));
    private static final List<Share> FORMS = List.of(Share.memory(3), Share.whole(1), SLOT);

    private long nanos = -1;
    private final LeftCards left = new LeftCards(() -> nanos);

    @Test
    void aCardSettlesForEveryOtherResourceThanThatOfThePodThatLeft() {
        for (Share before : FORMS) {
            left.add("n1", allocation(A, before));
            for (Share after : FORMS) {
                assertThat(left.settlesIn("n1", allocation(A, after)))
                        .isEqualTo(after.equals(before) ? Duration.ZERO : LeftCards.SETTLING);
            }
            assertThat(left.settlesIn("n1", allocation(B, before))).isZero();
            assertThat(left.settlesIn("n2", allocation(A, SLOT))).isZero();
            nanos += LeftCards.SETTLING.toNanos();
        }
    }

    @Test
    void theLastPodThatLeftCounts() {
        left.add("n1", allocation(A, Share.whole(1)));
        nanos += Duration.ofMillis(1500).toNanos();
        assertThat(left.settlesIn("n1", allocation(A, SLOT))).isEqualTo(Duration.ofMillis(500));
        left.add("n1", allocation(A, Share.memory(1)));
        assertThat(left.settlesIn("n1", allocation(A, SLOT))).isEqualTo(LeftCards.SETTLING);
        assertThat(left.settlesIn("n1", allocation(A, Share.memory(1)))).isEqualTo(Duration.ofMillis(500));
        nanos += LeftCards.SETTLING.toNanos();
        assertThat(left.settlesIn("n1", allocation(A, SLOT))).isZero();
    }

    @Test
    void aMigInstanceTakenWholeIsLeftLikeAWholeCard() {
        CardId instance = new CardId("MIG-a");
        left.add("n1", allocation(instance, Share.INSTANCE));
        assertThat(left.settlesIn("n1", allocation(instance, Share.memory(3)))).isEqualTo(LeftCards.SETTLING);
        assertThat(left.settlesIn("n1", allocation(instance, Share.INSTANCE))).isZero();
    }

    private static Allocation allocation(CardId card, Share share) {
        return new Allocation(
                MemoryUnit.GIB, List.of(new ContainerAllocation("main", ContainerRole.APP, Map.of(card, share))));
    }
}
