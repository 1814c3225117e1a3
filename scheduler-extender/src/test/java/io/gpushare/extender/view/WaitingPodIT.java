package io.gpushare.extender.view;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.running.RunningExtender;
import io.gpushare.extender.running.TestApiServer;
import io.gpushare.extender.running.WithView;
import io.gpushare.time.Clocks;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What is said of one waiting pod in a cluster of two pools of two cards each: by {@code why}, its Event, the list and
 * the metric.
 */
class WaitingPodIT extends WithView {

    private volatile Instant now = Instant.parse("2026-11-20T12:00:00Z");

    @Override
    protected void fill(TestApiServer cluster) {
        for (String pool : List.of("red", "blue")) {
            cluster.node(pool, TestApiServer.TWO_T4);
            cluster.nodeLabels(pool, Map.of("pool", pool, "kubernetes.io/hostname", pool));
        }
    }

    @BeforeEach
    @Override
    protected void startExtender() throws Exception {
        api = new TestApiServer();
        fill(api);
        extender = new RunningExtender(api.kubeconfig(folder), 1 << 20, new Clocks(() -> now, () -> now)).ready();
        await().until(() -> extender.ledger.state().nodes().size() == 2);
    }

    @Test
    void noNodeHasTheLabelThatThePodSelects() throws Exception {
        full("red");
        full("blue");
        waits("p", memory(8), "{\"nodeSelector\":{\"pool\":\"research\"}}");
        String why = "No node with cards has the label pool=research, which its nodeSelector requires; present are"
                + " blue, red.";
        assertThat(text("why?pod=p"))
                .contains("2  node's labels don't match the pod's nodeSelector")
                .contains(why)
                .doesNotContain("It fits", "would let it run");
        assertThat(event("p")).contains(why).doesNotContain("It fits");
        counted("not_accepted");
        JsonObject demand =
                json("cluster").getJsonObject("waiting").getJsonArray("demands").getJsonObject(0);
        assertThat(demand.getString("text")).endsWith("on one card, on nodes with pool=research");
        assertThat(demand.getInteger("feasibleNodes")).isZero();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"nodeSelector\":{\"pool\":\"red\"}}",
                "{\"nodeSelector\":{\"kubernetes.io/hostname\":\"red\"}}",
                "{\"affinity\":{\"nodeAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":"
                        + "{\"nodeSelectorTerms\":[{\"matchExpressions\":[{\"key\":\"pool\",\"operator\":\"NotIn\","
                        + "\"values\":[\"blue\"]}]}]}}}}",
                "{\"tolerations\":[{\"key\":\"another\",\"operator\":\"Exists\"}],\"with\":\"taint\"}",
                "{\"tolerations\":[],\"with\":\"cordon\"}",
            })
    void thePodWaitsForTheNodesThatItAccepts(String spec) throws Exception {
        if (spec.contains("taint")) {
            api.taint("blue", "team");
        } else if (spec.contains("cordon")) {
            api.cordon("blue");
        }
        full("red");
        waits("p", memory(8), spec);
        String ends = "It fits on node red, card 0, when pod default/red-0 ends, which holds the whole card.";
        assertThat(text("why?pod=p"))
                .contains("None of 2 nodes can take it now")
                .contains(ends);
        assertThat(text("why?pod=p").contains("1 more node like "))
                .as("a new node has another name, and a cordoned one is enough")
                .isEqualTo(!spec.contains("hostname") && !spec.contains("cordon"));
        assertThat(json("explain?pod=p").getInteger("feasibleNodes")).isZero();
        assertThat(event("p")).contains(ends);
        counted("full");
        assertThat(api.patches()).as("it is not retried: nothing fits").noneMatch(path -> path.contains("/p/"));
        assertThat(json("defrag").getJsonArray("plans").toString()).contains("\"name\":\"p\"");
    }

    @Test
    void aGateHoldsThePodAndNotACard() throws Exception {
        for (String pool : List.of("red", "blue")) {
            api.annotate(pool, "gpushare.io/inventory", TestApiServer.TWO_T4.replace("1024", "256"));
        }
        full("red");
        full("blue");
        api.pod("p", "uid-p", memory(8));
        api.spec("p", "{\"schedulingGates\":[{\"name\":\"kueue.x-k8s.io/admission\"}]}");
        api.unscheduled("p", "SchedulingGated", "Scheduling is blocked due to non-empty scheduling gates");
        await().until(() -> extender.get(VIEW + "explain?pod=p").statusCode() == 200);
        assertThat(text("why?pod=p"))
                .contains("It is held by its scheduling gate kueue.x-k8s.io/admission")
                .contains("Nothing of GPU Share keeps it.")
                .doesNotContain("would let it run", "It fits", "None of");
        JsonObject json = json("explain?pod=p");
        assertThat(json.getString("state")).isEqualTo("gated");
        assertThat(json.getString("demand")).isEqualTo("2 GiB (8 units of 256 MiB) of memory on one card");
        counted("gated");
        assertThat(json("cluster").getJsonObject("waiting").getInteger("count")).isZero();
    }

    @Test
    void podsThatAreBeingDeletedLeaveByTheirGrace() throws Exception {
        full("red");
        full("blue");
        for (String holder : List.of("red-0", "red-1", "blue-0", "blue-1")) {
            api.deleting(holder);
        }
        waits("p", whole(2), "{}");
        await().until(() -> text("why?pod=p").contains("gone"));
        assertThat(text("why?pod=p"))
                .containsPattern("It fits on node (red|blue), cards 0, 1, when the 2 pods .* have gone, which are being"
                        + " deleted, by 12:05:00 UTC at the latest\\.")
                .doesNotContain("more node");
        assertThat(json("explain?pod=p").getJsonObject("scaleUp")).isNull();
        assertThat(text("why?pod=red-0"))
                .contains("is on node red")
                .contains("It is being deleted, by 12:05:00 UTC at the latest.");
        api.deleting("p");
        await().until(() -> text("why?pod=p").contains("It is being deleted, by 12:05:00 UTC at the latest."));
        assertThat(json("explain?pod=p").getString("state")).isEqualTo("leaving");
    }

    @Test
    void whatShouldHaveEndedIsOverdue() throws Exception {
        full("red");
        api.deleting("red-0");
        waits("p", memory(8), "{\"nodeSelector\":{\"pool\":\"red\"}}");
        assertThat(event("p")).contains("by 12:05:00 UTC at the latest").doesNotContain("more node");
        now = Instant.parse("2026-11-20T12:07:00Z");
        assertThat(text("why?pod=red-0"))
                .contains("It is being deleted, and overdue since 12:05:00 UTC: the kubelet of node red has not ended"
                        + " it.");
        assertThat(text("why?pod=p"))
                .contains("when pod default/red-0 has gone, which is being deleted, and overdue since 12:05:00 UTC:"
                        + " the kubelet of node red has not ended it.")
                .contains("when pod default/red-1 ends")
                .contains("1 more node like red");
        api.taint("red", "node.kubernetes.io/unreachable");
        await().untilAsserted(() -> assertThat(text("why?pod=red-0"))
                .contains("the kubelet of node red, which is not ready, has not ended it."));
        now = Instant.parse("2026-11-22T12:07:00Z");
        assertThat(text("why?pod=red-0")).contains("overdue since 2026-11-20 12:05:00 UTC");
        api.deleting("p");
        await().untilAsserted(() -> assertThat(text("why?pod=p")).contains("see the finalizers in its metadata."));
    }

    @Test
    void podsOfAGroupFitTogetherOrWait() throws Exception {
        holder("red-0", memory(8), "red", "0");
        holder("red-1", whole(1), "red", "1");
        holder("blue-0", memory(4), "blue", "0");
        holder("blue-1", memory(8), "blue", "1");
        String group = "{\"schedulingGroup\":{\"podGroupName\":\"train\"}}";
        waits("alone", memory(8), group);
        assertThat(text("why?pod=alone")).contains("If it still waits").doesNotContain("group");
        for (String member : List.of("p", "q", "r")) {
            waits(member, memory(8), group);
        }
        api.delete("alone");
        await().until(() -> extender.ledger.waiting().size() == 3);
        String fit = "It is of pod group train: if that is a gang, kube-scheduler binds none until minCount of its"
                + " pods fit together. 3 of them wait, and only 1 fits now.";
        String ends = "All of them fit when these pods end: default/";
        String why = text("why?pod=p");
        assertThat(why)
                .contains("By its cards it alone fits on 1 of 2 nodes. If it still waits, and not for its group,"
                        + " kube-scheduler has another reason")
                .contains(fit)
                .containsPattern(ends + "(red-0|blue-1) on node (red|blue) \\(8 GiB\\), default/")
                .contains("1 more node like ")
                .contains("would let all pods of its group run.");
        assertThat(json("cluster")
                        .getJsonObject("waiting")
                        .getJsonArray("pods")
                        .getJsonObject(0)
                        .getString("group"))
                .isEqualTo("train");
        assertThat(json("explain?pod=p").getBoolean("gang")).isTrue();
        assertThat(event("p")).startsWith("GpuPodWaits").contains("this pod alone fits on 1 node. " + fit, ends);
        api.delete("red-1");
        api.delete("blue-1");
        await().untilAsserted(() -> assertThat(text("why?pod=p"))
                .contains("If it still waits, kube-scheduler")
                .doesNotContain("group", "more node"));
    }

    @Test
    void theOldPodOfTheSameDeploymentHoldsTheCard() throws Exception {
        full("blue");
        holder("old", memory(12), "red", "0");
        holder("stranger", memory(14), "red", "1");
        api.controlled("old", "ReplicaSet", "web-6d4b75cb6d", "uid-old-set");
        waits("p", memory(8), "{}");
        api.controlled("p", "ReplicaSet", "web-7f9c8d5b4c", "uid-new-set");
        String advice = "Of the same Deployment, pod default/old holds node red, card 0, and the rolling update ends no"
                + " old pod before a new one runs: set maxUnavailable to 1 in the strategy of Deployment web, or its"
                + " type to Recreate.";
        await().until(() -> text("why?pod=p").contains("Deployment"));
        assertThat(text("why?pod=p"))
                .contains(advice)
                .contains("when pod default/stranger ends")
                .doesNotContain("default/old ends");
        assertThat(event("p")).contains(advice);
    }

    @Test
    void theSmallestSetOfPodsMakesRoomForSeveralCards() throws Exception {
        full("red");
        holder("b0", memory(8), "blue", "0");
        holder("b1", memory(4), "blue", "0");
        holder("b2", memory(4), "blue", "1");
        waits("p", whole(2), "{}");
        String ends = "It fits on node red, cards 0, 1, when the 2 pods default/red-";
        assertThat(text("why?pod=p")).contains(ends).contains("default/red-1 (the whole card)");
        assertThat(event("p")).contains(ends);
    }

    @Test
    void allPodsOfTheSelectedCardMustEnd() throws Exception {
        full("blue");
        holder("one", memory(8), "red", "0");
        holder("two", memory(4), "red", "0");
        api.pod("p", "uid-p", whole(1), new JsonObject().put("gpushare.io/select", "index = 0"));
        holder("three", memory(4), "red", "1");
        api.spec("p", "{\"nodeSelector\":{\"pool\":\"red\"}}");
        api.refused("p");
        await().until(() -> extender.get(VIEW + "explain?pod=p").statusCode() == 200);
        assertThat(text("why?pod=p"))
                .containsPattern("It fits on node red, card 0, when the 2 pods default/(one|two) .* end\\.")
                .contains("default/one (8 GiB)")
                .contains("default/two (4 GiB)")
                .doesNotContain("three");
    }

    @Test
    void whatOnlyKubeSchedulerKnowsIsInItsOwnWords() throws Exception {
        api.pod("p", "uid-p", memory(8));
        api.unscheduled("p", "Unschedulable", "0/2 nodes are available: 2 node(s) had volume node affinity conflict.");
        await().until(() -> text("why?pod=p").contains("volume"));
        assertThat(text("why?pod=p"))
                .contains("By its cards it fits on 2 of 2 nodes")
                .contains("It last wrote: 0/2 nodes are available: 2 node(s) had volume node affinity conflict.");
    }

    private void full(String node) throws Exception {
        for (int card = 0; card < 2; card++) {
            holder(node + "-" + card, whole(1), node, String.valueOf(card));
        }
    }

    private void holder(String name, JsonObject limits, String node, String card) throws Exception {
        api.pod(name, "uid-" + name, limits, new JsonObject().put("gpushare.io/select", "index = " + card));
        await().until(() -> extender.ledger.podEntry("uid-" + name).isPresent());
        assertThat(extender.bind(name, "uid-" + name, node)).isEmpty();
        await().until(() -> extender.ledger
                .podEntry("uid-" + name)
                .filter(pod -> pod.node() != null)
                .isPresent());
    }

    private void waits(String name, JsonObject limits, String spec) {
        api.pod(name, "uid-" + name, limits);
        api.spec(name, spec);
        api.refused(name);
        await().until(() -> extender.ledger.waiting().stream()
                .anyMatch(pod -> pod.ref().name().equals(name)));
    }

    /** The one reason for which the metric counts a pod. */
    private void counted(String why) {
        String wanted = "gpushare_extender_waiting_pods{why=\"" + why + "\"} 1.0";
        await().untilAsserted(() -> assertThat(extender.get("/metrics").body().lines())
                .filteredOn(line -> line.startsWith("gpushare_extender_waiting_pods{") && !line.endsWith(" 0.0"))
                .containsExactly(wanted));
    }

    private String event(String pod) {
        await().pollInterval(Duration.ofMillis(200)).until(() -> {
            now = now.plusSeconds(4);
            return api.eventsOf(pod).stream().anyMatch(event -> event.startsWith("GpuPodWaits"));
        });
        return Objects.requireNonNull(api.eventsOf(pod).stream()
                .filter(event -> event.startsWith("GpuPodWaits"))
                .findFirst()
                .orElse(null));
    }

    private static JsonObject memory(int units) {
        return limits(String.valueOf(units));
    }

    private static JsonObject whole(int cards) {
        return new JsonObject().put("aliyun.com/gpu-count", String.valueOf(cards));
    }
}
