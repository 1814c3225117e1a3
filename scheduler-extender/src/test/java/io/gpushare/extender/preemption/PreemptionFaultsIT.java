package io.gpushare.extender.preemption;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.Candidacy;
import io.gpushare.extender.running.TestApiServer;
import io.gpushare.extender.running.WithPreemption;
import io.gpushare.simulated.apiserver.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Evictions that go wrong, and what is left of them. */
class PreemptionFaultsIT extends WithPreemption {
    private static final Outcome REFUSED = Outcome.refused(
            429, "TooManyRequests", "Cannot evict pod as it would violate the pod's disruption budget.");

    @Test
    void aBudgetIsHeededUntilItAllowsTheEviction() throws Exception {
        fullNode();
        api.budget("guard", "low", 0);
        waiting("high", memory(10), 100);
        await().untilAsserted(() -> assertThat(api.eventsOf("high"))
                .containsExactly("PreemptionForbidden: PodDisruptionBudgets forbid the evictions that would free"
                        + " a GPU card for this pod"));
        nothingMoreEvicted(0);
        assertThat(status("high").getString("nominatedNodeName")).isNull();
        api.budget("guard", "low", 1);
        await().until(() -> api.evicted().size() == 1);
        nothingMoreEvicted(1);
    }

    @Test
    void aPodOfHigherPriorityIsEvictedIfABudgetGuardsTheLower() throws Exception {
        running("low", "n1", memory(15), 0);
        running("middle", "n1", memory(15), 50);
        api.budget("guard", "low", 0);
        waiting("high", memory(10), 100);
        evicted("middle");
    }

    @Test
    void nothingIsEvictedIfABudgetAllowsOnlyAPartOfIt() throws Exception {
        fullNode();
        api.budget("guard", "low", 1);
        waiting("high", whole(2), 100);
        reported("high", "PreemptionForbidden");
        nothingMoreEvicted(0);
    }

    @Test
    void aNamespaceWithTooManyBudgetsIsSpared() throws Exception {
        fullNode();
        for (int i = 0; i <= 500; i++) {
            api.budget("budget-" + i, "other", 0);
        }
        waiting("high", memory(10), 100);
        reported("high", "PreemptionForbidden");
        nothingMoreEvicted(0);
    }

    @Test
    void anEvictionThatIsRefusedAfterAllHoldsNoCards() throws Exception {
        fullNode();
        api.evictions(REFUSED);
        waiting("high", memory(10), 100);
        await().until(() -> condition("high", "gpushare.io/CardsHeld").startsWith("False"));
        assertThat(status("high").getString("nominatedNodeName")).isNull();
        api.evictions(Outcome.Plain.SERVED);
        await().until(() -> condition("high", "gpushare.io/CardsHeld").startsWith("True"));
        // The cards are held before the pod is evicted.
        await().untilAsserted(() -> assertThat(metric("gpushare_extender_evictions_total{outcome=\"evicted\"}"))
                .isEqualTo(1));
    }

    @Test
    void anEvictionWithoutAResponseIsNotRepeatedOnAnotherPod() throws Exception {
        fullNode();
        api.evictions(Outcome.Plain.RESPONSE_LOST);
        waiting("high", memory(10), 100);
        await().until(() -> !api.evicted().isEmpty());
        api.evictions(Outcome.Plain.SERVED);
        turnsPass();
        assertThat(Set.copyOf(api.evicted())).hasSize(1);
    }

    @Test
    void aVictimThatDoesNotEndIsGivenUpAndAnotherNodeIsTaken() throws Exception {
        running("low-a", "n1", memory(15), 0, 1);
        running("low-b", "n1", memory(15), 50, 1);
        api.node("n2", TestApiServer.TWO_T4);
        await().until(() -> extender.ledger.state().node("n2").isPresent());
        running("middle-c", "n2", memory(15), 60);
        running("middle-d", "n2", memory(15), 60);
        waiting("high", memory(10), 100);
        evicted("low-a");
        pass(Duration.ofMinutes(2));
        await().untilAsserted(() ->
                assertThat(api.eventsOf("high")).anyMatch(event -> event.startsWith("PreemptionExpired")));
        assertThat(metric("gpushare_extender_preemptions_total{outcome=\"expired\"}"))
                .isEqualTo(1);
        await().until(() -> api.evicted().size() == 2);
        assertThat(api.evicted().getLast()).startsWith("middle-");
        await().until(() -> "n2".equals(status("high").getString("nominatedNodeName")));
    }

