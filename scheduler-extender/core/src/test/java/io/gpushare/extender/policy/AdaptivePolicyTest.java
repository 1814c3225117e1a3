package io.gpushare.extender.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.pod.PodRequest;
import io.gpushare.extender.pod.PolicyKind;
import io.gpushare.extender.policy.scoring.ClusterCapacity;
import io.gpushare.model.card.CardKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AdaptivePolicyTest {
    private static final String KEEP = "adaptive, now wsp-keep";
    private static final CardKind CARD = new CardKind("A10", 24);
    private static final PodRequest EIGHT = new PodRequest(0, 0, 8, 0, Set.of());
    private static final PodRequest ELEVEN = new PodRequest(0, 0, 11, 0, Set.of());

    private final List<KnownNode> nodes = nodes(16);
    private final ClusterCapacity capacity = KnownNode.capacity(nodes);

    @Test
    void itBeginsWithThePolicyThatIsNeverFarFromTheBest() {
        Policies policy = new Policies(PolicyKind.ADAPTIVE, capacity);
        assertThat(policy.describe(null)).isEqualTo(KEEP);
        policy.review(() -> nodes);
        assertThat(policy.describe(null)).isEqualTo(KEEP);
    }

    @Test
    void aReviewIsDueAfterEachDoublingAtFirstAndThenAfterAQuarterMore() {
        Policies policy = new Policies(PolicyKind.ADAPTIVE, capacity);
        List<Integer> due = new ArrayList<>();
        for (int pods = 1; pods <= 40; pods++) {
            policy.arrived(EIGHT);
            if (policy.due().isPresent()) {
                due.add(pods);
            }
        }
        assertThat(due).containsExactly(1, 2, 4, 8, 10, 13, 17, 22, 28, 35);
    }

    @Test
    void theSamePodsOnTheSameNodesGiveTheSameDecision() {
        assertThat(afterMixedPods()).isEqualTo(afterMixedPods());
    }

    // Three of 8 units fill a card; a pod of 11 beside one of 8 leaves 5 that nobody can use.
    @Test
    void anotherPolicyDecidesOnceItServesTheLatestPodsBetterByMoreThanTheNoise() {
        assertThat(afterMixedPods()).isNotEqualTo(KEEP);
    }

    @Test
    void aClusterWithoutFreeCapacityChangesNothing() {
        Policies policy = new Policies(PolicyKind.ADAPTIVE, capacity);
        policy.arrived(EIGHT);
        policy.review(List::of);
        assertThat(policy.describe(null)).isEqualTo(KEEP);
    }

    @Test
    void policiesReviewOnlyWhatIsInUseAndSayWhatDecides() {
        Policies unused = new Policies(PolicyKind.WSP);
        unused.cluster(capacity);
        unused.arrived(EIGHT);
        unused.scoring(null);
        assertThat(unused.review(() -> {
                    throw new AssertionError("nobody asks for the adaptive policy");
                }))
                .isEmpty();
        assertThat(unused.describe(null)).isEqualTo("wsp");

        Policies used = new Policies(PolicyKind.ADAPTIVE);
        used.cluster(capacity);
        used.scoring(null);
        Optional<PolicyKind> changed = Optional.empty();
        for (int i = 0; i < 60; i++) {
            used.arrived(i % 2 == 0 ? EIGHT : ELEVEN);
            Optional<PolicyKind> now = used.review(() -> nodes);
            changed = now.isPresent() ? now : changed;
        }
        assertThat(changed).isPresent();
        assertThat(used.describe(null)).isEqualTo("adaptive, now " + changed.get());
        assertThat(used.describe(PolicyKind.FGD)).isEqualTo("fgd");
    }

    private String afterMixedPods() {
        Policies policy = new Policies(PolicyKind.ADAPTIVE, capacity);
        for (int i = 0; i < 60; i++) {
            policy.arrived(i % 2 == 0 ? EIGHT : ELEVEN);
            policy.review(() -> nodes);
        }
        return policy.describe(null);
    }

    private static List<KnownNode> nodes(int count) {
        List<KnownNode> nodes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            List<TestCards.Free> cards = new ArrayList<>();
            for (int card = 0; card < 8; card++) {
                cards.add(TestCards.unused(CARD));
            }
            nodes.add(TestCards.node("node-" + i, 64_000, 262_144, cards));
        }
        return nodes;
    }
}
