package io.gpushare.extender.verbs;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.ledger.Holding.Standing;
import io.gpushare.extender.ledger.LedgerCounts;
import io.gpushare.extender.running.TestApiServer;
import io.gpushare.extender.running.WithExtender;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Card selection and split memory, over real HTTP on both sides. */
class KindsIT extends WithExtender {
    private static final String V100_AND_T4 = """
        {"version":1,"unitMiB":1024,"driver":"550.54.15","cuda":"12.4","cards":[
          {"uuid":"GPU-t0","index":0,"minor":0,"model":"Tesla T4","memoryMiB":15360,"compute":"7.5"},
          {"uuid":"GPU-v","index":1,"minor":1,"model":"Tesla V100-SXM2-32GB","memoryMiB":32768,"compute":"7.0"},
          {"uuid":"GPU-t2","index":2,"minor":2,"model":"Tesla T4","memoryMiB":15360,"compute":"7.5"}]}\
        """;
    private static final String NO_MATCH = "No GPU card matches the pod's card selection";

    @Override
    protected void fill(TestApiServer cluster) {
        cluster.node("mixed", V100_AND_T4);
        cluster.node("t4s", TestApiServer.TWO_T4);
    }

    @Test
    void aSelectorPicksTheNodeAndTheCard() throws Exception {
        JsonObject filtered = filter("p", 3, "gpushare.io/select", "model = V100, memory >= 32G");
        assertThat(filtered.getJsonArray("NodeNames")).containsExactly("mixed");
        assertThat(filtered.getJsonObject("FailedAndUnresolvableNodes").getMap())
                .isEqualTo(Map.of("t4s", NO_MATCH));
        assertThat(extender.bind("p", "uid-p", "t4s")).isEqualTo(NO_MATCH);
        assertThat(bind("p", "mixed")).contains("{\"GPU-v\":3}");
    }

    @Test
    void annotationsOfHamiAndOursApplyTogether() throws Exception {
        filter("p", 3, "nvidia.com/nouse-gputype", "V100,A100", "gpushare.io/select", "uuid != GPU-t0");
        assertThat(bind("p", "mixed")).contains("{\"GPU-t2\":3}");
    }

    @Test
    void aMalformedSelectorFailsFilterAndBindWithItsPosition() throws Exception {
        String sentence =
                "annotation gpushare.io/select: at character 9 ('> 7'): write a compute capability such as 8.0";
        JsonObject filtered = filter("p", 3, "gpushare.io/select", "compute>> 7");
        assertThat(filtered.getJsonArray("NodeNames")).isEmpty();
        for (String failed : new String[] {"FailedNodes", "FailedAndUnresolvableNodes"}) {
            assertThat(filtered.getJsonObject(failed).getMap()).hasSize(2).containsEntry("mixed", sentence);
        }
        assertThat(extender.bind("p", "uid-p", "mixed")).isEqualTo(sentence);
        assertThat(api.bindings()).isEmpty();
    }

    @Test
    void splitMemoryIsWrittenByCardWithoutGpusharesAnnotations() throws Exception {
        filter("p", 8, "gpushare.io/cards", "2", "gpushare.io/select", "model = T4");
        assertThat(bind("p", "mixed")).contains("\"GPU-t0\":4", "\"GPU-t2\":4");
        assertThat(api.bindings()
                        .getFirst()
                        .getJsonObject("metadata")
                        .getJsonObject("annotations")
                        .fieldNames())
                .containsExactly("gpushare.io/allocation");
        await().until(() -> LedgerCounts.of(extender.placer.ledger()).holding(Standing.SEEN) == 1);

        assertThat(filter("q", 24, "gpushare.io/cards", "2").getJsonArray("NodeNames"))
                .containsExactly("t4s");
        assertThat(filter("r", 30, "gpushare.io/cards", "3")
                        .getJsonObject("FailedAndUnresolvableNodes")
                        .getMap())
                .isEqualTo(Map.of("t4s", "The node has fewer GPU cards than the pod requests"));
    }

    /** Creates the pod and returns the response of filter. */
    private JsonObject filter(String name, int units, String... annotations) throws Exception {
        JsonObject limits = new JsonObject().put("aliyun.com/gpu-mem", String.valueOf(units));
        JsonObject annotated = new JsonObject();
        for (int i = 0; i < annotations.length; i += 2) {
            annotated.put(annotations[i], annotations[i + 1]);
        }
        api.pod(name, "uid-" + name, limits, annotated);
        JsonObject args = new JsonObject()
                .put("Pod", api.object("default/" + name))
                .put("NodeNames", new JsonArray().add("mixed").add("t4s"));
        return new JsonObject(extender.post("filter", args.encode()).body());
    }

    private String bind(String pod, String node) throws Exception {
        assertThat(extender.bind(pod, "uid-" + pod, node)).isEmpty();
        return api.bindings()
                .getLast()
                .getJsonObject("metadata")
                .getJsonObject("annotations")
                .getString("gpushare.io/allocation");
    }
}
