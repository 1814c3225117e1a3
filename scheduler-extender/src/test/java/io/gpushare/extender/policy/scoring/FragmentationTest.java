package io.gpushare.extender.policy.scoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.gpushare.extender.capacity.Candidate;
import io.gpushare.extender.capacity.ClusterCapacity;
import io.gpushare.extender.capacity.FreeCard;
import io.gpushare.extender.capacity.FreeNode;
import io.gpushare.extender.capacity.PodRequest;
import io.gpushare.extender.capacity.CardKind;
import java.util.List;
import java.util.Set;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class FragmentationTest {
    private static final CardKind T4 = new CardKind("T4", 15);
    private static final CardKind A100 = new CardKind("A100", 80);
    private static final Offset<Double> EXACTLY = within(1e-9);

    private final DemandHistory seen = new DemandHistory();

    @Test
    void asLongAsNoPodCameAllIsOfUse() {
        assertThat(losses(node(8000, new FreeCard(0, T4, 1))))
                .containsExactly(new Fragmentation.Loss(new FreeCard(0, T4, 1), 0, false));
    }

    @Test
    void whatIsTooLittleForSomeIsFragmentedAndForAllWasted() {
        comes(3, shares(4));
        comes(1, shares(2));
        List<Fragmentation.Loss> losses = losses(node(
                8000, new FreeCard(0, T4, 0), new FreeCard(1, T4, 1), new FreeCard(2, T4, 3), new FreeCard(3, T4, 4)));
        assertThat(losses).extracting(loss -> loss.card().index()).containsExactly(1, 2, 3);
        assertThat(losses).extracting(Fragmentation.Loss::wasted).containsExactly(true, false, false);
        assertThat(losses.get(0).unusable()).isEqualTo(1, EXACTLY);
        assertThat(losses.get(1).unusable()).isEqualTo(0.75, EXACTLY);
        assertThat(losses.get(2).unusable()).isEqualTo(0, EXACTLY);
    }

    @Test
    void cardsForWhichTheNodeHasNoCpuAreWasted() {
        comes(1, new PodRequest(4000, 0, 4, 0, Set.of()));
        assertThat(losses(node(3999, new FreeCard(0, T4, 15))))
                .extracting(Fragmentation.Loss::wasted)
                .containsExactly(true);
        assertThat(losses(node(4000, new FreeCard(0, T4, 15))))
                .extracting(Fragmentation.Loss::wasted)
                .containsExactly(false);
    }

    @Test
    void fewerWholeCardsThanAPodTakesAreOfNoUseToIt() {
        comes(1, new PodRequest(0, 0, 0, 2, Set.of()));
        assertThat(losses(node(0, new FreeCard(0, T4, 15), new FreeCard(1, T4, 14))))
                .extracting(Fragmentation.Loss::wasted)
                .containsExactly(true, true);
        assertThat(losses(node(0, new FreeCard(0, T4, 15), new FreeCard(1, T4, 15))))
                .extracting(Fragmentation.Loss::wasted)
                .containsExactly(false, false);
    }

    @Test
    void cardsOfAModelThatNobodyNamesAreWasted() {
        comes(1, new PodRequest(0, 0, 4, 0, Set.of("A100")));
        assertThat(losses(node(0, new FreeCard(0, T4, 15), new FreeCard(1, A100, 15))))
                .extracting(Fragmentation.Loss::wasted)
                .containsExactly(true, false);
    }

    @Test
    void theSumOverTheNodeIsWhatFgdPlacesBy() {
        comes(5, shares(4));
        comes(3, shares(9));
        comes(2, new PodRequest(2000, 0, 0, 1, Set.of()));
        FreeNode before = node(8000, new FreeCard(0, T4, 15), new FreeCard(1, T4, 6));
        FreeNode after = node(8000, new FreeCard(0, T4, 15), new FreeCard(1, T4, 2));
        Fgd fgd = new Fgd(
                seen, ClusterCapacity.of(List.of(node(8000, new FreeCard(0, T4, 15), new FreeCard(1, T4, 15)))));
        Candidate way = before.ways(shares(4)).getFirst();
        double less = (fragments(before) - fragments(after)) / 15;
        assertThat(way.shared()).isEqualTo(new FreeCard(1, T4, 6));
        assertThat(fgd.cost(way)).isEqualTo(-Math.floor(100 / (1 + Math.exp(-less))));
        assertThat(fragments(before)).isEqualTo(0.5 * 6, EXACTLY);
    }

    private double fragments(FreeNode node) {
        return losses(node).stream()
                .mapToDouble(loss -> loss.unusable() * loss.card().free())
                .sum();
    }

    private void comes(int times, PodRequest pod) {
        for (int i = 0; i < times; i++) {
            seen.add(pod);
        }
    }

    private static PodRequest shares(int units) {
        return new PodRequest(0, 0, units, 0, Set.of());
    }

    private List<Fragmentation.Loss> losses(FreeNode node) {
        return Fragmentation.of(seen.kinds()).losses(node);
    }

    private static FreeNode node(long cpuMilli, FreeCard... cards) {
        return FreeNode.of("n", 0, cpuMilli, 1 << 20, List.of(cards));
    }
}
