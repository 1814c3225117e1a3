package io.gpushare.extender.view;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.running.TestApiServer;
import io.gpushare.extender.running.WithView;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Advice on moves over HTTP, with what the API server says about pods and budgets, and holds of cards. */
class DefragIT extends WithView {

    @Override
    protected void fill(TestApiServer cluster) {
        for (String node : new String[] {"n1", "n2"}) {
            cluster.node(node, TestApiServer.TWO_T4.replace("GPU-", "GPU-" + node + "-"));
            runs(cluster, node + "-a", node, "GPU-" + node + "-a", node.equals("n1") ? 4 : 9);
            runs(cluster, node + "-b", node, "GPU-" + node + "-b", 10);
        }
        cluster.pod("big", "uid-big", new JsonObject().put("aliyun.com/gpu-count", "1"));
        cluster.refused("big");
    }

    private static void runs(TestApiServer cluster, String name, String node, String card, int units) {
        cluster.pod(name, "uid-" + name, limits(String.valueOf(units)));
        // The others are bare pods, which stay.
        if (name.equals("n1-a")) {
            cluster.controlled(name, "ReplicaSet", "controller-of-" + name);
        }
        cluster.label(name, "app", name);
        cluster.boundByOther(
                name,
                node,
                Map.of(
                        "gpushare.io/allocation",
                        "{\"version\":1,\"unitMiB\":1024,\"containers\":[{\"name\":\"main\",\"memory\":{\"" + card
                                + "\":" + units + "}}]}"));
        cluster.runs(name, 1);
    }

    @Test
    void onePodMovedFreesACardAndFitsTheWaitingPod() throws Exception {
        JsonArray plans = json("defrag").getJsonArray("plans");
        assertThat(plans).hasSize(2);
        JsonObject freed = plans.getJsonObject(0).getJsonArray("freed").getJsonObject(0);
        assertThat(freed.getString("node")).isEqualTo("n1");
        assertThat(freed.getJsonArray("cards")).containsExactly("GPU-n1-a");
        JsonObject move = freed.getJsonArray("moves").getJsonObject(0);
        assertThat(move.getString("name")).isEqualTo("n1-a");
        assertThat(move.getString("controller")).isEqualTo("ReplicaSet");
        assertThat(plans.getJsonObject(1).getJsonObject("for").getString("name"))
                .isEqualTo("big");
        assertThat(json("defrag").getBoolean("budgetsChecked")).isTrue();
        assertThat(text("defrag?pod=big"))
                .startsWith("Pod default/big: moving 1 pod makes it fit on node n1:\n")
                .contains("default/n1-a  ReplicaSet  n1", "n1 GPU0")
                .endsWith("""

                    Nothing was moved. These commands move the pods; run them one after the other (where a wait takes more \
                    than two minutes, repeat the last annotate meanwhile; before Kubernetes 1.22 the Eviction is of \
                    policy/v1beta1):
                    kubectl annotate node n1 "gpushare.io/hold=run=by-hand;renewed=$(date +%s);cards=GPU-n1-a"
                    echo '{"apiVersion":"policy/v1","kind":"Eviction","metadata":{"namespace":"default","name":"n1-a"},\
                    "deleteOptions":{"preconditions":{"uid":"uid-n1-a"}}}' | kubectl create -f - --raw \
                    /api/v1/namespaces/default/pods/n1-a/eviction
                    # wait until the new pod of its ReplicaSet is placed: kubectl get pods -n default -o wide
                    kubectl annotate node n1 --overwrite "gpushare.io/hold=run=by-hand;renewed=$(date +%s);pod=uid-big"
                    # wait until pod default/big is placed
                    kubectl annotate node n1 gpushare.io/hold-
                    """);
        assertThat(text("defrag"))
                .startsWith("Moving 1 pod frees 1 whole card:\n")
                .doesNotContain("PodDisruptionBudgets were not checked");
        assertThat(text("defrag?pod=none"))
                .isEqualTo("error: no pod \"none\" in namespace default waits for GPU cards\n");
        assertThat(api.evicted()).isEmpty();
    }

    @Test
    void podsThatBudgetsProtectStay() throws Exception {
        api.budget("pdb", "n1-a", 0);
        assertThat(text("defrag?pod=big")).startsWith("Pod default/big: no moves help: the pods that would have to be");
        api.mayEvict(false);
        assertThat(text("defrag?pod=big")).contains("moving 1 pod", "PodDisruptionBudgets were not checked");
        assertThat(api.evicted()).isEmpty();
    }

    @Test
    void podsWhoseNewPlaceOnlyKubeSchedulerKnowsStayAndTaintsAreHeeded() throws Exception {
        api.spec("n1-a", "{\"volumes\":[{\"name\":\"data\",\"persistentVolumeClaim\":{\"claimName\":\"data\"}}]}");
        assertThat(text("defrag?pod=big")).contains("no moves help");
        api.spec("n1-a", "{\"volumes\":[],\"nodeSelector\":{\"zone\":\"none\"}}");
        assertThat(text("defrag?pod=big")).contains("no moves help");
        api.spec("n1-a", "{\"nodeSelector\":{}}");
        assertThat(text("defrag?pod=big")).contains("moving 1 pod");
        api.spec("big", "{\"nodeSelector\":{\"zone\":\"none\"}}");
        assertThat(text("defrag?pod=big")).contains("no moves help");
    }

    @Test
    void heldCardsAcceptNoPodsUntilTheHoldIsRemovedOrTheirPodComes() throws Exception {
        api.hold("n1", "run=r;renewed=1;cards=GPU-n1-a");
        await().until(() -> text("top?node=n1").contains("held"));
        JsonObject card = node(json("cluster"), "n1").getJsonArray("cards").getJsonObject(0);
        assertThat(card.getBoolean("held")).isTrue();
        assertThat(card.containsKey("cordoned")).isFalse();
        memoryPod("small", 11);
        assertThat(extender.bind("small", "uid-small", "n1")).contains("Insufficient GPU Memory in one device");
        assertThat(text("defrag?pod=big"))
                .as("on a node where pods are moved already")
                .contains("no moves help");
        api.delete("n1-a");
        await().until(() -> extender.ledger.podEntry("uid-n1-a").isEmpty());
        assertThat(extender.bind("small", "uid-small", "n1")).contains("Insufficient GPU Memory in one device");

        api.hold("n1", "run=r;renewed=2;pod=uid-big");
        await().until(() -> !text("top?node=n1").contains("held"));
        assertThat(extender.bind("small", "uid-small", "n1"))
                .as("the card waits for the other pod, which is as important")
                .contains("Insufficient GPU Memory in one device");
        assertThat(extender.bind("big", "uid-big", "n1")).isEmpty();
        api.hold("n1", null);
    }
}
