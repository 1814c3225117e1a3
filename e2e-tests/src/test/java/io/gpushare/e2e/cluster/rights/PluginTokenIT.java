package io.gpushare.e2e.cluster.rights;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.e2e.cluster.ApiServer;
import io.gpushare.e2e.cluster.Await;
import io.gpushare.e2e.cluster.ClusterScenario;
import io.gpushare.e2e.cluster.Installation;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The policies of {@code deploy/admission}: the token of a node's device plugin changes nothing of other nodes. */
class PluginTokenIT extends ClusterScenario {
    private static final Duration IN_FORCE = Duration.ofSeconds(30);
    private static final String OTHER = "node-of-another-plugin";
    private static final String NODES = "/api/v1/nodes/";
    private static final String INVENTORY = "/metadata/annotations/gpushare.io~1inventory";
    private static final String PODS = "/api/v1/namespaces/default/pods/";
    private static final String LEASES = "/apis/coordination.k8s.io/v1/namespaces/" + Installation.LEASES + "/leases";
    private static final String POLICIES =
            ROOT.resolve("deploy/admission/programs.yaml").toString();
    private static final String REFUSAL =
            "the device plugin can change only its own node, with its Lease, its pods and its Events:"
                    + " this token is of node '%s', the object of node '%s'";

    private ApiServer api;

    @BeforeEach
    void protect() throws IOException {
        needs("pod-tokens");
        api = ApiServer.of(cluster.kubectl());
        cluster.kubectl().run("apply", "-f", POLICIES);
        created("/api/v1/nodes", """
            {"apiVersion":"v1","kind":"Node","metadata":{"name":"%s"}}\
            """.formatted(OTHER));
    }

    @AfterEach
    void unprotect() throws IOException {
        if (api != null) {
            cluster.kubectl().run("delete", "--ignore-not-found", "-f", POLICIES);
            // No kubelet ends it.
            api.send("DELETE", PODS + "on-" + OTHER + "?gracePeriodSeconds=0", "");
            api.send("DELETE", NODES + OTHER, "");
            api.close();
        }
    }

    @Test
    void theTokenOfADevicePluginChangesItsOwnNodeAlone() throws Exception {
        String own = cluster.node();
        aPodOn(own);
        aPodOn(OTHER);
        ApiServer plugin = api.withToken(token(true));
        Await.until(
                IN_FORCE,
                "the policies are in force",
                () -> annotate(plugin, NODES + OTHER + "/status", "gpushare.io/inventory", "{}"),
                answer -> !answer.succeeded());

        String inventory = api.get(NODES + own).body().at(INVENTORY).asText();
        for (String node : List.of(own, OTHER)) {
            List<ApiServer.Response> answers = List.of(
                    annotate(plugin, NODES + node + "/status", "gpushare.io/inventory", inventory + " "),
                    annotate(plugin, PODS + "on-" + node + "/status", "gpushare.io/allocation", "{}"),
                    plugin.send("POST", LEASES, lease(node, "")));
            for (ApiServer.Response answer : answers) {
                System.out.println("plugin of " + own + " changes node " + node + ": " + answer.code() + " "
                        + answer.body().path("message").asText());
            }
            if (node.equals(OTHER)) {
                assertThat(answers).allSatisfy(answer -> {
                    assertThat(answer.code()).isEqualTo(422);
                    assertThat(answer.body().path("message").asText()).contains(REFUSAL.formatted(own, OTHER));
                });
            } else {
                // Its Lease exists: the plugin itself has created it.
                assertThat(answers).extracting(ApiServer.Response::code).containsExactly(200, 200, 409);
                assertThat(answers.getFirst().body().at(INVENTORY).asText()).isEqualTo(inventory + " ");
            }
        }
        assertThat(plugin.send("PATCH", LEASES + "/" + own, lease(own, "gpushare.io/seen"))
                        .code())
                .isEqualTo(200);

        // A token that is bound to no pod names no node.
        ApiServer anywhere = api.withToken(token(false));
        for (String node : List.of(own, OTHER)) {
            assertThat(annotate(anywhere, NODES + node + "/status", "gpushare.io/inventory", inventory)
                            .body()
                            .path("message")
                            .asText())
                    .contains(REFUSAL.formatted("", node));
        }

        // The plugin itself continues to write.
        installation.cards(twoT4()[0]);
        allocatable(15, 1);
    }

    /** A token of the plugin's account: bound to the plugin's pod, as the kubelet requests it, or to nothing. */
    private String token(boolean bound) throws IOException {
        String account = OutsidePrograms.PLUGIN;
        var pod = cluster.kubectl()
                .json("-n", Installation.NAMESPACE, "get", "pods", "-l", "component=" + account)
                .at("/items/0/metadata");
        String to = """
            "boundObjectRef":{"apiVersion":"v1","kind":"Pod","name":"%s","uid":"%s"}\
            """.formatted(pod.path("name").asText(), pod.path("uid").asText());
        return created(
                        "/api/v1/namespaces/" + Installation.NAMESPACE + "/serviceaccounts/" + account + "/token",
                        """
                        {"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest","spec":{%s}}\
                        """.formatted(bound ? to : ""))
                .body()
                .at("/status/token")
                .textValue();
    }

    private ApiServer.Response created(String path, String document) throws IOException {
        ApiServer.Response answer = api.send("POST", path, document);
        assertThat(answer.code()).as(answer.body().toString()).isEqualTo(201);
        return answer;
    }

    /** Creates a pod without cards there. */
    private void aPodOn(String node) throws IOException {
        created("/api/v1/namespaces/default/pods", """
            {"apiVersion":"v1","kind":"Pod","metadata":{"name":"on-%1$s"},"spec":{"nodeName":"%1$s",
             "terminationGracePeriodSeconds":0,"containers":[{"name":"main","image":"%2$s",
              "imagePullPolicy":"IfNotPresent","command":["sleep","1000"]}]}}\
            """.formatted(node, cluster.workloadImage()));
    }

    private static String lease(String node, String annotation) {
        return """
            {"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"%s","annotations":{%s}}}\
            """.formatted(node, annotation.isEmpty() ? "" : "\"" + annotation + "\":\"\"");
    }

    private static ApiServer.Response annotate(ApiServer as, String path, String key, String value) {
        try {
            return as.send("PATCH", path, """
                {"metadata":{"annotations":{"%s":"%s"}}}\
                """.formatted(key, value.replace("\"", "\\\"")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
