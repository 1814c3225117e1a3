package io.gpushare.extender.verbs;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.ledger.Holding.Standing;
import io.gpushare.extender.ledger.LedgerCounts;
import io.gpushare.extender.running.TestApiServer;
import io.gpushare.extender.running.WithView;
import io.gpushare.model.card.ShareKind;
import io.gpushare.model.request.ResourceNames;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Cores beside memory, over real HTTP on both sides. */
class CoresIT extends WithView {
    private static final String CORES = "aliyun.com/gpu-core.percentage";
    private static final String INSUFFICIENT = "Insufficient GPU cores in one device";
    private static final String NO_LIMITS =
            "No GPU card of the node limits cores: its device plugin needs --core-resource and --isolation=mps or"
                    + " hami-core";
    private static final String MPS = """
        {"version":1,"unitMiB":1024,"cores":true,"cards":[
          {"uuid":"GPU-m","index":0,"minor":0,"model":"Tesla T4","memoryMiB":15360,"isolation":"mps"}]}\
        """;

    @Override
    protected ResourceNames names() {
        return ResourceNames.DEFAULT.with(ShareKind.CORES, CORES);
    }

    @Override
    protected void fill(TestApiServer cluster) {
        cluster.node("mps", MPS);
        cluster.node("driver", MPS.replace("GPU-m", "GPU-d").replace("mps", "driver"));
        cluster.node("off", MPS.replace("GPU-m", "GPU-o").replace("\"cores\":true,", ""));
    }

    @Test
    void thirtyAndFortyAndThirtyFitOnOneCardAndThirtyOneDoNot() throws Exception {
        assertThat(filter("a", 2, "30")
                        .getJsonObject("FailedAndUnresolvableNodes")
                        .getMap())
                .isEqualTo(Map.of("driver", NO_LIMITS, "off", NO_LIMITS));
        assertThat(bind("a")).isEmpty();
        filter("b", 2, "40");
        assertThat(bind("b")).isEmpty();

        JsonObject refused = filter("c", 2, "31");
        assertThat(refused.getJsonArray("NodeNames")).isEmpty();
        assertThat(refused.getJsonObject("FailedNodes").getMap()).containsEntry("mps", INSUFFICIENT);
        assertThat(bind("c")).isEqualTo(INSUFFICIENT);
        assertThat(extender.bind("c", "uid-c", "driver")).isEqualTo(NO_LIMITS);
        assertThat(text("why?pod=c&limit=10"))
                .contains(
                        "requests 2 GiB of memory on one card and 31% of its cores",
                        INSUFFICIENT,
                        "at most 30% of the cores free on one card, 31% needed",
                        "do not limit cores, which needs --core-resource and --isolation=mps or hami-core",
                        "30% of the cores free, 31% needed",
                        "does not limit cores: isolation driver is in force, and mps or hami-core is needed",
                        "does not limit cores: its device plugin has no --core-resource");
        api.delete("c");

        assertThat(filter("d", 2, "30").getJsonArray("NodeNames")).containsExactly("mps");
        assertThat(bind("d")).isEmpty();
        assertThat(filter("e", 2, "1").getJsonObject("FailedNodes").getMap()).containsEntry("mps", INSUFFICIENT);
        assertThat(filter("f", 9, "0").getJsonArray("NodeNames")).hasSize(1);
        assertThat(api.bindings().getFirst().toString()).contains("\\\"cores\\\":{\\\"GPU-m\\\":30}");
        assertThat(text("top?node=mps")).contains("6 GiB, 100% of the cores");
        assertThat(text("top-pods")).contains("mps, 40% of the cores");
        assertThat(node(json("nodes?names=mps"), "mps").toString())
                .contains("\"allocatedCoresPercent\":100", "\"coresPercent\":40");
        assertThat(extender.get("/metrics").body())
                .contains("gpushare_extender_filtered_nodes_total{outcome=\"no_card_with_cores\"}");
    }

    @Test
    void whatAContainerMayUseWithoutARequestIsShownAndTakesNothingFromRequests() throws Exception {
        api.node(
                "mps",
                MPS.replace(
                        "\"isolation\":\"mps\"",
                        "\"reservedMiB\":447,\"isolation\":\"mps\",\"headroomMiB\":617,\"defaultCores\":\"memory\""));
        await().until(() -> json("nodes?names=mps").toString().contains("headroomMiB"));
        filter("a", 7, "0");
        assertThat(extender.bind("a", "uid-a", "mps")).isEmpty();
        filter("b", 2, "40");
        assertThat(bind("b")).isEmpty();

        assertThat(text("top-pods")).contains("mps, 50% of the cores", "mps, 40% of the cores");
        assertThat(text("top?node=mps")).contains("9 GiB, 40% of the cores");
        assertThat(node(json("nodes?names=mps"), "mps").toString())
                .contains(
                        "\"reservedMiB\":447,\"headroomMiB\":617,\"units\":14",
                        "\"units\":7,\"coresCapPercent\":50",
                        "\"coresPercent\":40,\"coresCapPercent\":40",
                        "\"allocatedCoresPercent\":40");
        assertThat(filter("c", 2, "60").getJsonArray("NodeNames")).containsExactly("mps");
    }

    @Test
    void whatNoCardCanGiveIsRefusedWithASentence() throws Exception {
        assertThat(filter("a", 0, "30").getJsonObject("FailedNodes").getString("mps"))
                .startsWith("container 'main' requests " + CORES + " without aliyun.com/gpu-mem: ");
        assertThat(filter("b", 2, "101").getJsonObject("FailedNodes").getString("mps"))
                .startsWith("the pod requests 101 percent in " + CORES);
        assertThat(bind("b")).startsWith("the pod requests 101 percent in " + CORES);
        assertThat(api.bindings()).isEmpty();
    }

    @Test
    void theCoresOfAPodThatEndsAreFreeAndAnEditedAnnotationFreesNone() throws Exception {
        filter("a", 2, "100");
        assertThat(bind("a")).isEmpty();
        await().until(() -> LedgerCounts.of(extender.placer.ledger()).holding(Standing.SEEN) == 1);
        api.boundByOther(
                "a",
                "mps",
                Map.of(
                        "gpushare.io/allocation",
                        "{\"version\":1,\"unitMiB\":1024,\"containers\":[{\"name\":\"main\",\"memory\":{\"GPU-m\":2}}]}"));
        await().until(() -> extender.ledger.rejectedAnnotations() > 0);
        assertThat(filter("b", 2, "1").getJsonObject("FailedNodes").getMap()).containsEntry("mps", INSUFFICIENT);

        api.phase("a", "Succeeded");
        await().until(() -> !filter("b", 2, "100").getJsonArray("NodeNames").isEmpty());
    }

    private String bind(String name) throws Exception {
        return extender.bind(name, "uid-" + name, "mps");
    }

    /** Creates the pod and returns the response of filter. */
    private JsonObject filter(String name, int units, String percent) throws Exception {
        JsonObject limits = new JsonObject().put(CORES, percent);
        if (units > 0) {
            limits.put("aliyun.com/gpu-mem", String.valueOf(units));
        }
        api.pod(name, "uid-" + name, limits);
        await().until(() -> extender.get(VIEW + "explain?pod=" + name).statusCode() == 200);
        JsonObject args = new JsonObject()
                .put("Pod", api.object("default/" + name))
                .put("NodeNames", new JsonArray().add("mps").add("driver").add("off"));
        return new JsonObject(extender.post("filter", args.encode()).body());
    }
}
