package io.gpushare.e2e.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class InvariantsTest {
    private static final String NODE = "one";
    private static final Cards CARDS = Cards.of(List.of(NODE, "two"));
    private static final String FIRST = Cards.uuid(0, 0);
    private static final String SECOND = Cards.uuid(0, 1);
    private static final String ELSEWHERE = Cards.uuid(1, 0);

    private final List<Use> running = new ArrayList<>();
    private final List<PodView> pods = new ArrayList<>();
    private final Map<String, Map<String, Set<String>>> listed = new HashMap<>();

    @Test
    void podsThatFillCardsAreRight() {
        runs("a", Ask.memory(10), FIRST);
        runs("b", Ask.memory(5), FIRST);
        runs("c", Ask.cards(1), SECOND);
        assertThat(check().violations()).isEmpty();
        assertThat(check().compared()).containsExactlyInAnyOrder("uid-a/main", "uid-b/main", "uid-c/main");
    }

    @Test
    void moreUnitsThanACardHas() {
        runs("a", Ask.memory(10), FIRST);
        runs("b", Ask.memory(6), FIRST);
        assertThat(rules())
                .containsExactlyInAnyOrder("card over-used, by what containers see", "card over-used, by annotations");
    }

    @Test
    void aCardThatIsSharedAndWhole() {
        without("a", Ask.memory(1), FIRST);
        without("b", Ask.cards(1), FIRST);
        assertThat(Invariants.check(CARDS, new Snapshot(Duration.ZERO, Optional.empty(), running, listed))
                        .violations())
                .extracting(Invariants.Violation::rule)
                .containsExactly("card over-used, by what containers see");
    }

    @Test
    void aCardThatIsTakenWholeTwice() {
        bound("a", "Pending", Ask.cards(1), FIRST);
        bound("b", "Running", Ask.cards(1), FIRST);
        assertThat(rules()).containsExactly("card over-used, by annotations");
    }

    @Test
    void whatEndedUsesNothing() {
        bound("a", "Failed", Ask.memory(15), FIRST);
        bound("b", "Succeeded", Ask.cards(1), FIRST);
        runs("c", Ask.memory(15), FIRST);
        assertThat(check().violations()).isEmpty();
    }

    @Test
    void aContainerThatSeesAnotherCardThanItsAnnotation() {
        bound("a", "Running", Ask.memory(1), FIRST);
        running.add(use("a", Ask.memory(1), SECOND));
        assertThat(rules()).containsExactly("a container sees other cards than its annotation has");
    }

    @Test
    void aContainerWithoutAnnotation() {
        pods.add(new PodView("uid-a", "a", NODE, "Running", false, true, "", List.of()));
        running.add(use("a", Ask.memory(1), FIRST));
        assertThat(rules()).containsExactly("a container sees other cards than its annotation has");
    }

    @Test
    void aCardOfAnotherNode() {
        runs("a", Ask.memory(1), ELSEWHERE);
        assertThat(rules()).containsExactly("a container sees a card of another node");
    }

    @Test
    void devicesOfAnotherCard() {
        runs("a", Ask.memory(1), FIRST);
        listed.put(NODE, Map.of("a/main", Set.of(SECOND)));
        assertThat(rules()).containsExactly("the kubelet's devices are of other cards than its container sees");
    }

    @Test
    void aContainerThatTheKubeletGaveNoDevices() {
        runs("a", Ask.memory(1), FIRST);
        listed.put(NODE, Map.of("a/main", Set.of()));
        assertThat(rules()).containsExactly("the kubelet's devices are of other cards than its container sees");
    }

    @Test
    void aContainerThatTheKubeletDoesNotList() {
        runs("a", Ask.memory(1), FIRST);
        listed.put(NODE, Map.of());
        assertThat(check().violations())
                .singleElement()
                .matches(violation -> violation.rule().equals("a container that runs is not listed by its kubelet"))
                .matches(violation -> violation.patience().isPositive());
    }

    @Test
    void wrongNumbersOfCards() {
        without("a", Ask.memory(1), FIRST, SECOND);
        without("b", Ask.cards(2), Cards.uuid(0, 2));
        without("c", Ask.memory(1), "all");
        assertThat(Invariants.check(CARDS, new Snapshot(Duration.ZERO, Optional.empty(), running, listed))
                        .violations())
                .extracting(Invariants.Violation::rule)
                .containsExactlyInAnyOrder(
                        "wrong number of cards, or unknown ones",
                        "wrong number of cards, or unknown ones",
                        "wrong number of cards, or unknown ones",
                        "card over-used, by what containers see");
    }

    @Test
    void aContainerWhosePodIsGoneMayEndForAWhile() {
        without("gone", Ask.memory(10), FIRST);
        runs("successor", Ask.memory(10), FIRST);
        assertThat(check().violations())
                .singleElement()
                .matches(violation -> violation.rule().equals("a container runs whose pod is gone"))
                .matches(violation -> violation.patience().isPositive());
    }

    /** A container of which the API server knows nothing. */
    private void without(String pod, Ask ask, String... cards) {
        running.add(use(pod, ask, cards));
    }

    private void runs(String pod, Ask ask, String card) {
        bound(pod, "Running", ask, card);
        running.add(use(pod, ask, card));
    }

    private void bound(String pod, String phase, Ask ask, String card) {
        boolean ran = !phase.equals("Pending");
        pods.add(new PodView("uid-" + pod, pod, NODE, phase, false, ran, "", List.of(use(pod, ask, card))));
    }

    private static Use use(String pod, Ask ask, String... cards) {
        return new Use("uid-" + pod, pod, "main", ask, Set.of(cards));
    }

    private List<String> rules() {
        return check().violations().stream().map(Invariants.Violation::rule).toList();
    }

    private Invariants.Findings check() {
        return Invariants.check(CARDS, new Snapshot(Duration.ZERO, Optional.of(pods), running, listed));
    }
}
