package io.gpushare.extender.server;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.gpushare.extender.running.Authority;
import io.gpushare.extender.running.RunningExtender;
import io.gpushare.extender.running.TestApiServer;
import io.gpushare.insight.routes.ViewAccess;
import io.gpushare.simulated.patience.Patience;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.cert.X509Certificate;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real TLS with certificates of an authority made for the test. */
class TlsIT {
    private static final String BIND =
            "{\"PodName\":\"p\",\"PodNamespace\":\"default\",\"PodUID\":\"uid-p\",\"Node\":\"n1\"}";

    @TempDir
    private Path folder;

    private static Authority authority;
    private static Authority stranger;
    private static TestApiServer api;
    private static SSLContext scheduler;
    private static SSLContext nobody;
    private RunningExtender extender;
    private int versions;

    @BeforeAll
    static void makeKeys() throws Exception {
        authority = new Authority("authority");
        authority.server("first");
        authority.server("second");
        authority.client("scheduler");
        stranger = new Authority("stranger");
        stranger.client("intruder");
        scheduler = authority.caller(authority, "scheduler");
        nobody = authority.caller(null, "");
        api = new TestApiServer();
        api.node("n1", TestApiServer.TWO_T4);
    }

    @AfterAll
    static void stop() {
        api.close();
    }

    @BeforeEach
    void start() throws Exception {
        serve("first", "first", authority);
        TlsFiles files =
                new TlsFiles(folder.resolve("tls.crt"), folder.resolve("tls.key"), folder.resolve("client-ca.crt"));
        extender = new RunningExtender(
                api.kubeconfig(folder),
                new ExtenderServer.Settings(
                        "127.0.0.1", 0, 0, 1 << 20, "0.0.0-test", files, Duration.ofMillis(50), Deadlines.DEFAULT),
                scheduler);
        extender.ready();
    }

    @AfterEach
    void end() throws IOException {
        extender.close();
    }

    /** As the kubelet lays out a Secret: links to a link to a directory; an update replaces the middle link. */
    private void serve(String certificate, String key, Authority clients) throws Exception {
        Path version = Files.createDirectory(folder.resolve("..version" + versions++));
        Files.writeString(version.resolve("tls.crt"), authority.certificate(certificate));
        Files.writeString(version.resolve("tls.key"), authority.key(key));
        Files.writeString(version.resolve("client-ca.crt"), clients.certificate("ca"));
        Path next = Files.createSymbolicLink(folder.resolve("..next"), version.getFileName());
        Files.move(next, folder.resolve("..data"), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        for (String name : new String[] {"tls.crt", "tls.key", "client-ca.crt"}) {
            if (!Files.isSymbolicLink(folder.resolve(name))) {
                Files.createSymbolicLink(folder.resolve(name), Path.of("..data", name));
            }
        }
    }

    @Test
    void theViewNeedsACertificateAsInspectDoesUnlessItIsOpen() throws Exception {
        String[] views = {"/ui/", "/ui/page.js", "/gpushare-scheduler/v1/cluster", "/gpushare-scheduler/v1/text/summary"
        };
        for (String view : views) {
            assertThat(call(nobody, view, "").statusCode()).as(view).isEqualTo(401);
            assertThat(call(scheduler, view, "").statusCode()).as(view).isEqualTo(200);
        }
        with(ViewAccess.Access.OPEN);
        for (String view : views) {
            assertThat(call(nobody, view, "").statusCode()).as(view).isEqualTo(200);
        }
        for (String shut : new String[] {"filter", "bind", "inspect"}) {
            assertThat(call(nobody, "/gpushare-scheduler/" + shut, shut.equals("inspect") ? "" : BIND)
                            .statusCode())
                    .as(shut)
                    .isEqualTo(401);
        }
        with(ViewAccess.Access.OFF);
        for (String view : views) {
            assertThat(call(scheduler, view, "").statusCode()).as(view).isEqualTo(404);
        }
    }

    private void with(ViewAccess.Access access) throws Exception {
        extender.close();
        TlsFiles files =
                new TlsFiles(folder.resolve("tls.crt"), folder.resolve("tls.key"), folder.resolve("client-ca.crt"));
        extender = new RunningExtender(
                        api.kubeconfig(folder),
                        new ExtenderServer.Settings("127.0.0.1", 0, 0, 1 << 20, "0.0.0-test", files),
                        scheduler,
                        access)
                .ready();
    }

    @Test
    void withoutAClientCertificateOnlyProbesAreAnswered() throws Exception {
        api.pod("p", "uid-p", new JsonObject().put("aliyun.com/gpu-mem", "3"));
        for (String open : new String[] {"/healthz", "/readyz", "/readyz/replica", "/version", "/metrics"}) {
            assertThat(call(nobody, open, "").statusCode()).as(open).isEqualTo(200);
        }
        for (String shut : new String[] {"filter", "prioritize", "preempt", "bind"}) {
            HttpResponse<String> answer = call(nobody, "/gpushare-scheduler/" + shut, BIND);
            assertThat(answer.statusCode()).as(shut).isEqualTo(401);
            assertThat(answer.body()).contains("needs a client certificate").doesNotContain("uid-p");
        }
        assertThat(call(nobody, "/gpushare-scheduler/inspect", "").statusCode()).isEqualTo(401);
        assertThat(call(nobody, "/gpushare-scheduler/inspect/n1", "").statusCode())
                .isEqualTo(401);
        assertThat(api.bindings()).isEmpty();
        assertThat(call(scheduler, "/gpushare-scheduler/bind", BIND).body()).isEqualTo("{\"Error\":\"\"}");
        assertThat(api.bindings()).hasSize(1);
        assertThat(call(scheduler, "/gpushare-scheduler/inspect", "").statusCode())
                .isEqualTo(200);
        assertThat(extender.get("/metrics").body())
                .contains("reason=\"no_certificate\",verb=\"any\"} 6.0", "{node=\"n1\"}");
        assertThat(call(nobody, "/metrics", "").body())
                .contains("gpushare_cluster_memory_capacity_bytes")
                .doesNotContain("n1");
    }

    @Test
    void aCertificateOfAnotherAuthorityFailsInTheHandshake() throws Exception {
        SSLContext intruder = authority.caller(stranger, "intruder");
        assertThatThrownBy(() -> call(intruder, "/healthz", "")).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> call(intruder, "/gpushare-scheduler/bind", BIND))
                .isInstanceOf(IOException.class);
    }

