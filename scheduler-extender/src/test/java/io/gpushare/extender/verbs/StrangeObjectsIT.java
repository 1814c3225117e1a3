package io.gpushare.extender.verbs;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.running.RunningExtender;
import io.gpushare.extender.running.TestApiServer;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Objects that the API server keeps as a user wrote them, beside those of others. */
class StrangeObjectsIT {
    private static final int LEVELS = 1_500;

    @Test
    void aPodWithDeepManagedFieldsHidesNoOther(@TempDir Path folder) throws Exception {
        try (TestApiServer api = new TestApiServer()) {
            api.node("n1", TestApiServer.TWO_T4);
            api.put(deep("before"));
            api.pod("p", "uid-p", new JsonObject().put("aliyun.com/gpu-mem", "3"));
            try (RunningExtender extender = new RunningExtender(api.kubeconfig(folder), 1 << 20).ready()) {
                assertThat(extender.bind("p", "uid-p", "n1")).isEmpty();
                api.put(deep("meanwhile"));
                api.delete("p");
                await().until(() -> extender.ledger.podEntry("uid-p").isEmpty());
            }
        }
    }

    private static String deep(String name) {
        return """
            {"apiVersion": "v1", "kind": "Pod",
             "metadata": {"name": "%s", "namespace": "default", "uid": "uid-%s",
                          "creationTimestamp": "2026-01-01T00:00:00Z", "managedFields": [{"fieldsV1": %s}]},
             "spec": {"containers": [{"name": "main"}]}, "status": {"phase": "Pending"}}
            """.formatted(name, name, "{\"f:a\":".repeat(LEVELS) + "{}" + "}".repeat(LEVELS));
    }
}
