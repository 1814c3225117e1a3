package io.gpushare.plugin.claims.prepare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.gpushare.model.Allocation;
import io.gpushare.model.ContainerAllocation;
import io.gpushare.model.ContainerRole;
import io.gpushare.model.PodRef;
import io.gpushare.model.card.Card;
import io.gpushare.model.card.CardId;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.Memory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.card.Share;
import io.gpushare.model.claims.ClaimUse;
import io.gpushare.model.claims.PreparedClaims;
import io.gpushare.model.claims.ResourceClaim;
import io.gpushare.plugin.node.holdings.Holdings;
import io.gpushare.plugin.node.holdings.Offer;
import io.gpushare.plugin.node.pod.TestPods;
import io.gpushare.plugin.node.usage.CardProcess;
import io.gpushare.plugin.node.usage.CardUsages;
import io.gpushare.plugin.node.usage.Cgroup;
import io.gpushare.plugin.node.usage.ContainerShare;
import io.gpushare.plugin.node.usage.NodeUsage;
import io.gpushare.plugin.node.usage.OverUse;
import io.gpushare.plugin.node.usage.TestUsages;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Containers have what their claims hold; those that use one request have its share together. */
class ClaimSharesTest {
    private static final long GIB = 1L << 30;
    private static final CardId A = new CardId("GPU-a");
    private static final Inventory CARDS =
            new Inventory(MemoryUnit.GIB, null, List.of(Card.of("GPU-a", 0, Memory.ofGib(15))));
    private static final ClaimHoldings NODE = ClaimHoldings.none(PreparedClaims.of(CARDS))
            .withPrepared(PreparedClaims.of(CARDS)
                    .with(claim("shared", "p"), allocation(3))
                    .with(claim("own", "p"), allocation(2)));

    private final List<CardProcess> processes = new ArrayList<>();
    private final Map<Long, Cgroup> cgroups = new HashMap<>();

    @Test
    void aCardCountsAClaimOnceAndEachContainerThatUsesItHasItsShare() {
        ClaimHoldings both = NODE.withPod(TestPods.using("p", use("main", "shared"), use("side", "own")))
                .withPod(TestPods.using("q", use("main", "shared")));

        assertThat(holdings(both).cards().cards().getFirst().allocated()).isEqualTo(Share.memory(5));
        assertThat(ContainerShare.of(holdings(both)))
                .extracting(
                        share -> share.pod().name(),
                        ContainerShare::container,
                        ContainerShare::memory,
                        ContainerShare::podMemory,
                        share -> share.together().size())
                .containsExactlyInAnyOrder(
                        tuple("p", "main", Memory.ofGib(3), Memory.ofGib(5), 2),
                        tuple("p", "side", Memory.ofGib(2), Memory.ofGib(5), 1),
                        tuple("q", "main", Memory.ofGib(3), Memory.ofGib(3), 2));
    }

    @Test
    void whatPodsUseTogetherCountsForEachOfThem() {
        ClaimHoldings both = ClaimHoldings.none(PreparedClaims.of(CARDS))
                .withPrepared(PreparedClaims.of(CARDS).with(claim("shared", "p"), allocation(3)))
                .withPod(TestPods.using("p", use("main", "shared")))
                .withPod(TestPods.using("q", use("main", "shared"), use("side", "shared")));
        process(1, "p", 2 * GIB, both);
        process(2, "q", 2 * GIB, both);
        OverUse.Found found =
                OverUse.NONE.evaluate(ContainerShare.of(holdings(both)), usage(both), MemoryUnit.GIB, TestPods.START);
        assertThat(found.excesses())
                .hasSize(3)
                .allMatch(excess -> excess.usedBytes() == 4 * GIB && excess.neededUnits() == 4);
        assertThat(found.offenders())
                .extracting(offender -> offender.pod().name(), OverUse.Offender::bytes)
                .containsExactlyInAnyOrder(tuple("p", GIB), tuple("q", GIB));
        assertThat(usage(both).foreign()).isEmpty();
    }

    @Test
    void aClaimWhosePodIsNotReportedYetIsItsPodsAndWithoutPodsItsOwn() {
        assertThat(ContainerShare.of(holdings(NODE)))
                .extracting(share -> share.pod().name(), ContainerShare::container)
                .containsExactlyInAnyOrder(tuple("p", "shared/gpu"), tuple("p", "own/gpu"));
        // Two series with the same labels would fail each scrape.
        assertThat(ContainerShare.of(holdings(NODE)))
                .extracting(ContainerShare::key)
                .doesNotHaveDuplicates();
        ClaimHoldings restarted = ClaimHoldings.none(PreparedClaims.of(CARDS))
                .withPrepared(PreparedClaims.of(CARDS).with(claim("c"), allocation(3)));
        assertThat(ContainerShare.of(holdings(restarted)))
                .extracting(share -> share.pod().name(), ContainerShare::memory)
                .containsExactly(tuple("c", Memory.ofGib(3)));
    }

