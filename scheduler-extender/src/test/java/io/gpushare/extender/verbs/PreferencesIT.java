package io.gpushare.extender.verbs;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.running.TestApiServer;
import io.gpushare.extender.running.WithPreemption;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** With --decide-in=auto, filter names one node, or all for a pod whose preferences kube-scheduler scores. */
class PreferencesIT extends WithPreemption {
    @BeforeEach
    void addNodes() {
        api.node("n2", TestApiServer.TWO_T4);
        api.node("n3", TestApiServer.TWO_T4);
        await().until(() -> extender.ledger.state().nodes().size() == 3);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'affinity':{'nodeAffinity':{'preferredDuringSchedulingIgnoredDuringExecution':[{'weight':1}]}}}",
                "{'affinity':{'podAffinity':{'preferredDuringSchedulingIgnoredDuringExecution':[{'weight':1}]}}}",
                "{'affinity':{'podAntiAffinity':{'preferredDuringSchedulingIgnoredDuringExecution':[{'weight':1}]}}}",
                "{'topologySpreadConstraints':[{'maxSkew':1,'whenUnsatisfiable':'ScheduleAnyway'}]}"
            })
    void aPodWithAPreferenceGetsAllFeasibleNodes(String spec) throws Exception {
        assertThat(named(spec)).isEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{'affinity':null,'topologySpreadConstraints':null,'tolerations':null,'volumes':null}",
                "{'affinity':{'nodeAffinity':{'preferredDuringSchedulingIgnoredDuringExecution':[]},'podAffinity':{}}}",
                "{'affinity':{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':{'nodeSelectorTerms':[{}]}}}}",
                "{'affinity':{'podAntiAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':[{}]}}}",
                "{'topologySpreadConstraints':[{'maxSkew':1,'whenUnsatisfiable':'DoNotSchedule'}]}"
            })
    void aPodWithoutAPreferenceGetsTheChosenNode(String spec) throws Exception {
        assertThat(named(spec)).isEqualTo(1);
    }

    @Test
    void aSoftTaintCountsForPodsThatDoNotTolerateIt() throws Exception {
        api.softTaint("n2", "old");
        await().untilAsserted(() -> assertThat(named("{}")).isEqualTo(3));
        assertThat(named("{'tolerations':[{'key':'old','operator':'Exists','effect':'NoSchedule'}]}"))
                .isEqualTo(3);
        assertThat(named("{'tolerations':[{'key':'old','operator':'Exists'}]}")).isEqualTo(1);
        String others = IntStream.range(0, 20_000)
                .mapToObj(i -> "{'key':'k" + i + "','operator':'Exists'}")
                .collect(Collectors.joining(","));
        assertThat(named("{'tolerations':[" + others + "]}")).isEqualTo(3);
    }

    @Test
    void theScoresForThemAreHalfAsLarge() throws Exception {
        running("other", "n2", memory(10), 0);
        String binpack =
                args("{}").replace("\"uid-p\"", "\"uid-p\",\"annotations\":{\"gpushare.io/policy\":\"binpack\"}");
        assertThat(new JsonArray(extender.post("prioritize", binpack).body()))
                .containsExactly(new JsonObject().put("Host", "n2").put("Score", 5));
    }

    private int named(String spec) throws Exception {
        return new JsonObject(extender.post("filter", args(spec)).body())
                .getJsonArray("NodeNames")
                .size();
    }

    private static String args(String spec) {
        JsonObject pod = new JsonObject()
                .put(
                        "metadata",
                        new JsonObject()
                                .put("name", "p")
                                .put("namespace", "default")
                                .put("uid", "uid-p"))
                .put("spec", TestApiServer.spec(memory(3)).mergeIn(new JsonObject(spec.replace('\'', '"'))));
        return "{\"Pod\":" + pod.encode() + ",\"NodeNames\":[\"n1\",\"n2\",\"n3\"]}";
    }
}
