package io.gpushare.extender.view;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.running.Authority;
import io.gpushare.extender.running.RunningExtender;
import io.gpushare.extender.running.TestApiServer;
import io.gpushare.extender.server.ExtenderServer;
import io.gpushare.extender.server.TlsFiles;
import io.gpushare.simulated.patience.Patience;
import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The port of the view, whose callers present a token, beside the port that requires client certificates. */
class ViewPortIT {
    private static final String VIEW = "/gpushare-scheduler/v1/";
    private static final String VIEWER = "gpushare-view/kube-system/gpushare-viewer";

    @TempDir
    private static Path folder;

    private static TestApiServer api;
    private static RunningExtender extender;
    private static HttpClient nobody;

    @BeforeAll
    static void start() throws Exception {
        Authority authority = new Authority("authority");
        authority.server("server");
        authority.client("scheduler");
        api = new TestApiServer();
        api.node("n1", TestApiServer.TWO_T4);
        api.account("kube-system", "gpushare-viewer", true);
        api.account("default", "any-pod", false);
        TlsFiles files = new TlsFiles(
                Files.writeString(folder.resolve("tls.crt"), authority.certificate("server")),
                Files.writeString(folder.resolve("tls.key"), authority.key("server")),
                Files.writeString(folder.resolve("ca.crt"), authority.certificate("ca")));
        SSLContext scheduler = authority.caller(authority, "scheduler");
        extender = new RunningExtender(
                        api.kubeconfig(folder),
                        new ExtenderServer.Settings("127.0.0.1", 0, 0, 1 << 20, "0.0.0-test", files),
                        scheduler)
                .ready();
        nobody = HttpClient.newBuilder().sslContext(authority.caller(null, "")).build();
    }

    @AfterAll
    static void stop() throws Exception {
        nobody.close();
        extender.close();
        api.close();
    }

    @Test
    void aTokenOfAnAccountThatMayViewOpensTheViewInEachPlaceWhereCallersCanPutIt() throws Exception {
        assertThat(body(get("cluster", "X-Gpushare-Token", VIEWER), 200)).contains("\"n1\"");
        assertThat(body(get("cluster", "Authorization", "Bearer " + VIEWER), 200))
                .contains("\"n1\"");
        String answered = new JsonObject()
                .put("kind", "TokenRequest")
                .put("status", new JsonObject().put("token", VIEWER))
                .encode();
        assertThat(body(post("text/nodes", answered), 200)).startsWith("NODE ").contains("n1");
        assertThat(body(post("nodes?names=n1", answered), 200)).contains("\"n1\"");
        String pod = new JsonObject()
                .put("spec", TestApiServer.spec(new JsonObject().put("aliyun.com/gpu-mem", "3")))
                .encode();
        HttpRequest.Builder explain = request("explain").POST(HttpRequest.BodyPublishers.ofString(pod));
        assertThat(body(explain.copy().header("X-Gpushare-Token", VIEWER), 200)).contains("judged");
        assertThat(body(explain, 401)).contains("needs a token");
    }

    /** Its body would take memory until the API server has judged the token. It is not awaited either. */
    @Test
    void theBodyOfACallerWithoutAValidTokenIsNotRead() throws Exception {
        for (String token : List.of("", "made-up")) {
            try (SSLSocket socket = (SSLSocket) nobody.sslContext()
                    .getSocketFactory()
                    .createSocket(InetAddress.getLoopbackAddress(), extender.viewPort())) {
                socket.setSoTimeout(Patience.millis());
                socket.getOutputStream()
                        .write(("POST " + VIEW + "explain HTTP/1.1\r\nHost: localhost\r\nX-Gpushare-Token: " + token
                                        + "\r\nContent-Length: 1000000\r\n\r\n{")
                                .getBytes(StandardCharsets.US_ASCII));
                String status = new BufferedReader(
                                new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))
                        .readLine();
                assertThat(status).as(token).startsWith("HTTP/1.1 401 ");
            }
        }
    }

    @Test
    void withoutAValidTokenThereAreNoData() throws Exception {
        for (String path : new String[] {"cluster", "nodes", "waste", "find?pod=a", "explain?pod=a", "defrag"}) {
            assertThat(body(request(path), 401))
                    .as(path)
                    .contains("needs a token")
                    .doesNotContain("n1");
        }
        // As every refusal of a text: kubectl drops the body of any other status.
        assertThat(body(request("text/nodes"), 200)).startsWith("error: this port needs a token");
        assertThat(body(post("text/nodes", "{}"), 200)).startsWith("error: this port needs a token");
        assertThat(body(post("text/nodes", "no JSON"), 200)).startsWith("error: this port needs a token");
        assertThat(body(get("cluster", "X-Gpushare-Token", "made-up"), 401)).contains("is not valid");
        assertThat(body(get("cluster", "X-Gpushare-Token", "kubernetes/kube-system/gpushare-viewer"), 401))
                .as("for another audience")
                .contains("audience gpushare-view");
        assertThat(body(get("cluster", "X-Gpushare-Token", "gpushare-view/default/any-pod"), 403))
                .as("every pod can get such a token of its own account")
                .contains("system:serviceaccount:default:any-pod lacks the permission 'get' on 'view.gpushare.io'");
    }

    @Test
    void nothingElseIsServedThereAlsoWithAToken() throws Exception {
        for (String path : new String[] {
            "/gpushare-scheduler/inspect", "/gpushare-scheduler/filter", "/gpushare-scheduler/bind", "/metrics"
        }) {
            HttpRequest.Builder request = HttpRequest.newBuilder(at(path)).header("X-Gpushare-Token", VIEWER);
            assertThat(body(request.copy().POST(HttpRequest.BodyPublishers.ofString("{}")), 404))
                    .isNotEmpty();
            assertThat(body(request, 404)).isNotEmpty();
        }
        assertThat(api.bindings()).isEmpty();
    }

    @Test
    void thePageIsServedToAllAndHasNoData() throws Exception {
        assertThat(body(HttpRequest.newBuilder(at("/ui/")), 200)).contains("<html");
    }

    private static URI at(String path) {
        return URI.create("https://127.0.0.1:" + extender.viewPort() + path);
    }

    private static HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(at(VIEW + path));
    }

    private static HttpRequest.Builder get(String path, String header, String value) {
        return request(path).header(header, value);
    }

    private static HttpRequest.Builder post(String path, String body) {
        return request(path).POST(HttpRequest.BodyPublishers.ofString(body));
    }

    private static String body(HttpRequest.Builder request, int status) throws Exception {
        HttpResponse<String> response = nobody.send(request.build(), HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
        return response.body();
    }
}
