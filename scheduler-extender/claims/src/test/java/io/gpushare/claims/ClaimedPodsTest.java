package io.gpushare.claims;

import static io.gpushare.claims.ShownCluster.TWO;
import static io.gpushare.claims.ShownCluster.allocated;
import static io.gpushare.claims.ShownCluster.annotated;
import static io.gpushare.claims.ShownCluster.card;
import static io.gpushare.claims.ShownCluster.claim;
import static io.gpushare.claims.ShownCluster.inventory;
import static io.gpushare.claims.ShownCluster.pod;
import static io.gpushare.claims.ShownCluster.ref;
import static io.gpushare.claims.ShownCluster.request;
import static io.gpushare.claims.ShownCluster.resources;
import static io.gpushare.claims.ShownCluster.result;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.feasibility.Reason;
import io.gpushare.extender.ledger.LedgerListener;
import io.gpushare.extender.ledger.NodeEntry;
import io.gpushare.extender.ledger.PodEntry;
import io.gpushare.extender.pod.PodDemand;
import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.Demand;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.Share;
import io.gpushare.model.claims.ClaimState;
import io.gpushare.model.claims.ResourceClaim;
import io.gpushare.model.claims.ResourceClaim.Result;
import io.gpushare.model.ledger.Placement;
import io.gpushare.model.pod.PodClaims;
import io.gpushare.model.pod.PodState;
import io.gpushare.time.PeriodicTask;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the ledger has of pods with claims, and of claims without pods. */
class ClaimedPodsTest {
    private static final ClaimState SHARE = claim("share", "3Gi");
    private static final ClaimState HELD = allocated(SHARE, List.of("p"), result("n1", "gpu-a", "3Gi"));

    private final ShownCluster cluster = new ShownCluster();

    @BeforeEach
    void nodes() {
        cluster.node("n1", TWO);
        cluster.node("n2", TWO);
    }

    @Test
    void aShareAndAWholeCardAreHeldUntilTheirPodsEnd() {
        cluster.pods.updatePod(pod("p", "n1", "share"));
        cluster.pods.changed(HELD);
        cluster.pods.changed(allocated(claim("card", (String) null), List.of("w"), result("n1", "gpu-b", "8Gi")));
        cluster.pods.updatePod(pod("w", "n1", "card"));
        assertThat(cluster.on("n1")).containsExactly("team/p [3, 0]", "team/w [0, whole]");

        cluster.pods.removePod(ref("w"));
        cluster.pods.gone(claim("card", (String) null));
        assertThat(cluster.on("n1")).containsExactly("team/p [3, 0]");
        cluster.pods.removePod(ref("p"));
        // Its claim goes later.
        assertThat(cluster.on("n1")).containsExactly("team/claim/share [3, 0]");
        cluster.pods.gone(SHARE);
        assertThat(cluster.held()).isEmpty();
        assertThat(cluster.ledger.state().pods()).isEmpty();
    }

    @Test
    void aSharedClaimCountsOnceAtTheFirstOfItsPodsThatRuns() {
        cluster.pods.changed(allocated(SHARE, List.of("p", "q"), result("n1", "gpu-a", "3Gi")));
        cluster.pods.updatePod(pod("q", "n1", "share"));
        assertThat(cluster.on("n1")).containsExactly("team/q [3, 0]");
        cluster.pods.updatePod(pod("p", "n1", "share"));
        assertThat(cluster.on("n1")).containsExactly("team/p [3, 0]");
        assertThat(cluster.pods.show(pod("q", "n1", "share")).claims().allocation())
                .as("why shows both with their card")
                .isNotNull();

        cluster.pods.removePod(ref("p"));
        assertThat(cluster.on("n1")).containsExactly("team/q [3, 0]");
    }

    @Test
    void aClaimThatIsAllocatedForNobodyHoldsItsCard() {
        cluster.pods.changed(allocated(SHARE, List.of(), result("n1", "gpu-a", "3Gi")));
        cluster.pods.updatePod(pod("p", null, "share"));
        assertThat(cluster.on("n1")).containsExactly("team/claim/share [3, 0]");
        assertThat(cluster.waiting()).as("it has its card").isEmpty();

        cluster.pods.changed(SHARE);
        assertThat(cluster.held()).isEmpty();
        assertThat(cluster.waiting()).containsOnlyKeys("team/p");
    }

