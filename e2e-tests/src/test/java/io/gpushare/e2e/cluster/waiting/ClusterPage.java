package io.gpushare.e2e.cluster.waiting;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.gpushare.e2e.cluster.Cluster;
import io.gpushare.e2e.sandbox.view.Browser;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * The extender's page of a real cluster in a real browser. Its requests go through kubectl, so that it is reached
 * wherever the API server is. Screenshots are for readers: {@code target/screenshots}.
 */
final class ClusterPage implements AutoCloseable {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final Map<String, String> TYPES = Map.of(
            "js", "text/javascript", "css", "text/css", "svg", "image/svg+xml", "html", "text/html; charset=utf-8");

    private final Cluster cluster;
    private final ExecutorService threads = Executors.newFixedThreadPool(4);
    private final HttpServer server;
    private final Browser browser;
    private final String page;

    /** @param extender the path of its port through the API server */
    ClusterPage(Cluster cluster, String extender) throws IOException {
        this.cluster = cluster;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
        page = "http://127.0.0.1:" + server.getAddress().getPort() + extender + "/ui/";
        browser = Browser.start();
    }

    private void answer(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().toString();
        String file = exchange.getRequestURI().getPath();
        String name = file.substring(file.lastIndexOf('/') + 1);
        String type = name.isEmpty()
                ? TYPES.get("html")
                : TYPES.getOrDefault(name.substring(name.lastIndexOf('.') + 1), "application/json");
        try (exchange) {
            byte[] body = cluster.kubectl().run("get", "--raw", path).getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", type);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
        } catch (RuntimeException e) {
            System.out.println("the API server does not answer " + path + ": " + e.getMessage());
            exchange.sendResponseHeaders(502, -1);
        }
    }

    /** What the page says of the pod, whose picture is taken. */
    String says(String pod, String words) {
        try {
            return opened(pod, words);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private String opened(String pod, String words) throws IOException, InterruptedException {
        browser.look(1280, 900, false);
        browser.open("about:blank");
        browser.open(page);
        browser.await("document.querySelector('#nodes .tile')", SOON);
        // The list has only pods that wait for a card; the dialog explains any.
        browser.run("(() => { const button = document.createElement('button'); button.dataset.namespace = 'default';"
                + " button.dataset.pod = '" + pod + "'; document.body.append(button); button.click();"
                + " button.remove(); })()");
        browser.await("document.querySelector('#more .command')", SOON);
        browser.await("document.querySelector('#more').innerText.includes('" + words.replace("'", "\\'") + "')", SOON);
        browser.shoot(Path.of("target/screenshots/waiting-" + pod + ".png"));
        return browser.value("document.querySelector('#more').innerText", String.class);
    }

    @Override
    public void close() {
        browser.close();
        server.stop(0);
        threads.shutdownNow();
    }
}
