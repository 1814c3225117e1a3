package io.gpushare.extender.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.running.RunningExtender;
import io.gpushare.extender.running.TestApiServer;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Before the cluster has been read the extender is alive but not ready, and no verb decides anything. */
class NotReadyIT {
    @Test
    void nothingIsDecidedBeforeTheClusterHasBeenRead(@TempDir Path folder) throws Exception {
        TestApiServer gone = new TestApiServer();
        Path kubeconfig = gone.kubeconfig(folder);
        gone.close();
        assertThat(Files.readString(kubeconfig)).contains("127.0.0.1");
        try (RunningExtender extender = new RunningExtender(kubeconfig, 1 << 20)) {
            assertThat(extender.get("/healthz").statusCode()).isEqualTo(200);
            assertThat(extender.get("/readyz").statusCode()).isEqualTo(503);
            String filter = extender.post("filter", "{\"Pod\":{},\"NodeNames\":[\"n1\"]}")
                    .body();
            assertThat(new JsonObject(filter).getString("Error")).contains("has not read the cluster");
            assertThat(new JsonObject(filter).getJsonArray("NodeNames")).isNull();
            assertThat(extender.bind("p", "uid-p", "n1")).contains("has not read the cluster");
            HttpResponse<String> preempt = extender.post("preempt", "{\"Pod\":{},\"NodeNameToMetaVictims\":{}}");
            assertThat(preempt.statusCode()).isEqualTo(503);
            assertThat(new JsonObject(preempt.body()).getString("error")).contains("has not read the cluster");
            HttpResponse<String> prioritize = extender.post("prioritize", "{\"Pod\":{},\"NodeNames\":[\"n1\"]}");
            assertThat(prioritize.statusCode()).isEqualTo(400);
            assertThat(new JsonObject(prioritize.body()).getString("error")).contains("has not read the cluster");
            String metrics = extender.get("/metrics").body();
            for (String verb : List.of("filter", "prioritize", "preempt", "bind")) {
                assertThat(metrics)
                        .contains("gpushare_extender_request_errors_total{reason=\"not_ready\",verb=\"" + verb
                                + "\"} 1.0");
            }
        }
    }
}