    @Test
    void aPodThatUsesAClaimOfAnotherNamespaceOrNoneHasNoShare() {
        PodRef elsewhere = new PodRef("uid-x", "other", "x");
        assertThat(PreparedClaims.of(CARDS)
                        .with(claim("shared", "p"), allocation(3))
                        .users(
                                claimRef("shared"),
                                "gpu",
                                Map.of(elsewhere, List.of(use("main", "shared"))),
                                _ -> false))
                .extracting(PreparedClaims.User::pod)
                .containsExactly(TestPods.ref("p"));
        ClaimHoldings none = NODE.withPod(TestPods.using("r", use("main", "unknown")));
        process(1, "r", GIB, none);
        assertThat(usage(none).foreignOn(A)).isEqualTo(GIB);
    }

    @Test
    void containersOfOneRequestShareOneSetAndTheFirstOnesCount() {
        ClaimUse[] many =
                IntStream.range(0, 200).mapToObj(i -> use("c" + i, "shared")).toArray(ClaimUse[]::new);
        List<ContainerShare> shares = ContainerShare.of(holdings(NODE.withPod(TestPods.using("q", many))));
        List<ContainerShare> shared =
                shares.stream().filter(share -> share.pod().name().equals("q")).toList();
        assertThat(shared).hasSize(PreparedClaims.MOST_USERS);
        assertThat(shared)
                .allSatisfy(share ->
                        assertThat(share.together()).isSameAs(shared.getFirst().together()));
        assertThat(shared.getFirst().podMemory()).isEqualTo(Memory.ofGib(3));
    }

    @Test
    void whereEachPodIsLimitedByItselfAShareIsThePodsForWhichItWasPrepared() {
        ClaimHoldings both = NODE.withPod(TestPods.using("a", use("main", "shared")))
                .withPod(TestPods.using("p", use("main", "shared"), use("side", "own")));
        assertThat(ContainerShare.of(holdings(both)))
                .extracting(share -> share.pod().name(), ContainerShare::podMemory, ContainerShare::podLimit)
                .containsOnly(tuple("p", Memory.ofGib(5), Memory.ofGib(5)), tuple("a", Memory.ofGib(3), new Memory(0)));
        assertThat(ContainerShare.of(holdings(both.withoutPod("uid-p"))))
                .extracting(share -> share.pod().name(), ContainerShare::podLimit)
                .contains(tuple("a", Memory.ofGib(3)));
    }

    @Test
    void podsThatWereReadCountBesideThoseOfALateWatchUntilTheyAreGone() {
        ClaimHoldings read = ClaimHoldings.none(PreparedClaims.of(CARDS))
                .withPrepared(PreparedClaims.of(CARDS)
                        .with(
                                claim("shared", "p", "q"),
                                allocation(3),
                                Map.of(
                                        TestPods.ref("p"), List.of(use("main", "shared")),
                                        TestPods.ref("q"), List.of(use("main", "shared")))));
        ClaimHoldings late = read.withPod(TestPods.using("p", use("main", "shared")));
        assertThat(pods(late)).containsExactlyInAnyOrder("p", "q");

        ClaimHoldings reported = late.withPod(TestPods.using("q", use("main", "shared")));
        assertThat(pods(reported)).containsExactlyInAnyOrder("p", "q");
        assertThat(pods(reported.withoutPod("uid-p"))).containsExactly("q");
        assertThat(pods(reported.withPod(TestPods.ended(TestPods.using("p", use("main", "shared"))))))
                .containsExactly("q");
    }

    private static Holdings holdings(ClaimHoldings node) {
        return Holdings.of(CARDS, node.pods().values(), Map.of(Offer.CLAIMS, node.holdings()), Map.of());
    }

    private static List<String> pods(ClaimHoldings node) {
        return ContainerShare.of(holdings(node)).stream()
                .map(share -> share.pod().name())
                .toList();
    }

    private void process(long pid, String pod, long bytes, ClaimHoldings node) {
        processes.add(new CardProcess(pid, OptionalLong.of(bytes), OptionalInt.empty()));
        cgroups.put(pid, new Cgroup(Optional.of("uid-" + pod), Optional.of("c" + pid), Optional.of("main")));
        assertThat(node.pods().values()).anyMatch(each -> each.ref().name().equals(pod));
    }

    private NodeUsage usage(ClaimHoldings node) {
        return NodeUsage.NONE.next(
                new CardUsages(TestPods.START, Map.of(A, TestUsages.of(processes))),
                pid -> Optional.ofNullable(cgroups.get(pid)),
                holdings(node));
    }

    private static ClaimUse use(String container, String claim) {
        return new ClaimUse(container, ContainerRole.APP, claim, "", Set.of());
    }

    private static PodRef claimRef(String name) {
        return new PodRef("uid-claim-" + name, "default", name);
    }

    private static ResourceClaim claim(String name, String... pods) {
        return new ResourceClaim(
                claimRef(name).uid(),
                "default",
                name,
                List.of(pods).stream().map(TestPods::ref).toList(),
                List.of(),
                List.of());
    }

    private static Allocation allocation(int units) {
        return new Allocation(
                MemoryUnit.GIB,
                List.of(new ContainerAllocation("gpu", ContainerRole.APP, Map.of(A, Share.memory(units)))));
    }
}