    @Test
    void plainHttpIsRefused() {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + extender.port() + "/healthz"))
                .timeout(Patience.of(Patience.USUAL))
                .build();
        try (HttpClient client = HttpClient.newHttpClient()) {
            assertThatThrownBy(() -> client.send(request, HttpResponse.BodyHandlers.ofString()))
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void changedFilesApplyToNewConnectionsUnlessTheyDoNotFitTogether() throws Exception {
        assertThat(served()).isEqualTo("CN=first");
        serve("second", "first", authority); // only one of the files has been replaced so far
        await().during(Duration.ofMillis(500)).until(() -> served().equals("CN=first"));
        serve("second", "second", authority);
        await().until(() -> served().equals("CN=second"));
        assertThat(call(scheduler, "/gpushare-scheduler/inspect", "").statusCode())
                .isEqualTo(200);
        serve("second", "second", stranger);
        // The handshake fails until the new authority is in force.
        await().ignoreExceptionsInstanceOf(IOException.class)
                .until(() -> call(authority.caller(stranger, "intruder"), "/gpushare-scheduler/inspect", "")
                                .statusCode()
                        == 200);
        assertThat(call(nobody, "/gpushare-scheduler/inspect", "").statusCode()).isEqualTo(401);
        assertThatThrownBy(() -> call(scheduler, "/gpushare-scheduler/inspect", ""))
                .isInstanceOf(IOException.class);
    }

    /** A call on its own connection: GET without a body, else POST. */
    private HttpResponse<String> call(SSLContext who, String path, String body) throws Exception {
        HttpRequest.Builder request = extender.request(path);
        if (!body.isEmpty()) {
            request.POST(HttpRequest.BodyPublishers.ofString(body));
        }
        try (HttpClient client = HttpClient.newBuilder().sslContext(who).build()) {
            return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
        }
    }

    private String served() throws IOException {
        try (SSLSocket socket = (SSLSocket) nobody.getSocketFactory().createSocket("127.0.0.1", extender.port())) {
            socket.startHandshake();
            return ((X509Certificate) socket.getSession().getPeerCertificates()[0])
                    .getSubjectX500Principal()
                    .getName();
        }
    }
}
