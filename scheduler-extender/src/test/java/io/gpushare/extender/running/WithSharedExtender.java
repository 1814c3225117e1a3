package io.gpushare.extender.running;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** Starts an API server and an extender for all tests of a class, and sends kube-scheduler's bytes. */
public abstract class WithSharedExtender {
    // As kube-scheduler 1.36 sends it: capitalised names without tags, the pod in ordinary Kubernetes JSON.
    public static final String POD = """
        {"metadata":{"name":"p","namespace":"default","uid":"uid-p","creationTimestamp":"2026-11-20T12:00:00Z",\
        "labels":{"app":"x"},"annotations":null},"spec":{"volumes":[{"name":"v","emptyDir":{}}],\
        "containers":[{"name":"main","image":"i","env":[{"name":"SECRET","value":"hush"}],\
        "resources":{"limits":{"aliyun.com/gpu-mem":"3"},"requests":{"aliyun.com/gpu-mem":"3"}}}],\
        "restartPolicy":"Always"},"status":{"phase":"Pending"}}\
        """;
    public static final int MAX_BODY = 1 << 20;

    public static TestApiServer api;
    public static RunningExtender extender;

    @BeforeAll
    public static void start(@TempDir Path folder) throws Exception {
        api = new TestApiServer();
        api.node("n1", TestApiServer.TWO_T4);
        api.node("n2", TestApiServer.TWO_T4);
        api.node("n3", TestApiServer.TWO_T4);
        api.node("cpu", null);
        api.node("odd", "{\"version\":99}");
        extender = new RunningExtender(api.kubeconfig(folder), MAX_BODY).ready();
    }

    @AfterAll
    public static void stop() throws Exception {
        extender.close();
        api.close();
    }

    public static String args(String pod, String names) {
        return "{\"Pod\":" + pod + ",\"Nodes\":null,\"NodeNames\":[" + names + "]}";
    }
}
