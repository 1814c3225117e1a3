package io.gpushare.extender.preemption;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.running.TestApiServer;
import io.gpushare.extender.running.WithPreemption;
import io.vertx.core.json.JsonObject;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Whom the extender evicts for whom, where kube-scheduler's own preemption does not help. */
class PreemptionIT extends WithPreemption {
    @Test
    void freeMemoryInPiecesIsJoinedByOneEviction() throws Exception {
        running("low-a", "n1", memory(8), 0);
        running("low-b", "n1", memory(8), 0);
        waiting("high", memory(10), 100);
        await().until(() -> api.evicted().size() == 1);
        String victim = api.evicted().getFirst();
        await().until(() -> "n1".equals(status("high").getString("nominatedNodeName")));
        assertThat(condition("high", "gpushare.io/CardsHeld")).startsWith("True Preempting n1: ");
        await().untilAsserted(() -> assertThat(condition(victim, "DisruptionTarget"))
                .isEqualTo("True PreemptionByScheduler gpushare-schd-extender: preempting to accommodate a"
                        + " higher priority pod"));
        await().untilAsserted(() ->
                assertThat(api.eventsOf(victim)).containsExactly("Preempted: Preempted by pod uid-high on node n1"));
        await().untilAsserted(() -> assertThat(api.eventsOf("high"))
                .containsExactly("Preempting: Evicted 1 pod of lower priority from node n1, whose GPU cards are"
                        + " held for this pod"));
        nothingMoreEvicted(1);

        ends(victim);
        binds("high", "n1");
        await().untilAsserted(() ->
                assertThat(condition("high", "gpushare.io/CardsHeld")).startsWith("False Bound"));
        assertThat(metric("gpushare_extender_evictions_total{outcome=\"evicted\"}"))
                .isEqualTo(1);
        await().until(() -> metric("gpushare_extender_preemptions_total{outcome=\"bound\"}") == 1);
    }

    @Test
    void aWholeCardPodEvictsTheFewestMemoryPods() throws Exception {
        running("low-a", "n1", memory(8), 0);
        running("low-b", "n1", memory(8), 0);
        running("low-c", "n1", memory(5), 0);
        waiting("high", whole(1), 100);
        await().until(() -> !api.evicted().isEmpty());
        nothingMoreEvicted(1);
        ends(api.evicted().getFirst());
        binds("high", "n1");
    }

    @Test
    void aMemoryPodEvictsAWholeCardPodOfTheLowestPriority() throws Exception {
        running("middle", "n1", whole(1), 50);
        running("low", "n1", whole(1), 10);
        waiting("high", memory(3), 100);
        evicted("low");
        ends("low");
        binds("high", "n1");
        nothingMoreEvicted(1);
    }

    @Test
    void onePodIsEvictedWhereKubeSchedulerWouldEvictTwo() throws Exception {
        running("low-whole", "n1", memory(15), 0);
        running("low-a", "n1", memory(8), 0);
        running("low-b", "n1", memory(7), 0);
        waiting("high", memory(15), 100);
        await().until(() -> extender.ledger.podEntry("uid-high").isPresent());
        assertThat(preempt("high", "uid-low-a", "uid-low-b")).isEqualTo("{\"NodeNameToMetaVictims\":{}}");
        evicted("low-whole");
        nothingMoreEvicted(1);
    }

    @Test
    void kubeSchedulersVictimsStandIfTheyAreAsFew() throws Exception {
        fullNode();
        api.pod("high", "uid-high", memory(15), 100);
        await().until(() -> extender.ledger.podEntry("uid-high").isPresent());
        assertThat(preempt("high", "uid-low-a")).contains("uid-low-a");
    }

    @Test
    void whereTerminatingPodsMakeItFitNothingIsEvictedAndNoCardsAreHeld() throws Exception {
        fullNode();
        api.deleting("low-a");
        waiting("high", memory(15), 100);
        nothingMoreEvicted(0);
        assertThat(condition("high", "gpushare.io/CardsHeld")).isEmpty();
    }

    @Test
    void anUnusedNodeThatThePodDoesNotAcceptKeepsNobodyFromBeingEvicted() throws Exception {
        fullNode();
        api.node("n2", TestApiServer.TWO_T4);
        await().until(() -> extender.ledger.state().node("n2").isPresent());
        api.taint("n2", "reserved");
        waiting("high", memory(15), 100);
        await().until(() -> !api.evicted().isEmpty());
        nothingMoreEvicted(1);
    }

    @Test
    void aPodThatKubeSchedulerHelpsIsLeftAlone() throws Exception {
        fullNode();
        api.deleting("low-a");
        api.pod("high", "uid-high", memory(15), 100);
        api.nominated("high", "n1");
        api.refused("high");
        nothingMoreEvicted(0);
        assertThat(condition("high", "gpushare.io/CardsHeld")).isEmpty();
    }

    @Test
    void podsOfTheSamePriorityAndPodsThatMayNotPreemptEvictNobody() throws Exception {
        running("low-a", "n1", memory(15), 5);
        running("low-b", "n1", memory(15), 5);
        waiting("same", memory(15), 5);
        waiting("never", memory(15), 100, "{\"preemptionPolicy\":\"Never\"}");
        nothingMoreEvicted(0);
        assertThat(status("never").getString("nominatedNodeName")).isNull();
    }

    @Test
    void nothingIsEvictedWhereThePodCouldNotBePlaced() throws Exception {
        api.node("n2", TestApiServer.TWO_T4);
        running("low-a", "n1", memory(15), 5);
        running("low-b", "n1", memory(15), 5);
        await().until(() -> extender.ledger.state().node("n2").isPresent());
        running("low-c", "n2", memory(15), 0);
        running("low-d", "n2", memory(15), 0);
        api.taint("n1", "reserved");
        api.taint("n2", "reserved");
        waiting("high", memory(15), 100);
        waiting(
                "spread",
                memory(15),
                100,
                "{\"affinity\":{\"podAntiAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":[{}]}}}");
        waiting("cpu", new JsonObject().put("aliyun.com/gpu-mem", "15").put("cpu", "4"), 100);
        nothingMoreEvicted(0);
        waiting("tolerant", memory(15), 50, "{\"tolerations\":[{\"operator\":\"Exists\"}]}");
        await().until(() -> !api.evicted().isEmpty());
        assertThat(api.evicted()).hasSize(1).isSubsetOf(Set.of("low-c", "low-d"));
    }

    @Test
    void withoutThePermissionNothingIsEvicted() throws Exception {
        extender.close();
        api.mayEvict(false);
        extender = start(null).ready();
        running("low-a", "n1", memory(8), 0);
        running("low-b", "n1", memory(8), 0);
        waiting("high", memory(10), 100);
        nothingMoreEvicted(0);
        assertThat(preempt("high")).contains("uid-low-");
    }

    private String preempt(String name, String... victims) throws Exception {
        StringBuilder pods = new StringBuilder();
        for (String victim : victims) {
            pods.append(pods.isEmpty() ? "" : ",")
                    .append("{\"UID\":\"")
                    .append(victim)
                    .append("\"}");
        }
        return extender.post(
                        "preempt",
                        "{\"Pod\":" + api.object("default/" + name).encode()
                                + ",\"NodeNameToVictims\":null,\"NodeNameToMetaVictims\":{\"n1\":{\"Pods\":[" + pods
                                + "],\"NumPDBViolations\":0}}}")
                .body();
    }
}