    @Test
    void aPodHasTheCardsOfAllItsClaims() {
        cluster.pods.changed(HELD);
        cluster.pods.changed(allocated(claim("more", "2Gi"), List.of("p"), result("n1", "gpu-a", "2Gi")));
        cluster.pods.changed(allocated(claim("card", (String) null), List.of("p"), result("n1", "gpu-b", null)));
        cluster.pods.updatePod(pod("p", "n1", "share", "more", "card", "absent"));
        assertThat(cluster.on("n1")).containsExactly("team/p [5, whole]");
    }

    @Test
    void anInstanceTakenWholeBesideAShareCountsAsAllItsMemory() {
        cluster.node("n1", inventory(MemoryUnit.GIB, card("GPU-a", 0), ShownCluster.INSTANCE));
        cluster.pods.changed(HELD);
        cluster.pods.changed(allocated(claim("instance", (String) null), List.of("p"), result("n1", "mig-c", null)));
        cluster.pods.updatePod(pod("p", "n1", "instance"));
        assertThat(allocation("p").shareOn(ShownCluster.INSTANCE.id())).isEqualTo(Share.INSTANCE);
        cluster.pods.updatePod(pod("p", "n1", "share", "instance"));
        assertThat(allocation("p").shareOn(ShownCluster.INSTANCE.id())).isEqualTo(Share.memory(6));
    }

    private Allocation allocation(String pod) {
        return Objects.requireNonNull(
                Objects.requireNonNull(cluster.held().get("n1")).get("team/" + pod));
    }

    @Test
    void amountsThatCanNotBeReadCountAsTheWholeCard() {
        cluster.pods.changed(allocated(SHARE, List.of("p"), result("n1", "gpu-a", "2560Mi")));
        cluster.pods.updatePod(pod("p", "n1", "share"));
        assertThat(cluster.on("n1")).containsExactly("team/p [8, 0]");
    }

    @Test
    void whatTheNodeDoesNotHaveIsNotCountedUntilItIsBack() {
        cluster.pods.changed(
                allocated(SHARE, List.of("p"), result("n1", "gpu-a", "3Gi"), result("x", "n1", "gpu-b", "1Gi")));
        cluster.pods.updatePod(pod("p", "n1", "share"));
        cluster.node("n1", inventory(MemoryUnit.GIB, card("GPU-b", 1)));
        assertThat(cluster.on("n1")).containsExactly("team/p [0, 1]");
        cluster.node("n1", null);
        assertThat(cluster.held()).isEmpty();
        cluster.node("n1", TWO);
        assertThat(cluster.on("n1")).containsExactly("team/p [3, 1]");
    }

    @Test
    void theAnnotationOfABoundPodCountsBesideItsClaims() {
        cluster.pods.changed(HELD);
        cluster.pods.updatePod(pod("p", null, ShownCluster.FIVE, "share"));
        cluster.pods.updatePod(annotated("p", "n1", 5, "share"));
        assertThat(cluster.on("n1")).containsExactly("team/claim/share [3, 0]", "team/p [0, 5]");
        cluster.pods.changed(allocated(SHARE, List.of("p"), result("n1", "gpu-b", "2Gi")));
        assertThat(cluster.on("n1")).containsExactly("team/claim/share [0, 2]", "team/p [0, 5]");
        cluster.pods.updatePod(pod("p", "n1", ShownCluster.FIVE, "share"));
        assertThat(cluster.on("n1"))
                .as("somebody removed the annotation")
                .containsExactly("team/claim/share [0, 2]", "team/p [0, 5]");
        cluster.pods.removePod(ref("p"));
        cluster.pods.gone(SHARE);
        assertThat(cluster.held()).isEmpty();
    }

    @Test
    void anAnnotationOfAPodWithClaimsThatItDoesNotRequestSaysNothing() {
        cluster.pods.changed(HELD);
        cluster.pods.updatePod(annotated("p", "n1", 4, "share"));
        assertThat(cluster.on("n1")).containsExactly("team/p [3, 0]");
    }

    @Test
    void aBoundPodKeepsItsCardsBesideAClaimThatHasNone() {
        cluster.pods.changed(SHARE);
        cluster.pods.updatePod(pod("p", null, ShownCluster.FIVE, "share"));
        assertThat(cluster.waiting()).containsOnlyKeys("team/p");
        cluster.pods.updatePod(annotated("p", "n1", 5, "share"));
        assertThat(cluster.on("n1")).containsExactly("team/p [0, 5]");
        cluster.pods.changed(claim("share", "4Gi"));
        assertThat(cluster.on("n1")).containsExactly("team/p [0, 5]");
        assertThat(cluster.waiting()).isEmpty();

        cluster.pods.updatePod(pod("q", "n1", "share"));
        cluster.pods.work();
        assertThat(cluster.ledger.waitingForOthers()).isEmpty();
        assertThat(cluster.on("n1")).containsExactly("team/p [0, 5]");
    }

