package io.gpushare.extender.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.running.Authority;
import io.gpushare.extender.running.RawHttp;
import io.gpushare.extender.running.TestApiServer;
import io.gpushare.extender.running.WithExtender;
import io.gpushare.kubernetes.KubernetesApi;
import io.gpushare.simulated.patience.Patience;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.PemKeyCertOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The names under which the view is served over plain HTTP, so that no other web page can read it. */
class HostIT extends WithExtender {
    private static final String NODE = "gpu-1.nodes.example.org";
    private static final String[] PATHS = {"/ui/", "/gpushare-scheduler/v1/cluster", "/gpushare-scheduler/inspect"};

    @Override
    protected void fill(TestApiServer cluster) {
        cluster.node(NODE, TestApiServer.TWO_T4);
    }

    private RawHttp.Response get(String path, String host) throws IOException {
        try (RawHttp http = new RawHttp(extender.port())) {
            return http.exchange("GET", path, host, new byte[0]);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "evil.example",
                "EVIL.example:32766",
                "evil.example.",
                "x.svc.evil.example",
                "127.0.0.1.evil.example",
                "localhost.evil.example",
                "gpushare-schd-extender.com",
                "evil.example.kube-system"
            })
    void aPageOfAnotherSiteReadsNothing(String host) throws IOException {
        for (String path : PATHS) {
            RawHttp.Response response = get(path, host);
            assertThat(response.status()).as(path).isEqualTo(421);
            assertThat(response.body()).contains("name it in --view-hosts").doesNotContain(NODE);
        }
        RawHttp.Response text = get("/gpushare-scheduler/v1/text/summary", host);
        assertThat(text.status()).as("kubectl drops the body of others").isEqualTo(200);
        assertThat(text.body()).startsWith("error: the view is not served under the name ");
    }

    @Test
    void aNameLongerThanAnyOfDnsIsRefused() throws IOException {
        RawHttp.Response response = get(PATHS[1], "a".repeat(300));
        assertThat(response.status()).isEqualTo(421);
        assertThat(response.body()).hasSizeLessThan(600);
    }

    /** By address; kubectl port-forward; pods of the cluster; a node's name and its NodePort; the option. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "10.0.0.7:32766",
                "[fd00::7]:32766",
                "localhost:8001",
                "gpushare-schd-extender:12345",
                "gpushare-schd-extender.kube-system.svc:12345",
                "gpushare-schd-extender.kube-system.svc.cluster.local",
                "gpushare-schd-extender.kube-system.svc.cluster.local.:12345",
                "gpushare-schd-extender.kube-system:12345",
                NODE + ":32766",
                "GPU.example"
            })
    void itsOwnNamesAreServed(String host) throws IOException {
        for (String path : PATHS) {
            assertThat(get(path, host).status()).as(path).isEqualTo(200);
        }
    }

    /** It binds pods: kube-scheduler's urlPrefix needs a name under which the view is served as well. */
    @Test
    void theVerbsAreServedUnderTheSameNames() throws Exception {
        for (String host : new String[] {"10.0.0.7:32766", "gpushare-schd-extender.kube-system.svc", "GPU.example"}) {
            assertThat(post("bind", host, "").body()).as(host).contains("{\"Error\":\"the request");
        }
        for (String verb : new String[] {"bind", "filter"}) {
            RawHttp.Response response = post(verb, "evil.example", "");
            assertThat(response.status())
                    .as("kube-scheduler drops the reason of others")
                    .isEqualTo(200);
            assertThat(response.body())
                    .contains("the extender is not served under the name evil.example")
                    .contains("--view-hosts");
        }
        assertThat(post("preempt", "evil.example", "").status()).isEqualTo(400);
        assertThat(get("/readyz", "any.example").status()).isEqualTo(200);
        assertThat(extender.get("/metrics").body()).contains("reason=\"foreign_host\",verb=\"bind\"} 1.0");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Origin: http://evil.example",
                "Origin: null",
                "Sec-Fetch-Site: cross-site",
                "Sec-Fetch-Site: same-origin",
                "Content-Type: text/plain;charset=UTF-8",
                "Content-Type: application/x-www-form-urlencoded",
                "content-type: Multipart/form-data; boundary=x"
            })
    void aWebPageCallsNoVerb(String header) throws IOException {
        int refused = header.startsWith("Origin") || header.startsWith("Sec") ? 403 : 415;
        for (String verb : new String[] {"filter", "prioritize", "preempt", "bind"}) {
            RawHttp.Response response = post(verb, "10.0.0.7", header + "\r\n");
            assertThat(response.status()).as(verb).isEqualTo(refused);
            assertThat(response.body()).contains("this path is for kube-scheduler");
        }
    }

    /** A body that is no request: what is served answers that. */
    private RawHttp.Response post(String verb, String host, String headers) throws IOException {
        try (RawHttp http = new RawHttp(extender.port())) {
            return http.exchange("POST", "/gpushare-scheduler/" + verb, host, headers, "[]".getBytes(UTF_8));
        }
    }

    /** Its proxy, which kubectl gpushare and kubectl proxy use, keeps the name under which the caller reached it. */
    @Test
    void theNamesOfTheApiServerAreThoseOfItsCertificate(@TempDir Path folder) throws Exception {
        Authority authority = new Authority("authority");
        authority.server("api");
        Vertx vertx = Vertx.vertx();
        HttpServer server = Patience.result(vertx.createHttpServer(new HttpServerOptions()
                        .setHost("127.0.0.1")
                        .setPort(0)
                        .setSsl(true)
                        .setKeyCertOptions(new PemKeyCertOptions()
                                .addCertValue(Buffer.buffer(authority.certificate("api")))
                                .addKeyValue(Buffer.buffer(authority.key("api")))))
                .requestHandler(request -> request.response().setStatusCode(404).end("{}"))
                .listen()
                .toCompletionStage()
                .toCompletableFuture());
        Path kubeconfig = Files.writeString(folder.resolve("kubeconfig"), """
            {apiVersion: v1, kind: Config, current-context: c, users: [{name: u, user: {}}],
             contexts: [{name: c, context: {cluster: c, user: u}}],
             clusters: [{name: c, cluster: {server: "https://127.0.0.1:%d", certificate-authority-data: %s}}]}
            """.formatted(
                server.actualPort(),
                Base64.getEncoder().encodeToString(authority.certificate("ca").getBytes(UTF_8))));
        try (KubernetesApi api = KubernetesApi.connect(kubeconfig, "test")) {
            assertThat(api.named("api.example.com")).isFalse();
            assertThat(api.pods().read("ns", "none")).isEmpty();
            assertThat(api.named("api.example.com")).isTrue();
            assertThat(api.named("abc.clusters.example.com")).isTrue();
            for (String other : new String[] {"example.com", "a.b.clusters.example.com", "evil.example", "127.0.0.1"}) {
                assertThat(api.named(other)).as(other).isFalse();
            }
        } finally {
            Patience.result(vertx.close().toCompletionStage().toCompletableFuture());
        }
    }
}
