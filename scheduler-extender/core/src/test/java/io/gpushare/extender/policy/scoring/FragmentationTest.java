package io.gpushare.extender.policy.scoring;

import static io.gpushare.extender.policy.TestCards.card;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.gpushare.extender.ledger.NodeEntry;
import io.gpushare.extender.pod.PodRequest;
import io.gpushare.extender.policy.TestCards;
import io.gpushare.model.card.CardKind;
import java.util.List;
import java.util.Set;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class FragmentationTest {
    private static final CardKind T4 = new CardKind("T4", 15);
    private static final CardKind A100 = new CardKind("A100", 80);
    private static final Offset<Double> EXACTLY = within(1e-9);

    private final DemandHistory history = new DemandHistory();

    @Test
    void beforeTheFirstPodEverythingIsUsable() {
        NodeEntry node = node(8000, card(T4, 1));
        assertThat(losses(node))
                .containsExactly(new Fragmentation.Loss(node.cards().cards().getFirst(), 0, false));
    }

    @Test
    void memoryThatSomeCanNotUseIsFragmentedAndThatNoneCanUseIsWasted() {
        arrive(3, shares(4));
        arrive(1, shares(2));
        List<Fragmentation.Loss> losses = losses(node(8000, card(T4, 0), card(T4, 1), card(T4, 3), card(T4, 4)));
        assertThat(losses).extracting(loss -> TestCards.index(loss.card())).containsExactly(1, 2, 3);
        assertThat(losses).extracting(Fragmentation.Loss::wasted).containsExactly(true, false, false);
        assertThat(losses.get(0).unusable()).isEqualTo(1, EXACTLY);
        assertThat(losses.get(1).unusable()).isEqualTo(0.75, EXACTLY);
        assertThat(losses.get(2).unusable()).isEqualTo(0, EXACTLY);
    }

    @Test
    void cardsOfANodeWithTooLittleCpuAreWasted() {
        arrive(1, new PodRequest(4000, 0, 4, 0, Set.of()));
        assertThat(losses(node(3999, card(T4, 15))))
                .extracting(Fragmentation.Loss::wasted)
                .containsExactly(true);
        assertThat(losses(node(4000, card(T4, 15))))
                .extracting(Fragmentation.Loss::wasted)
                .containsExactly(false);
    }

    @Test
    void fewerWholeCardsThanAPodNeedsAreWasted() {
        arrive(1, new PodRequest(0, 0, 0, 2, Set.of()));
        assertThat(losses(node(0, card(T4, 15), card(T4, 14))))
                .extracting(Fragmentation.Loss::wasted)
                .containsExactly(true, true);
        assertThat(losses(node(0, card(T4, 15), card(T4, 15))))
                .extracting(Fragmentation.Loss::wasted)
                .containsExactly(false, false);
    }

    @Test
    void cardsOfAModelThatNoPodSelectsAreWasted() {
        arrive(1, new PodRequest(0, 0, 4, 0, Set.of("A100")));
        assertThat(losses(node(0, card(T4, 15), card(A100, 15))))
                .extracting(Fragmentation.Loss::wasted)
                .containsExactly(true, false);
    }

    @Test
    void theSumOverTheNodeIsTheCostOfFgd() {
        arrive(5, shares(4));
        arrive(3, shares(9));
        arrive(2, new PodRequest(2000, 0, 0, 1, Set.of()));
        NodeEntry before = node(8000, card(T4, 15), card(T4, 6));
        NodeEntry after = node(8000, card(T4, 15), card(T4, 2));
        Fgd fgd = new Fgd(history, ClusterCapacity.of(List.of(node(8000, card(T4, 15), card(T4, 15)))));
        CardChoice candidate = CardChoice.of(before, shares(4)).getFirst();
        double less = (fragments(before) - fragments(after)) / 15;
        assertThat(candidate.shared()).isEqualTo(before.cards().cards().get(1));
        assertThat(fgd.cost(candidate)).isEqualTo(-Math.floor(100 / (1 + Math.exp(-less))));
        assertThat(fragments(before)).isEqualTo(0.5 * 6, EXACTLY);
    }

    private double fragments(NodeEntry node) {
        return losses(node).stream()
                .mapToDouble(loss -> loss.unusable() * loss.card().free().units())
                .sum();
    }

    private void arrive(int times, PodRequest pod) {
        for (int i = 0; i < times; i++) {
            history.add(pod);
        }
    }

    private static PodRequest shares(int units) {
        return new PodRequest(0, 0, units, 0, Set.of());
    }

    private List<Fragmentation.Loss> losses(NodeEntry node) {
        return Fragmentation.of(history.kinds()).losses(node);
    }

    private static NodeEntry node(long cpuMilli, TestCards.Free... cards) {
        return TestCards.node("n", cpuMilli, 1 << 20, List.of(cards)).entry();
    }
}