    @Test
    void whatTheExtenderAssumedStaysUntilItsBindingIsSeen() {
        cluster.node("n1", TWO.withNoCards(null));
        cluster.pods.changed(SHARE);
        PodState pod = pod("p", null, ShownCluster.FIVE, "share");
        cluster.pods.updatePod(pod);
        cluster.pods.work();
        PodDemand.Valid demand = (PodDemand.Valid) cluster.ledger.demand(pod);
        Allocation five = new Allocation(
                MemoryUnit.GIB,
                List.of(new ContainerAllocation("main", ContainerRole.APP, Map.of(ShownCluster.B, Share.memory(5)))));
        cluster.ledger.assume(pod.ref(), demand, "n1", _ -> new Placement.Placed(five), Instant.EPOCH);
        cluster.pods.updatePod(pod);
        assertThat(cluster.on("n1")).containsExactly("team/p [0, 5]");
        cluster.pods.changed(claim("share", List.of())); // it got an alternative of another driver
        assertThat(cluster.on("n1")).containsExactly("team/p [0, 5]");
        cluster.pods.updatePod(annotated("p", "n1", 5, "share"));
        assertThat(cluster.on("n1")).containsExactly("team/p [0, 5]");
    }

    @Test
    void oneThatCanNotBeCountedKeepsNoOtherFromIt() {
        cluster.node("n1", inventory(MemoryUnit.GIB));
        List<String> names = IntStream.range(0, 20).mapToObj(i -> "p" + i).toList();
        for (String name : names) {
            cluster.pods.changed(allocated(claim(name, "1Gi"), List.of(name), result("n1", "gpu-a", "1Gi")));
            cluster.pods.updatePod(name.equals("p7") ? pod(name, "n1", name, name) : pod(name, "n1", name));
        }
        cluster.node("n1", TWO);
        assertThat(cluster.on("n1")).hasSizeGreaterThanOrEqualTo(19);
    }

    @Test
    void aChangeOfAClaimThatIsAboutNoCardsCostsNothing() {
        cluster.pods.changed(SHARE);
        for (int i = 0; i < 100; i++) {
            cluster.pods.updatePod(pod("p" + i, null, "share"));
        }
        cluster.pods.work();
        cluster.updates.clear();
        cluster.pods.changed(claim("share", "3Gi")); // such as a label
        cluster.pods.work();
        assertThat(cluster.updates).isEmpty();
        cluster.pods.changed(claim("share", "4Gi"));
        cluster.pods.changed(claim("share", "3Gi"));
        cluster.pods.work();
        assertThat(cluster.updates).as("a claim that was made again, as it was").isEmpty();
        cluster.pods.changed(claim("share", "4Gi"));
        cluster.pods.work();
        assertThat(cluster.updates).hasSize(100);
    }

    /** It was seen after more than a minute, while a tenant's pods and claims changed ten times a second. */
    @Test
    void aNeighbourIsShownAfterOneTurnOfATenantWithManyPods() {
        cluster.pods.changed(SHARE);
        for (int i = 0; i < 1000; i++) {
            cluster.pods.updatePod(pod("p" + i, null, "share"));
        }
        PodRef neighbour = new PodRef("uid-n", "other", "n");
        cluster.pods.updatePod(
                PodState.of(neighbour, null, Map.of(), List.of()).with(new PodClaims(List.of("share"), false)));
        cluster.pods.work();
        assertThat(cluster.updates.indexOf(neighbour)).isBetween(0, 32);
        assertThat(cluster.updates).hasSize(1001);
    }

    @Test
    void theLedgerIsBehindUntilWhatIsDueIsShown() {
        cluster.pods.updatePod(pod("p", null, "share"));
        cluster.now.addAndGet(Duration.ofSeconds(70).toNanos());
        assertThat(cluster.pods.behind()).hasSeconds(70);
        assertThat(cluster.pods.work()).isEqualTo(PeriodicTask.ON_REQUEST);
        assertThat(cluster.pods.behind()).isZero();
    }

    @Test
    void theLedgerKnowsABoundPodAtOnce() {
        PodState pod = annotated("p", "n1", 5, "nic");
        cluster.pods.updatePod(pod);
        assertThat(cluster.updates).containsExactly(pod.ref());
        cluster.pods.work();
        assertThat(cluster.updates).hasSize(1);
    }

