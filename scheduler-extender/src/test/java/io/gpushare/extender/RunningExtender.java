package io.gpushare.extender;

import static org.awaitility.Awaitility.await;

import io.gpushare.extender.cluster.ClusterInformers;
import io.gpushare.extender.cluster.EventRecorder;
import io.gpushare.extender.cluster.Leadership;
import io.gpushare.extender.cluster.PodClient;
import io.gpushare.extender.cluster.Requeuer;
import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.metrics.ExtenderMetrics;
import io.gpushare.extender.metrics.MetricsSource;
import io.gpushare.extender.page.ViewAccess;
import io.gpushare.extender.policy.Policies;
import io.gpushare.extender.policy.PolicyKind;
import io.gpushare.extender.preemption.Preemption;
import io.gpushare.extender.report.Explainer;
import io.gpushare.extender.report.WaitingPods;
import io.gpushare.extender.scheduling.Binder;
import io.gpushare.extender.scheduling.NodeSelection;
import io.gpushare.extender.server.ExtenderServer;
import io.gpushare.extender.usage.PluginMetricsClient;
import io.gpushare.kubernetes.KubernetesApi;
import io.gpushare.model.codec.DemandCodec;
import io.gpushare.model.codec.ResourceNames;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** The extender wired as Main wires it, on a free port, and a client that speaks as kube-scheduler does. */
public final class RunningExtender implements AutoCloseable {
    private static final String PATH = "/gpushare-scheduler/";

    private final KubernetesApi api;
    private final Thread nudger;
    private final ClusterInformers watch;
    private final ExtenderServer server;
    private final HttpClient client;
    private final String scheme;
    final Ledger ledger;
    final Binder binder;
    final Leadership leadership;
    private boolean closed;

    RunningExtender(Path kubeconfig, int maxBody) throws IOException {
        this(KubernetesApi.connect(kubeconfig, "test"), plain(maxBody), null, null, ViewAccess.Access.ON);
    }

    /** @param membership its place in an election; null for none */
    RunningExtender(KubernetesApi api, int maxBody, Leadership.@Nullable Membership membership) throws IOException {
        this(api, plain(maxBody), membership, null, ViewAccess.Access.ON);
    }

    /** @param tls what its client trusts and shows; null for plain HTTP */
    RunningExtender(Path kubeconfig, ExtenderServer.Settings settings, @Nullable SSLContext tls) throws IOException {
        this(kubeconfig, settings, tls, ViewAccess.Access.ON);
    }

    RunningExtender(
            Path kubeconfig, ExtenderServer.Settings settings, @Nullable SSLContext tls, ViewAccess.Access access)
            throws IOException {
        this(KubernetesApi.connect(kubeconfig, "test"), settings, null, tls, access);
    }

    private static ExtenderServer.Settings plain(int maxBody) {
        return new ExtenderServer.Settings("127.0.0.1", 0, maxBody, "0.0.0-test");
    }

    private RunningExtender(
            KubernetesApi api,
            ExtenderServer.Settings settings,
            Leadership.@Nullable Membership membership,
            @Nullable SSLContext tls,
            ViewAccess.Access access)
            throws IOException {
        HttpClient.Builder builder = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1);
        client = (tls == null ? builder : builder.sslContext(tls)).build();
        scheme = tls == null ? "http" : "https";
        this.api = api;
        DemandCodec demands = new DemandCodec(ResourceNames.DEFAULT);
        EventRecorder news = EventRecorder.start(api, () -> true, InstantSource.system());
        ledger = new Ledger(demands, new Policies(PolicyKind.WSP), news);
        PodClient pods = new PodClient(api, membership == null ? () -> true : membership::mayWrite);
        binder = new Binder(ledger, pods);
        NodeSelection choice = new NodeSelection(ledger, true);
        watch = ClusterInformers.start(api, ledger, "kube-system");
        leadership = membership == null ? Leadership.alone(watch) : Leadership.elected(membership, watch);
        WaitingPods waiting = new WaitingPods(ledger);
        ExtenderMetrics metrics = new ExtenderMetrics(
                "0.0.0-test",
                new MetricsSource(
                        ledger,
                        waiting,
                        leadership::leading,
                        () -> leadership.unready().isEmpty(),
                        watch::heard,
                        watch::changes,
                        news::lost));
        nudger = Requeuer.start(api, waiting, () -> leadership.unready().isEmpty(), InstantSource.system());
        server = ExtenderServer.start(
                settings,
                new ExtenderServer.Parts(
                        ledger,
                        choice,
                        new Preemption(ledger),
                        binder,
                        metrics,
                        leadership::unready,
                        InstantSource.system(),
                        new ViewAccess(
                                new Explainer(ledger, choice, pods),
                                new PluginMetricsClient(InstantSource.system()),
                                access)));
    }

    void resign() {
        leadership.resign();
    }

    /** Waits until its ledger is a copy of the cluster. */
    RunningExtender ready() {
        await().atMost(Duration.ofSeconds(20)).until(() -> get("/readyz").statusCode() == 200);
        return this;
    }

    int port() {
        return server.port();
    }

    HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return send(request(path).GET().build());
    }

    HttpResponse<String> post(String verb, String body) throws IOException, InterruptedException {
        return send(posting(verb, body));
    }

    HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
        return client.send(request, HttpResponse.BodyHandlers.ofString());
    }

    CompletableFuture<HttpResponse<String>> sendLater(HttpRequest request) {
        return client.sendAsync(request, HttpResponse.BodyHandlers.ofString());
    }

    HttpRequest posting(String verb, String body) {
        return request(PATH + verb)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
    }

    HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(scheme + "://127.0.0.1:" + port() + path))
                .timeout(Duration.ofSeconds(30));
    }

    /** The Error of a bind; empty for success. */
    String bind(String pod, String uid, String node) throws IOException, InterruptedException {
        return error(post("bind", bindBody(pod, uid, node)));
    }

    CompletableFuture<String> bindLater(String pod, String uid, String node) {
        return client.sendAsync(posting("bind", bindBody(pod, uid, node)), HttpResponse.BodyHandlers.ofString())
                .thenApply(RunningExtender::error);
    }

    private static String error(HttpResponse<String> answer) {
        if (answer.statusCode() != 200) {
            throw new IllegalStateException("status " + answer.statusCode() + ": " + answer.body());
        }
        return new JsonObject(answer.body()).getString("Error");
    }

    private static String bindBody(String pod, String uid, String node) {
        return "{\"PodName\":\"%s\",\"PodNamespace\":\"default\",\"PodUID\":\"%s\",\"Node\":\"%s\"}"
                .formatted(pod, uid, node);
    }

    @Override
    public synchronized void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        leadership.resign();
        server.stop(Duration.ofSeconds(5));
        leadership.end();
        nudger.interrupt();
        watch.close();
        api.close();
        client.close();
    }

    void closeUnchecked() {
        try {
            close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
