package io.gpushare.extender.verbs;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.running.TestApiServer;
import io.gpushare.extender.running.WithSharedExtender;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The verb filter in kube-scheduler's bytes, over real HTTP. */
class FilterIT extends WithSharedExtender {
    private static final String MEMORY = "Insufficient GPU Memory in one device";

    @Test
    void filterByNamesRespondsInCapitalsWithConstantReasons() throws Exception {
        HttpResponse<String> response = extender.post(
                "filter", "{\"Pod\":" + POD + ",\"Nodes\":null,\"NodeNames\":[\"n1\",\"cpu\",\"odd\",\"gone\"]}");
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("Content-Type")).contains("application/json");
        String none = "node is not a GPU share node: it has no inventory of cards"
                + " (is the GPU share device plugin running there?)";
        String odd = "node's inventory of cards can't be read"
                + " (see the extender's log, and the version of the device plugin there)";
        String failed = "{\"cpu\":\"" + none + "\",\"odd\":\"" + odd
                + "\",\"gone\":\"node is not known to the GPU share extender\"}";
        assertThat(response.body())
                .isEqualTo("{\"NodeNames\":[\"n1\"],\"Nodes\":null,\"FailedNodes\":" + failed
                        + ",\"FailedAndUnresolvableNodes\":" + failed + ",\"Error\":\"\"}");
    }

    @Test
    void filterAcceptsLowerCaseNamesAndIgnoresUnknownFields() throws Exception {
        assertThat(extender.post(
                                "filter",
                                "{\"new\":[{\"a\":1}],\"nodenames\":[\"n1\"],\"nodes\":null,\"pod\":" + POD + "}")
                        .body())
                .startsWith("{\"NodeNames\":[\"n1\"],\"Nodes\":null,\"FailedNodes\":{}");
    }

    @Test
    void filterUsesTheSentenceThatUsersSearchForAndAllowsPreemption() throws Exception {
        api.node("full", TestApiServer.TWO_T4);
        await().until(() -> extender.ledger.state().node("full").isPresent());
        for (String name : List.of("x", "y")) {
            api.pod(name, "uid-" + name, new JsonObject().put("aliyun.com/gpu-mem", "15"));
            assertThat(extender.bind(name, "uid-" + name, "full")).isEmpty();
        }
        assertThat(extender.post("filter", args(POD, "\"full\"")).body())
                .isEqualTo("{\"NodeNames\":[],\"Nodes\":null,\"FailedNodes\":{\"full\":\"" + MEMORY
                        + "\"},\"FailedAndUnresolvableNodes\":{},\"Error\":\"\"}");
        api.node("full", null);
    }

    @Test
    void filterReportsNodesWhereNoEvictionHelps() throws Exception {
        String impossible = "No card is large enough, even when empty: needs a scale-up";
        String big = POD.replace("\"3\"", "\"16\"");
        assertThat(extender.post("filter", args(big, "\"n1\",\"n2\"")).body())
                .isEqualTo("{\"NodeNames\":[],\"Nodes\":null,\"FailedNodes\":{\"n1\":\"" + impossible + "\",\"n2\":\""
                        + impossible
                        + "\"},\"FailedAndUnresolvableNodes\":{\"n1\":\"" + impossible + "\",\"n2\":\"" + impossible
                        + "\"},\"Error\":\"\"}");
        String three = POD.replace("aliyun.com/gpu-mem", "aliyun.com/gpu-count");
        assertThat(new JsonObject(extender.post("filter", args(three, "\"n1\"")).body())
                        .getJsonObject("FailedAndUnresolvableNodes")
                        .getString("n1"))
                .isEqualTo("The node has fewer GPU cards than the pod requests: needs a scale-up");
    }

    @Test
    void whereAnotherNodeCouldTakeThePodNoScaleUpIsNeeded() throws Exception {
        api.node("large", TestApiServer.TWO_T4.replace("15360", "40960"));
        await().until(() -> extender.ledger.state().node("large").isPresent());
        String big = POD.replace("\"3\"", "\"16\"");
        assertThat(extender.post("filter", args(big, "\"n1\"")).body())
                .contains("\"n1\":\"No card is large enough, even when empty\"");
        api.node("large", null);
    }

    @Test
    void filterOfCompleteNodesReturnsTheSameBytes() throws Exception {
        String n1 = "{\"metadata\":{\"name\":\"n1\",\"labels\":{\"größe\":\"ü 😀\"}},\"status\":{\"x\":[1,2.50,null]}}";
        String cpu = "{\"status\":{}, \"metadata\":{\"name\":\"cpu\"}}";
        String n2 = "{\"metadata\":{\"name\":\"n2\"}}";
        String nodes =
                ",\"Nodes\":{\"metadata\":{},\"items\":[" + n1 + " ,\n" + cpu + "," + n2 + "]},\"NodeNames\":null}";
        String begin = "{\"NodeNames\":null,\"Nodes\":{\"metadata\":{},\"items\":[";
        String withoutCards = POD.replace("aliyun.com/gpu-mem", "example.com/other");
        assertThat(extender.post("filter", "{\"Pod\":" + withoutCards + nodes).body())
                .startsWith(begin + n1 + "," + cpu + "," + n2 + "]}");

        String body = extender.post("filter", "{\"Pod\":" + POD + nodes).body();
        JsonObject failed = new JsonObject(body).getJsonObject("FailedNodes");
        assertThat(failed.fieldNames()).hasSize(2).contains("cpu");
        boolean first = failed.containsKey("n2");
        assertThat(failed.getString(first ? "n2" : "n1")).isEqualTo("not chosen");
        assertThat(body).startsWith(begin + (first ? n1 : n2) + "]}");
    }

    @Test
    void filterOfNoNodesReturnsNone() throws Exception {
        assertThat(extender.post("filter", args(POD, "")).body())
                .isEqualTo("{\"NodeNames\":[],\"Nodes\":null,\"FailedNodes\":{},\"FailedAndUnresolvableNodes\":{},"
                        + "\"Error\":\"\"}");
        assertThat(extender.post("filter", "{\"Pod\":" + POD + ",\"Nodes\":{\"metadata\":{},\"items\":null}}")
                        .body())
                .contains("\"Nodes\":{\"metadata\":{},\"items\":[]}")
                .contains("\"Error\":\"\"");
    }

    @Test
    void aMisspeltAnnotationIsNotIgnored() throws Exception {
        String misspelt = POD.replace(
                "\"metadata\":{", "\"metadata\":{\"annotations\":{\"gpushare.io/sellect\":\"model = A100\"},");
        JsonObject response =
                new JsonObject(extender.post("filter", args(misspelt, "\"n1\"")).body());
        assertThat(response.getJsonArray("NodeNames")).isEmpty();
        assertThat(response.getJsonObject("FailedNodes").getString("n1"))
                .contains("'gpushare.io/sellect' is unknown; did you mean gpushare.io/select?");
    }

    @Test
    void aContainerThatRequestsBothResourcesIsUnresolvableOnEveryNode() throws Exception {
        String both = POD.replace("\"limits\":{", "\"limits\":{\"aliyun.com/gpu-count\":\"1\",");
        JsonObject response = new JsonObject(
                extender.post("filter", args(both, "\"n1\",\"cpu\"")).body());
        assertThat(response.getJsonArray("NodeNames")).isEmpty();
        assertThat(response.getJsonObject("FailedNodes").getString("n1"))
                .contains("container 'main' requests aliyun.com/gpu-mem and aliyun.com/gpu-count")
                .isEqualTo(response.getJsonObject("FailedAndUnresolvableNodes").getString("cpu"));
    }

    @Test
    void aPodWithoutRequestsFitsEverywhere() throws Exception {
        assertThat(extender.post("filter", args(POD.replace("\"3\"", "\"0\""), "\"n1\",\"gone\""))
                        .body())
                .startsWith("{\"NodeNames\":[\"n1\",\"gone\"]");
    }

    @Test
    void initContainersAndSidecarsCountAsKubernetesCountsThem() throws Exception {
        String inits = POD.replace(
                "\"containers\":",
                "\"initContainers\":[{\"name\":\"side\",\"restartPolicy\":\"Always\",\"resources\":{\"limits\":"
                        + "{\"aliyun.com/gpu-mem\":\"%s\"}}}],\"containers\":");
        assertThat(extender.post("filter", args(inits.formatted("12"), "\"n1\""))
                        .body())
                .startsWith("{\"NodeNames\":[\"n1\"]");
        assertThat(extender.post("filter", args(inits.formatted("13"), "\"n1\""))
                        .body())
                .contains("No card is large enough, even when empty");
    }

    @Test
    void fiveThousandNamesGetAResponse() throws Exception {
        StringBuilder names = new StringBuilder();
        for (int i = 0; i < 5000; i++) {
            names.append(i == 0 ? "" : ",")
                    .append("\"node-with-a-long-name-")
                    .append(i)
                    .append(".example\"");
        }
        JsonObject response = new JsonObject(
                extender.post("filter", args(POD, names.toString())).body());
        assertThat(response.getJsonObject("FailedNodes").size()).isEqualTo(5000);
    }
}