    @Test
    void aPodOfExtendedResourcesHasTheCardsOfItsClaim() {
        PodState before = pod("p", "n1", List.of(resources("aliyun.com/gpu-count", "1")));
        cluster.pods.updatePod(before);
        cluster.pods.changed(allocated(claim("made", (String) null), List.of("p"), result("n1", "gpu-b", "8Gi")));
        cluster.pods.updatePod(pod("p", "n1", List.of(resources("aliyun.com/gpu-count", "1")), "made"));
        assertThat(cluster.on("n1")).containsExactly("team/p [0, whole]");
    }

    @Test
    void aWaitingPodRequestsWhatItsClaimsLack() {
        cluster.pods.changed(HELD);
        cluster.pods.changed(claim("more", "2500Mi"));
        cluster.pods.updatePod(pod("p", null, "share", "more"));
        Demand demand = Objects.requireNonNull(cluster.waiting().get("team/p"));
        assertThat(demand.share()).isEqualTo(Share.memory(3));
        assertThat(demand.byClaim()).isTrue();
        PodEntry entry = cluster.ledger.waitingForOthers().getFirst();
        assertThat(cluster.ledger.nodeEntry("n1").refusal(entry.onNode())).isNull();
        assertThat(cluster.ledger.waiting())
                .as("pods that the extender could help")
                .isEmpty();
        assertThat(cluster.ledger.nodeEntry("n1").refusal(new Demand(demand.containers())))
                .isEqualTo(Reason.SERVES_CLAIMS);
    }

    @Test
    void aPodWithClaimsFitsOnNodesThatServeClaimsOnly() {
        cluster.pods.changed(SHARE);
        cluster.pods.updatePod(pod("p", null, "share"));
        Demand demand = Objects.requireNonNull(cluster.waiting().get("team/p"));
        cluster.node("n1", TWO.withNoCards(null));
        PodEntry entry = cluster.ledger.waitingForOthers().getFirst();
        assertThat(cluster.ledger.nodeEntry("n1").refusal(entry.onNode())).isEqualTo(Reason.SERVES_NO_CLAIMS);
        assertThat(cluster.ledger.nodeEntry("n1").refusal(new Demand(demand.containers())))
                .isNull();
    }

    @Test
    void requestsBecomeDemands() {
        assertThat(wants(request(ClaimState.ANY, 1, null)).wholeCards()).isEqualTo(1);
        assertThat(wants(request(ClaimState.CARD, 2, null)).wholeCards()).isEqualTo(2);
        Demand two = wants(request(ClaimState.ANY, 2, "2Gi"));
        assertThat(two.share()).isEqualTo(Share.memory(2));
        assertThat(two.sharedCards()).isEqualTo(2);
        Demand instance = wants(request("gpushare-mig-1g.5gb.me", 1, null));
        assertThat(instance.instances()).isTrue();
        assertThat(instance.selector()).hasToString("profile = 1g.5gb+me");
        assertThat(wants(request("gpushare-mig-1g.6gb", 1, "2Gi")).selector()).hasToString("profile = 1g.6gb");
        assertThat(wants(new ClaimState.Request("gpu", ClaimState.ANY, 1, "2Gi", "30", false, false, false))
                        .share())
                .isEqualTo(Share.memory(2).plus(Share.cores(30)));
        assertThat(wants(request(ClaimState.ANY, 32, "999999999Ei")).share().units())
                .isPositive();
        assertThat(wants(request(ClaimState.ANY, 1, "18446744074783293440"))
                        .share()
                        .units())
                .as("an amount that overflows 64 bits")
                .isEqualTo(Integer.MAX_VALUE);
        assertThat(wants(request(ClaimState.ANY, 1, "no quantity")).share()).isEqualTo(Share.memory(1));
    }

    private Demand wants(ClaimState.Request request) {
        return RequestedCards.of(List.of(RequestedCards.OfClaim.of(claim("c", List.of(request)), MemoryUnit.GIB)))
                .orElseThrow()
                .demand();
    }

