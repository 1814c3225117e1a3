package io.gpushare.e2e.sandbox.view;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.simulated.patience.Patience;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * kubectl gpushare and the page where the extender is as the chart installs it: TLS with client certificates, and the
 * view on a port of its own. Both go through the API server's proxy with a token that they request there.
 */
class SecuredViewIT {
    private static final Duration SOON = Duration.ofSeconds(30);

    @TempDir
    static Path folder;

    private static DisplayedCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        Path root = Path.of(System.getProperty("gpushare.root", ".."));
        Path made = folder.resolve("certificates");
        Process process = new ProcessBuilder(
                        root.resolve("deploy/tls/make-certificates").toString(), made.toString())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("made").toFile())
                .start();
        assertThat(Patience.exitCode(process)).isZero();
        cluster = DisplayedCluster.secured(4, folder, made);
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    @Test
    void kubectlGpushareWorksWithoutAnyOption() throws Exception {
        KubectlGpushare kubectl = new KubectlGpushare(folder);
        assertThat(kubectl.print()).startsWith("NODE ").contains("gpu-a100-0000");
        assertThat(kubectl.print("top", "gpu-t4-0001")).startsWith("NODE ");
        assertThat(kubectl.print("why", "tuning-sweep-41", "-n", "research")).startsWith("Pod research/tuning");
        assertThat(kubectl.print("defrag", "-o", "json")).startsWith("{");
        assertThat(kubectl.print("version")).contains("Extender: ");
        assertThat(kubectl.print("gpu-none"))
                .isEqualTo("kubectl gpushare: node \"gpu-none\" is not known; kubectl gpushare shows all nodes with"
                        + " cards\n");
    }

    @Test
    void thePageGetsItsTokenFromTheApiServer() throws Exception {
        try (Browser browser = Browser.start()) {
            browser.open(cluster.pageOnTheViewPort().toString());
            browser.await("document.querySelector('#nodes .who')?.textContent", SOON);
        }
    }

    @Test
    void pageServesThePageAndNothingElseOfTheApi() throws Exception {
        Path printed = folder.resolve("page");
        Process page = new KubectlGpushare(folder).start(printed, "page");
        try {
            Patience.await().until(() -> {
                assertThat(page.isAlive()).as(Files.readString(printed)).isTrue();
                return Files.readString(printed).contains("Ctrl-C");
            });
            String address = Files.readString(printed).replaceFirst("(?s).*The page is at (\\S+).*", "$1");
            try (Browser browser = Browser.start()) {
                browser.open(address);
                browser.await("document.querySelector('#nodes .who')?.textContent", SOON);
            }
            assertThat(get(URI.create(address).resolve("/api/v1/nodes").toString())
                            .statusCode())
                    .isEqualTo(403);
        } finally {
            page.descendants().forEach(ProcessHandle::destroy);
            page.destroy();
        }
    }

    @Test
    void withoutATokenTheApiServersProxyReachesNoDataAndNoVerb() throws Exception {
        String view = cluster.pageOnTheViewPort().resolve("..").toString();
        assertThat(get(view + "gpushare-scheduler/v1/cluster").statusCode()).isEqualTo(401);
        assertThat(get(view + "gpushare-scheduler/inspect").statusCode()).isEqualTo(404);
        assertThat(get(cluster.pageThroughApiServer().toString()).statusCode()).isEqualTo(401);
    }

    private static HttpResponse<String> get(String address) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(
                    HttpRequest.newBuilder(URI.create(address)).build(), HttpResponse.BodyHandlers.ofString());
        }
    }
}
