package io.gpushare.e2e.cluster.rights;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.e2e.cluster.ApiServer;
import io.gpushare.e2e.cluster.Cluster;
import io.gpushare.e2e.cluster.Installation;
import io.gpushare.e2e.cluster.SharedCluster;
import io.gpushare.e2e.sandbox.program.Program;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;

/**
 * Runs one of the two programs as a process outside of the cluster, with the token of its service account, so that a
 * test can remove a right between two calls.
 */
final class OutsidePrograms implements AutoCloseable {
    static final String PLUGIN = "gpu-share-device-plugin";
    static final String EXTENDER = "gpu-share-scheduler-extender";
    private static final String SYSTEM = Installation.NAMESPACE;

    private final Cluster cluster;
    private final ApiServer api;
    private final Path folder;
    private final HttpClient http = HttpClient.newHttpClient();
    private String running;
    private Path log;
    private Program program;
    private int port;
    private String lastBind = "";

    /** Starts the device plugin with the driver in the cluster's shared folder. */
    OutsidePrograms(Cluster cluster, ApiServer api, Path folder) throws IOException {
        this.cluster = cluster;
        this.api = api;
        this.folder = folder;
        running = PLUGIN;
        log = log(PLUGIN);
        program = plugin();
    }

    /** Replaces the running program with this one. A plugin that ends as planned would withdraw its node first. */
    void start(String account) throws IOException {
        program.kill();
        program.close();
        running = account;
        lastBind = "";
        log = log(account);
        program = account.equals(PLUGIN) ? plugin() : extender();
    }

    String running() {
        return running;
    }

    /** The log of the running program since its start. */
    Path log() {
        return log;
    }

    void checkAlive() throws IOException {
        program.checkAlive();
    }

    boolean extenderReady() throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(uri("/readyz")).build();
        return http.send(request, BodyHandlers.discarding()).statusCode() == 200;
    }

    /** Whether the extender has read the Leases of the device plugins. */
    boolean extenderReadsLeases() throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(uri("/metrics")).build();
        String heard = "gpushare_extender_informer_heard_timestamp_seconds{resource=\"leases\"} ";
        return http.send(request, BodyHandlers.ofString())
                .body()
                .lines()
                .anyMatch(line -> line.startsWith(heard) && !line.equals(heard + "0.0"));
    }

    /** Sends a bind as kube-scheduler does, and returns the extender's response. */
    String bind(String pod, String uid) throws IOException, InterruptedException {
        String body = """
            {"PodName":"%s","PodNamespace":"default","PodUID":"%s","Node":"%s"}\
            """.formatted(pod, uid, cluster.node());
        HttpRequest request = HttpRequest.newBuilder(uri("/gpushare-scheduler/bind"))
                .POST(BodyPublishers.ofString(body))
                .build();
        lastBind = http.send(request, BodyHandlers.ofString()).body();
        return lastBind;
    }

    /** The newest response of {@link #bind}, in which the extender reports why it cannot read a pod. */
    String lastBind() {
        return lastBind;
    }

    private URI uri(String path) {
        return URI.create("http://127.0.0.1:" + port + path);
    }

    private Path log(String account) throws IOException {
        return Files.createTempFile(folder, account, ".log");
    }

    private Program plugin() throws IOException {
        return Program.start(
                PLUGIN,
                SharedCluster.ROOT.resolve("device-plugin"),
                96,
                List.of(
                        "io.gpushare.plugin.PluginMain",
                        "--kubeconfig=" + kubeconfig(PLUGIN),
                        "--node-name=" + cluster.node(),
                        "--nvml-library=" + cluster.sharedFolder().resolve("libnvidia-ml.so.1"),
                        "--kubelet-dir=" + cluster.kubeletFolder()),
                Map.of(
                        "GPUSHARE_SIMULATED_CARDS",
                        cluster.sharedFolder().resolve("cards").toString()),
                log);
    }

    private Program extender() throws IOException {
        port = Program.freePort();
        return Program.start(
                EXTENDER,
                SharedCluster.ROOT.resolve("scheduler-extender"),
                96,
                List.of(
                        "io.gpushare.extender.program.ExtenderMain",
                        "--bind-address=127.0.0.1",
                        "--port=" + port,
                        "--kubeconfig=" + kubeconfig(EXTENDER),
                        "--leader-elect=true",
                        "--lease-namespace=" + SYSTEM),
                Map.of(),
                log);
    }

    /** The administrator's kubeconfig with the token of the service account. */
    private Path kubeconfig(String account) throws IOException {
        String token = token(account);
        ObjectNode config = (ObjectNode) cluster.kubectl().json("config", "view", "--raw", "--minify");
        ((ObjectNode) config.at("/users/0")).putObject("user").put("token", token);
        return Files.writeString(folder.resolve(account + ".kubeconfig"), config.toString());
    }

    /** A token of the service account: of its Secret, which versions before 1.24 create, else a requested one. */
    private String token(String account) throws IOException {
        String accounts = "/api/v1/namespaces/" + SYSTEM + "/serviceaccounts/" + account;
        String secret = api.get(accounts).body().at("/secrets/0/name").asText();
        if (secret.isEmpty()) {
            return api.send("POST", accounts + "/token", """
                {"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest","spec":{}}\
                """)
                    .body()
                    .at("/status/token")
                    .textValue();
        }
        String encoded = api.get("/api/v1/namespaces/" + SYSTEM + "/secrets/" + secret)
                .body()
                .at("/data/token")
                .textValue();
        return new String(Base64.getDecoder().decode(encoded), StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        program.close();
        http.close();
    }
}