    @Test
    void whatOnlyKubeSchedulerKnowsIsNoted() {
        ClaimState odd = new ClaimState(
                claim("c", "1Gi").claim(),
                List.of(
                        new ClaimState.Request("a", ClaimState.ANY, 0, "1Gi", null, true, false, false),
                        new ClaimState.Request("b", ClaimState.ANY, 2, "2Gi", "10", false, true, false)),
                ClaimState.Constraints.OTHER);
        RequestedCards requested = RequestedCards.of(List.of(RequestedCards.OfClaim.of(odd, MemoryUnit.GIB)))
                .orElseThrow();
        assertThat(requested.demand().share()).isEqualTo(Share.memory(2));
        assertThat(requested.notes())
                .hasSize(5)
                .anyMatch(note -> note.contains("2 requests"))
                .anyMatch(note -> note.contains("kube-scheduler alone can tell"))
                .anyMatch(note -> note.contains("firstAvailable"))
                .anyMatch(note -> note.contains("allocationMode: All"))
                .anyMatch(note -> note.contains("cores"));
    }

    @Test
    void tolerationsAreLeftToKubeScheduler() {
        ClaimState tolerant =
                claim("c", List.of(new ClaimState.Request("a", ClaimState.ANY, 1, "1Gi", null, false, false, true)));
        RequestedCards requested = RequestedCards.of(List.of(RequestedCards.OfClaim.of(tolerant, MemoryUnit.GIB)))
                .orElseThrow();
        assertThat(requested.demand().tolerant()).isTrue();
        assertThat(requested.demand().inPart()).isTrue();
        assertThat(requested.notes())
                .containsExactly("which DeviceTaintRules its claims tolerate, kube-scheduler alone can tell");
    }

    @Test
    void theUnitOfTheNodesCountsRequests() {
        cluster.pods.changed(SHARE);
        cluster.pods.updatePod(pod("p", null, "share"));
        Inventory small = inventory(MemoryUnit.ofMib(256), card("GPU-a", 0));
        cluster.node("n1", small);
        cluster.node("n2", small);
        assertThat(Objects.requireNonNull(cluster.waiting().get("team/p")).share())
                .isEqualTo(Share.memory(12));
    }

    @Test
    void claimsOfOtherDriversAndOfNobodyLeavePodsAsTheyAre() {
        PodState bound = pod("p", null, List.of(resources("aliyun.com/gpu-mem", "5")), "nic", "absent");
        cluster.pods.changed(claim("nic", List.of()));
        cluster.pods.updatePod(bound);
        assertThat(cluster.waiting()).isEmpty();
        assertThat(cluster.ledger.waiting()).hasSize(1);
    }

    @Test
    void aClaimOfManyResultsAndPodsIsCountedOnce() {
        List<Result> results = new ArrayList<>();
        for (int i = 0; i < 32; i++) {
            results.add(result("r" + i, "n1", i % 2 == 0 ? "gpu-a" : "gpu-b", "1Gi"));
        }
        List<String> pods = IntStream.range(0, 32).mapToObj(i -> "p" + i).toList();
        cluster.pods.changed(allocated(SHARE, pods, results.toArray(Result[]::new)));
        pods.forEach(name -> cluster.pods.updatePod(pod(name, "n1", "share")));
        assertThat(cluster.on("n1")).containsExactly("team/p0 [16, 16]");
    }

    @Test
    void anotherClaimOfTheNameTakesThePlaceOfTheFirst() {
        cluster.pods.changed(allocated(SHARE, List.of(), result("n1", "gpu-a", "3Gi")));
        ClaimState second = new ClaimState(
                new ResourceClaim(
                        "uid-second", "team", "share", List.of(), List.of(result("n2", "gpu-b", "1Gi")), List.of()),
                SHARE.requests(),
                ClaimState.Constraints.NONE);
        cluster.pods.changed(second);
        cluster.pods.gone(SHARE);
        assertThat(cluster.on("n1")).isEmpty();
        assertThat(cluster.on("n2")).containsExactly("team/claim/share [0, 1]");
    }

    @Test
    void nothingIsLearnedFromPodsWithClaimsByPolicies() {
        List<String> arrived = new ArrayList<>();
        cluster.ledger.follow(new LedgerListener() {
            @Override
            public void nodeChanged(String name, @Nullable NodeEntry now) {}

            @Override
            public void cardsChanged() {}

            @Override
            public void podArrived(PodDemand.Valid pod) {
                arrived.add(pod.demand().toString());
            }
        });
        cluster.pods.changed(HELD);
        cluster.pods.updatePod(pod("p", "n1", "share"));
        cluster.pods.work();
        assertThat(arrived).isEmpty();
        cluster.pods.updatePod(pod("q", null, List.of(resources("aliyun.com/gpu-mem", "5"))));
        assertThat(arrived).hasSize(1);
    }
}
