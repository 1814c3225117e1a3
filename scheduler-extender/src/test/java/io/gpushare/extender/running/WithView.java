package io.gpushare.extender.running;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.util.List;

/** Two nodes with cards and one without, and requests to the view. */
public abstract class WithView extends WithExtender {
    public static final String VIEW = "/gpushare-scheduler/v1/";
    public static final String UNHEALTHY = """
        {"version":1,"unitMiB":1024,"cards":[
          {"uuid":"GPU-x0","index":0,"minor":0,"model":"Tesla T4","memoryMiB":15360,"unhealthy":"Xid 79"},
          {"uuid":"GPU-x1","index":1,"minor":1,"model":"Tesla T4","memoryMiB":15360,"cordoned":true},
          {"uuid":"GPU-x2","index":2,"minor":2,"model":"Tesla T4","memoryMiB":15360}]}\
        """;

    @Override
    protected void fill(TestApiServer cluster) {
        cluster.node("a", TestApiServer.TWO_T4);
        cluster.node("b", UNHEALTHY);
        cluster.node("plain", null);
    }

    protected void memoryPod(String name, int units) {
        api.pod(name, "uid-" + name, limits(String.valueOf(units)));
        await().until(() -> extender.get(VIEW + "explain?pod=" + name).statusCode() == 200);
    }

    public static JsonObject limits(String units) {
        return new JsonObject().put("aliyun.com/gpu-mem", units);
    }

    protected JsonObject json(String path) throws Exception {
        HttpResponse<String> response = extender.get(VIEW + path);
        assertThat(response.statusCode()).isEqualTo(200);
        return new JsonObject(response.body());
    }

    protected String text(String path) throws Exception {
        HttpResponse<String> response = extender.get(VIEW + "text/" + path);
        assertThat(response.statusCode()).isEqualTo(200);
        return response.body();
    }

    public static List<String> names(JsonObject snapshot) {
        return snapshot.getJsonArray("nodes").stream()
                .map(node -> ((JsonObject) node).getString("name"))
                .toList();
    }

    public static JsonObject node(JsonObject snapshot, String name) {
        return snapshot.getJsonArray("nodes").stream()
                .map(node -> (JsonObject) node)
                .filter(node -> node.getString("name").equals(name))
                .findFirst()
                .orElseThrow();
    }
}
