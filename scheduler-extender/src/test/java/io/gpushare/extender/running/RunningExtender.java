package io.gpushare.extender.running;

import static io.gpushare.simulated.patience.Patience.await;

import io.gpushare.claims.ClaimWatch;
import io.gpushare.claims.UnwatchedClaims;
import io.gpushare.extender.Candidacy;
import io.gpushare.extender.Core;
import io.gpushare.extender.Extender;
import io.gpushare.extender.cluster.Leadership;
import io.gpushare.extender.cluster.PodFeed;
import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.placement.Placer;
import io.gpushare.extender.pod.PolicyKind;
import io.gpushare.extender.preemption.PreemptionMode;
import io.gpushare.extender.scheduling.Binder;
import io.gpushare.extender.scheduling.DecideIn;
import io.gpushare.extender.server.ExtenderServer;
import io.gpushare.insight.Insight;
import io.gpushare.insight.routes.ViewAccess;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.request.ResourceNames;
import io.gpushare.simulated.patience.Patience;
import io.gpushare.time.Clocks;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** An extender on a free port, and a client that sends requests as kube-scheduler does. */
public final class RunningExtender implements AutoCloseable {
    private static final String PATH = "/gpushare-scheduler/";

    static {
        // An extender that stops to be ready closes its idle connections. A request on one that is closed at that
        // moment is
        // sent again on another, as kube-scheduler does; java.net.http repeats a POST only with this property.
        System.setProperty("jdk.httpclient.enableAllMethodRetry", "true");
    }

    private record Settings(Extender.Settings core, Insight.Settings shown, PodFeed.Factory feed) {}

    private final Extender extender;
    private final HttpClient client;
    private final String scheme;
    public final Placer placer;
    public final Ledger ledger;
    public final Binder binder;
    public final Leadership leadership;
    private boolean closed;

    public RunningExtender(Path kubeconfig, int maxBody) throws IOException {
        this(kubeconfig, plain(maxBody), null);
    }

    /** One of a cluster in which the resources have these names. */
    public RunningExtender(Path kubeconfig, ResourceNames names) throws IOException {
        this(
                settings(
                        kubeconfig,
                        names,
                        plain(1 << 20),
                        null,
                        ViewAccess.Access.ON,
                        PreemptionMode.SCHEDULER,
                        DecideIn.FILTER),
                null,
                Clocks.system());
    }

    /** One that watches claims, and may evict. */
    public static RunningExtender watchingClaims(Path kubeconfig, Clocks clocks) throws IOException {
        Settings settings =
                settings(kubeconfig, plain(1 << 20), null, ViewAccess.Access.ON, PreemptionMode.AUTO, DecideIn.AUTO);
        return new RunningExtender(new Settings(settings.core(), settings.shown(), ClaimWatch::start), null, clocks);
    }

    /** One of several in an election. */
    public RunningExtender(Path kubeconfig, int maxBody, Candidacy candidacy) throws IOException {
        this(settings(kubeconfig, plain(maxBody), candidacy, ViewAccess.Access.ON), null, Clocks.system());
    }

    public RunningExtender(Path kubeconfig, int maxBody, Clocks clocks) throws IOException {
        this(settings(kubeconfig, plain(maxBody), null, ViewAccess.Access.ON), null, clocks);
    }

    /** One that preempts in that mode, alone or in an election. */
    public RunningExtender(Path kubeconfig, PreemptionMode mode, @Nullable Candidacy candidacy, Clocks clocks)
            throws IOException {
        this(settings(kubeconfig, plain(1 << 20), candidacy, ViewAccess.Access.ON, mode, DecideIn.AUTO), null, clocks);
    }

    /** @param tls what its client trusts and presents; null for plain HTTP */
    public RunningExtender(Path kubeconfig, ExtenderServer.Settings server, @Nullable SSLContext tls)
            throws IOException {
        this(kubeconfig, server, tls, ViewAccess.Access.ON);
    }

    public RunningExtender(
            Path kubeconfig, ExtenderServer.Settings server, @Nullable SSLContext tls, ViewAccess.Access access)
            throws IOException {
        this(settings(kubeconfig, server, null, access), tls, Clocks.system());
    }