    @Test
    void afterThePreemptorIsDeletedNothingIsHeldOrEvicted() throws Exception {
        fullNode();
        waiting("high", memory(10), 100);
        await().until(() -> api.evicted().size() == 1);
        api.delete("high");
        await().until(() -> metric("gpushare_extender_preemptions_total{outcome=\"gone\"}") == 1);
        ends(api.evicted().getFirst());
        api.pod("next", "uid-next", memory(10), 0);
        binds("next", "n1");
        nothingMoreEvicted(1);
    }

    @Test
    void twoPodsDoNotEvictForTheSameCard() throws Exception {
        running("low", "n1", memory(15), 0);
        running("same", "n1", memory(15), 100);
        waiting("high-a", memory(10), 100);
        waiting("high-b", memory(10), 100);
        evicted("low");
        nothingMoreEvicted(1);
        ends("low");
        assertThat(extender.bind("high-a", "uid-high-a", "n1").isEmpty())
                .isNotEqualTo(extender.bind("high-b", "uid-high-b", "n1").isEmpty());
    }

    @Test
    void twoPodsEvictForTwoCards() throws Exception {
        fullNode();
        waiting("high-a", memory(10), 100);
        waiting("high-b", memory(10), 100);
        evicted("low-a", "low-b");
        nothingMoreEvicted(2);
        ends("low-a");
        ends("low-b");
        binds("high-a", "n1");
        binds("high-b", "n1");
    }

    @Test
    void aRecreatedVictimDoesNotTakeTheCardBackEvenIfKubeSchedulerDropsTheNomination() throws Exception {
        fullNode();
        waiting("high", memory(10), 100);
        await().until(() -> api.evicted().size() == 1);
        ends(api.evicted().getFirst());
        api.nominated("high", null);
        api.pod("again", "uid-again", memory(15), 0);
        await().until(() -> extender.ledger.podEntry("uid-again").isPresent());
        assertThat(extender.bind("again", "uid-again", "n1")).contains("Insufficient GPU Memory in one device");
        await().until(() -> "n1".equals(status("high").getString("nominatedNodeName")));
        binds("high", "n1");
        nothingMoreEvicted(1);
    }

    /** The watch is silent from before the eviction: no event shows the hold, or the victim as terminating. */
    @Test
    void noPodIsBoundBesideTheVictimBeforeTheWatchShowsTheHold() throws Exception {
        running("low", "n1", memory(7), 0);
        running("other", "n1", memory(15), 100);
        api.pod("small", "uid-small", memory(1), 0);
        await().until(() -> extender.ledger.podEntry("uid-small").isPresent());
        api.budget("guard", "low", 0);
        waiting("high", whole(1), 100);
        reported("high", "PreemptionForbidden");
        api.muteWatches(true);
        api.budget("guard", "low", 1);
        await().until(() -> api.evicted().equals(List.of("low")));
        assertThat(extender.ledger.podEntry("uid-low").orElseThrow().priority().terminating())
                .as("whether the watch has shown the eviction")
                .isFalse();
        assertThat(extender.bind("small", "uid-small", "n1")).contains("Insufficient GPU Memory in one device");
        api.muteWatches(false);
    }

    @Test
    void theNextLeaderKeepsTheCardsForThePreemptor() throws Exception {
        extender.close();
        extender =
                start(new Candidacy("kube-system", "extender", "first", null)).ready();
        fullNode();
        waiting("high", memory(10), 100);
        await().until(() -> api.evicted().size() == 1);
        api.nominated("high", null);
        extender.close();
        extender =
                start(new Candidacy("kube-system", "extender", "second", null)).ready();
        ends(api.evicted().getFirst());
        api.pod("again", "uid-again", memory(15), 0);
        await().until(() -> extender.ledger.podEntry("uid-again").isPresent());
        assertThat(extender.bind("again", "uid-again", "n1")).contains("Insufficient GPU Memory in one device");
        binds("high", "n1");
        nothingMoreEvicted(1);
    }
}
