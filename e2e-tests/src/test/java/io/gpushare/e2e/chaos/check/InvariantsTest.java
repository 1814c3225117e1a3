package io.gpushare.e2e.chaos.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.e2e.chaos.check.pod.ClaimView;
import io.gpushare.e2e.chaos.check.pod.ContainerRequest;
import io.gpushare.e2e.chaos.check.pod.HeldCards;
import io.gpushare.e2e.chaos.check.pod.PodView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class InvariantsTest {
    private static final String NODE = "one";
    private static final ClusterCards CARDS = ClusterCards.of(List.of(NODE, "two"), false);
    private static final String FIRST = ClusterCards.uuid(0, 0);
    private static final String SECOND = ClusterCards.uuid(0, 1);
    private static final String ELSEWHERE = ClusterCards.uuid(1, 0);

    private final List<HeldCards> running = new ArrayList<>();
    private final List<PodView> pods = new ArrayList<>();
    private final Map<String, Map<String, Set<String>>> listed = new HashMap<>();
    private final Set<String> edited = new HashSet<>();
    private final Set<String> kept = new HashSet<>();
    private final Set<String> keptClaims = new HashSet<>();
    private final List<ClaimView> claims = new ArrayList<>();
    private final List<HeldCards> prepared = new ArrayList<>();

    @Test
    void podsThatFillCardsAreRight() {
        runs("a", ContainerRequest.memory(10), FIRST);
        runs("b", ContainerRequest.memory(5), FIRST);
        runs("c", ContainerRequest.cards(1), SECOND);
        assertThat(check().violations()).isEmpty();
        assertThat(check().compared()).containsExactlyInAnyOrder("uid-a/main", "uid-b/main", "uid-c/main");
    }

    @Test
    void moreUnitsThanACardHas() {
        runs("a", ContainerRequest.memory(10), FIRST);
        runs("b", ContainerRequest.memory(6), FIRST);
        assertThat(rules())
                .containsExactlyInAnyOrder(
                        "card over-committed, by the containers' environment", "card over-committed, by annotations");
    }

    @Test
    void aCardThatIsSharedAndWhole() {
        without("a", ContainerRequest.memory(1), FIRST);
        without("b", ContainerRequest.cards(1), FIRST);
        assertThat(Invariants.check(CARDS, new Snapshot(Duration.ZERO, Optional.empty(), running, listed, Set.of()))
                        .violations())
                .extracting(Invariants.Violation::rule)
                .containsExactly("card over-committed, by the containers' environment");
    }

    @Test
    void aCardThatIsTakenWholeTwice() {
        bound("a", "Pending", ContainerRequest.cards(1), FIRST);
        bound("b", "Running", ContainerRequest.cards(1), FIRST);
        assertThat(rules()).containsExactly("card over-committed, by annotations");
    }

    @Test
    void whatEndedUsesNothing() {
        bound("a", "Failed", ContainerRequest.memory(15), FIRST);
        bound("b", "Succeeded", ContainerRequest.cards(1), FIRST);
        runs("c", ContainerRequest.memory(15), FIRST);
        assertThat(check().violations()).isEmpty();
    }

    @Test
    void aContainerThatSeesAnotherCardThanItsAnnotation() {
        bound("a", "Running", ContainerRequest.memory(1), FIRST);
        running.add(use("a", ContainerRequest.memory(1), SECOND));
        assertThat(rules()).containsExactly("a container sees other cards than its annotation has");
    }

    @Test
    void anEditedAnnotationMayBeWrongForAWhile() {
        bound("a", "Running", ContainerRequest.memory(10), FIRST);
        bound("b", "Running", ContainerRequest.memory(10), FIRST);
        running.add(use("a", ContainerRequest.memory(10), SECOND));
        running.add(use("b", ContainerRequest.memory(10), FIRST));
        edited.add("uid-a");
        assertThat(check().violations())
                .extracting(Invariants.Violation::rule)
                .containsExactlyInAnyOrder(
                        "card over-committed, by annotations", "a container sees other cards than its annotation has");
        assertThat(check().violations())
                .allMatch(violation -> violation.tolerance().isPositive());
    }

    @Test
    void anEditedAnnotationExcusesNoContainer() {
        runs("a", ContainerRequest.memory(10), FIRST);
        runs("b", ContainerRequest.memory(10), FIRST);
        edited.add("uid-a");
        assertThat(check().violations())
                .filteredOn(violation -> violation.tolerance().isZero())
                .extracting(Invariants.Violation::rule)
                .containsExactly("card over-committed, by the containers' environment");
    }

    @Test
    void aContainerWithoutAnnotation() {
        pods.add(new PodView("uid-a", "a", NODE, "Running", false, false, true, "", List.of(), List.of()));
        running.add(use("a", ContainerRequest.memory(1), FIRST));
        assertThat(rules()).containsExactly("a container sees other cards than its annotation has");
    }

    @Test
    void aCardOfAnotherNode() {
        runs("a", ContainerRequest.memory(1), ELSEWHERE);
        assertThat(rules()).containsExactly("a container sees a card of another node");
    }

    @Test
    void devicesOfAnotherCard() {
        runs("a", ContainerRequest.memory(1), FIRST);
        listed.put(NODE, Map.of("a/main", Set.of(SECOND)));
        assertThat(rules()).containsExactly("the kubelet's devices are of other cards than its container sees");
    }

    @Test
    void aContainerThatTheKubeletGaveNoDevices() {
        runs("a", ContainerRequest.memory(1), FIRST);
        listed.put(NODE, Map.of("a/main", Set.of()));
        assertThat(rules()).containsExactly("the kubelet's devices are of other cards than its container sees");
    }

    @Test
    void aContainerThatTheKubeletDoesNotList() {
        runs("a", ContainerRequest.memory(1), FIRST);
        listed.put(NODE, Map.of());
        assertThat(check().violations())
                .singleElement()
                .matches(violation -> violation.rule().equals("a container that runs is not listed by its kubelet"))
                .matches(violation -> violation.tolerance().isPositive());
    }

    @Test
    void wrongNumbersOfCards() {
        without("a", ContainerRequest.memory(1), FIRST, SECOND);
        without("b", ContainerRequest.cards(2), ClusterCards.uuid(0, 2));
        without("c", ContainerRequest.memory(1), "all");
        assertThat(Invariants.check(CARDS, new Snapshot(Duration.ZERO, Optional.empty(), running, listed, Set.of()))
                        .violations())
                .extracting(Invariants.Violation::rule)
                .containsExactlyInAnyOrder(
                        "wrong number of cards, or unknown ones",
                        "wrong number of cards, or unknown ones",
                        "wrong number of cards, or unknown ones",
                        "card over-committed, by the containers' environment");
    }

    @Test
    void aContainerWhosePodIsGoneMayEndForAWhile() {
        without("gone", ContainerRequest.memory(10), FIRST);
        runs("successor", ContainerRequest.memory(10), FIRST);
        assertThat(check().violations())
                .singleElement()
                .matches(violation -> violation.rule().equals("a container runs whose pod is gone"))
                .matches(violation -> violation.tolerance().isPositive());
    }

    @Test
    void podsOfBothWaysOnTheirCards() {
        claimed("a", ContainerRequest.memory(10), 10, FIRST);
        claimed("b", ContainerRequest.memory(5), 5, FIRST);
        runs("c", ContainerRequest.cards(1), SECOND);
        assertThat(check().violations()).isEmpty();
        assertThat(check().compared()).containsExactlyInAnyOrder("uid-a/main", "uid-b/main", "uid-c/main");
    }

    @Test
    void aCardThatIsGivenTwiceByClaims() {
        claimed("a", ContainerRequest.memory(10), 10, FIRST);
        claimed("b", ContainerRequest.cards(1), 15, FIRST);
        assertThat(rules())
                .containsExactlyInAnyOrder(
                        "card over-committed, by the containers' environment",
                        "card over-committed, by the files of claims and the other containers' environment",
                        "card over-committed, by the allocations of claims");
    }

    @Test
    void aCardThatIsGivenInBothWays() {
        claimed("a", ContainerRequest.memory(10), 10, FIRST);
        runs("b", ContainerRequest.memory(10), FIRST);
        assertThat(rules())
                .containsExactlyInAnyOrder(
                        "card over-committed, by the containers' environment",
                        "card over-committed, by the files of claims and the other containers' environment");
    }

    @Test
    void aCardThatAPreparedClaimHasBeforeItsContainerRuns() {
        prepared.add(new HeldCards("claim", "claim-a", "gpu", ContainerRequest.cards(1), Set.of(FIRST)));
        runs("b", ContainerRequest.memory(1), FIRST);
        assertThat(rules())
                .containsExactly("card over-committed, by the files of claims and the other containers' environment");
    }

    /** The node's label was moved before the claim was prepared: no container has the card by it. */
    @Test
    void aClaimThatIsOnlyAllocatedTakesNothingFromTheOtherWay() {
        claims.add(new ClaimView("claim-a", ContainerRequest.cards(1), Map.of(FIRST, 15)));
        runs("b", ContainerRequest.memory(15), FIRST);
        assertThat(check().violations()).isEmpty();
    }

    @Test
    void aContainerThatCantBeKilledHasItsCardWhenItsPodIsGone() {
        without("a", ContainerRequest.cards(1), FIRST);
        kept.add("uid-a");
        assertThat(check().violations()).isEmpty();
        runs("b", ContainerRequest.memory(1), FIRST);
        assertThat(rules()).containsExactly("card over-committed, by the containers' environment");
    }

    @Test
    void aKeptContainerIsCountedOnceWithItsClaim() {
        without("a", ContainerRequest.cards(1), FIRST);
        prepared.add(new HeldCards("claim-a", "claim-a", "gpu", ContainerRequest.cards(1), Set.of(FIRST)));
        kept.add("uid-a");
        keptClaims.add("uid-a");
        assertThat(check().violations()).isEmpty();
        prepared.add(new HeldCards("claim-b", "claim-b", "gpu", ContainerRequest.cards(1), Set.of(FIRST)));
        assertThat(rules())
                .containsExactly("card over-committed, by the files of claims and the other containers' environment");
    }

    @Test
    void aContainerThatSeesAnotherCardThanItsClaim() {
        claimed("a", ContainerRequest.memory(1), 1, FIRST);
        running.clear();
        running.add(use("a", ContainerRequest.memory(1), SECOND));
        assertThat(rules()).containsExactly("a container sees other cards than its claim has");
    }

    /** A pod that runs with a prepared claim. */
    private void claimed(String pod, ContainerRequest request, int consumed, String card) {
        HeldCards use = use(pod, request, card);
        pods.add(new PodView("uid-" + pod, pod, NODE, "Running", false, false, true, "", List.of(), List.of(use)));
        running.add(use);
        claims.add(new ClaimView("claim-" + pod, request, Map.of(card, consumed)));
        prepared.add(new HeldCards("claim-" + pod, "claim-" + pod, "gpu", request, Set.of(card)));
    }

    /** A running container without a pod in the API server. */
    private void without(String pod, ContainerRequest request, String... cards) {
        running.add(use(pod, request, cards));
    }

    private void runs(String pod, ContainerRequest request, String card) {
        bound(pod, "Running", request, card);
        running.add(use(pod, request, card));
    }

    private void bound(String pod, String phase, ContainerRequest request, String card) {
        boolean ran = !phase.equals("Pending");
        pods.add(new PodView(
                "uid-" + pod, pod, NODE, phase, false, false, ran, "", List.of(use(pod, request, card)), List.of()));
    }

    private static HeldCards use(String pod, ContainerRequest request, String... cards) {
        return new HeldCards("uid-" + pod, pod, "main", request, Set.of(cards));
    }

    private List<String> rules() {
        return check().violations().stream().map(Invariants.Violation::rule).toList();
    }

    private Invariants.Findings check() {
        return Invariants.check(
                CARDS,
                new Snapshot(
                        Duration.ZERO,
                        Optional.of(pods),
                        running,
                        listed,
                        edited,
                        new Snapshot.Kept(kept, keptClaims),
                        claims,
                        prepared));
    }
}