    private RunningExtender(Settings settings, @Nullable SSLContext tls, Clocks clocks) throws IOException {
        HttpClient.Builder builder = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1);
        client = (tls == null ? builder : builder.sslContext(tls)).build();
        scheme = tls == null ? "http" : "https";
        CompletableFuture<Core> core = new CompletableFuture<>();
        extender = Extender.start(settings.core(), clocks, settings.feed(), published -> {
            core.complete(published);
            return new Insight(published, settings.shown());
        });
        placer = core.join().placer();
        ledger = placer.ledger();
        binder = extender.binder();
        leadership = extender.leadership();
    }

    private static ExtenderServer.Settings plain(int maxBody) {
        return new ExtenderServer.Settings("127.0.0.1", 0, null, maxBody, "0.0.0-test", null);
    }

    private static Settings settings(
            Path kubeconfig, ExtenderServer.Settings server, @Nullable Candidacy candidacy, ViewAccess.Access access) {
        return settings(kubeconfig, server, candidacy, access, PreemptionMode.SCHEDULER, DecideIn.FILTER);
    }

    private static Settings settings(
            Path kubeconfig,
            ExtenderServer.Settings server,
            @Nullable Candidacy candidacy,
            ViewAccess.Access access,
            PreemptionMode preemption,
            DecideIn decideIn) {
        return settings(kubeconfig, ResourceNames.DEFAULT, server, candidacy, access, preemption, decideIn);
    }

    private static Settings settings(
            Path kubeconfig,
            ResourceNames names,
            ExtenderServer.Settings server,
            @Nullable Candidacy candidacy,
            ViewAccess.Access access,
            PreemptionMode preemption,
            DecideIn decideIn) {
        return new Settings(
                new Extender.Settings(
                        kubeconfig,
                        names,
                        MemoryUnit.GIB,
                        PolicyKind.WSP,
                        decideIn,
                        preemption,
                        Set.of("gpu.example"),
                        "kube-system",
                        "gpushare-node-lease",
                        candidacy,
                        server),
                new Insight.Settings(access, URI.create("https://grafana.example/"), server.version(), "kube-system"),
                (_, ledger, _, _) -> new UnwatchedClaims(ledger));
    }

    /** Resolves the Bindings that are old enough by the extender's clock. */
    public void resolveOldBindings() {
        extender.resolveUnknownBindings();
    }

    public void resign() {
        leadership.resign();
    }

    /** Waits until its ledger has the whole cluster. */
    public RunningExtender ready() {
        await().until(() -> get("/readyz").statusCode() == 200);
        return this;
    }

    public int port() {
        return extender.port();
    }

    public int viewPort() {
        return extender.viewPort();
    }

    public HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return send(request(path).GET().build());
    }

    public HttpResponse<String> post(String verb, String body) throws IOException, InterruptedException {
        return send(posting(verb, body));
    }

    public HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
        return client.send(request, HttpResponse.BodyHandlers.ofString());
    }

    public CompletableFuture<HttpResponse<String>> sendLater(HttpRequest request) {
        return client.sendAsync(request, HttpResponse.BodyHandlers.ofString());
    }

    public HttpRequest posting(String verb, String body) {
        return request(PATH + verb)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
    }

    public HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(scheme + "://127.0.0.1:" + port() + path))
                .timeout(Patience.of(Patience.USUAL));
    }

    /** The Error of the response to a bind; empty for success. */
    public String bind(String pod, String uid, String node) throws IOException, InterruptedException {
        return error(post("bind", bindBody(pod, uid, node)));
    }

    public CompletableFuture<String> bindLater(String pod, String uid, String node) {
        return client.sendAsync(posting("bind", bindBody(pod, uid, node)), HttpResponse.BodyHandlers.ofString())
                .thenApply(RunningExtender::error);
    }

    private static String error(HttpResponse<String> response) {
        if (response.statusCode() != 200) {
            throw new IllegalStateException("status " + response.statusCode() + ": " + response.body());
        }
        return new JsonObject(response.body()).getString("Error");
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
        extender.close();
        client.close();
    }

    public void closeUnchecked() {
        try {
            close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
