package io.gpushare.e2e.cluster.claims;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpushare.e2e.cluster.ApiServer;
import io.gpushare.e2e.cluster.Await;
import io.gpushare.e2e.cluster.Installation;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What tenants, and whoever has a node's token, tried to close cards of others with. */
class OutsidersIT extends ClaimsScenario {
    private static final String GROUP = "/apis/resource.k8s.io/v1";
    private static final String CLAIMS = GROUP + "/namespaces/default/resourceclaims?dryRun=All";
    private static final String TEMPLATES = GROUP + "/namespaces/default/resourceclaimtemplates?dryRun=All";

    private ApiServer api;

    @BeforeEach
    void connect() {
        api = ApiServer.of(cluster.kubectl());
    }

    @AfterEach
    void disconnect() {
        api.close();
    }

    private static String claim(String capacity, String form) {
        String request = "{\"name\":\"gpu\","
                + form.formatted("\"deviceClassName\":\"gpushare\",\"capacity\":{\"requests\":{" + capacity + "}}")
                + "}";
        return "{\"devices\":{\"requests\":[" + request + "]}}";
    }

    private List<ApiServer.Response> amount(String amount) throws IOException {
        String one = claim("\"memory\":\"" + amount + "\"", "\"exactly\":{%s}");
        String several = claim("\"memory\":\"" + amount + "\"", "\"firstAvailable\":[{\"name\":\"a\",%s}]");
        return List.of(
                api.send("POST", CLAIMS, "{\"metadata\":{\"name\":\"huge\"},\"spec\":" + one + "}"),
                api.send("POST", CLAIMS, "{\"metadata\":{\"name\":\"huge\"},\"spec\":" + several + "}"),
                api.send("POST", TEMPLATES, "{\"metadata\":{\"name\":\"huge\"},\"spec\":{\"spec\":" + several + "}}"));
    }

    /** kube-scheduler rounds each of them up to a negative amount, to 0, or to one unit. */
    @Test
    void amountsThatOverflowInKubeSchedulerAreRefused() throws IOException {
        for (String amount : List.of("8Ei", "1e19", "18446744074783293440", "9223372036854775807", "2Pi")) {
            for (ApiServer.Response answer : amount(amount)) {
                System.out.println("claims: " + amount + ": " + answer.code() + " "
                        + answer.body().path("message").asText());
                assertThat(answer.code()).isEqualTo(422);
                assertThat(answer.body().path("message").asText()).contains("more than any card has");
            }
        }
        assertThat(amount("1Pi")).extracting(ApiServer.Response::code).containsOnly(201);
        assertThat(amount("3Gi")).extracting(ApiServer.Response::code).containsOnly(201);
    }

    @Test
    void aTokenOfANodeWritesNoSliceInAnotherNodesPool() throws IOException {
        JsonNode pod = cluster.kubectl()
                .json("-n", Installation.NAMESPACE, "get", "pods", "-l", "component=gpu-share-claims")
                .at("/items/0/metadata");
        String path = "/api/v1/namespaces/" + Installation.NAMESPACE + "/serviceaccounts/gpu-share-device-plugin/token";
        ApiServer plugin = api.withToken(api.send("POST", path, """
            {"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest","spec":{"boundObjectRef":
             {"apiVersion":"v1","kind":"Pod","name":"%s","uid":"%s"}}}
            """.formatted(
                                pod.path("name").asText(), pod.path("uid").asText()))
                .body()
                .at("/status/token")
                .textValue());
        for (String pool : List.of("victim", cluster.node())) {
            ApiServer.Response answer =
                    plugin.send("POST", GROUP + "/resourceslices?dryRun=All", """
                        {"metadata":{"name":"%1$s-gpushare.io-99"},"spec":{"driver":"gpushare.io","nodeName":"%1$s",
                         "pool":{"name":"%2$s","generation":1,"resourceSliceCount":1},"devices":[{"name":"gpu-x"}]}}
                        """.formatted(cluster.node(), pool));
            System.out.println("claims: a slice in pool " + pool + ": " + answer.code() + " "
                    + answer.body().path("message").asText());
            assertThat(answer.code()).isEqualTo(pool.equals("victim") ? 422 : 201);
        }
    }

    private static String resources(String name, String node, String resource) {
        return """
            apiVersion: v1
            kind: Pod
            metadata: {name: %s, namespace: default}
            spec:
              terminationGracePeriodSeconds: 1
              %s
              containers:
                - name: main
                  image: %s
                  imagePullPolicy: IfNotPresent
                  command: [sleep, "100000"]
                  resources: {limits: {%s}}
            """.formatted(name, node, cluster.workloadImage(), resource);
    }

    /** Each of them closed the node until it ended. */
    @Test
    void aRestartOfTheDriverHoldsNothingForPodsWithoutADeviceOfTheDevicePlugin() {
        cluster.kubectl().apply(resources("class", "", "aliyun.com/gpu-count: 1"));
        cluster.kubectl().apply(resources("named", "nodeName: " + cluster.node(), "aliyun.com/gpu-mem: 1"));
        pods.running("class");
        Await.until(
                PATIENCE,
                "the kubelet has decided on the pod with nodeName",
                () -> pods.pod("named").at("/status/phase").asText(),
                phase -> !phase.equals("Pending"));
        System.out.println("claims: the pod with nodeName: " + pods.pod("named").path("status"));
        JsonNode before = pods.pod("class");
        cluster.kubectl().run("-n", Installation.NAMESPACE, "rollout", "restart", DRIVER);
        cluster.kubectl().run(PATIENCE, "-n", Installation.NAMESPACE, "rollout", "status", DRIVER);
        long began = System.nanoTime();
        Await.until(Duration.ofSeconds(60), "both cards are offered", ClaimsScenario::offered, all -> all.size() == 2);
        System.out.printf(
                "claims: both cards offered %d ms after the driver was ready%n",
                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began));
        create("next", "card");
        pods.running("next");
        assertThat(cluster.kubectl().json("-n", "default", "get", "events").toString())
                .doesNotContain("GpuCardsHeld");
        undisturbed(before);
    }
}
