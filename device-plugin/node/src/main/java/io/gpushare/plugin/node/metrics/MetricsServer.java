package io.gpushare.plugin.node.metrics;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.gpushare.time.Machine;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves {@code GET /metrics} and {@code GET /readyz} only. Callers are not trusted: it serves few at a time, each for
 * a few seconds, and reads no body.
 */
public final class MetricsServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MetricsServer.class);
    private static final int CALLERS = 16;
    private static final String TEXT = "text/plain; charset=utf-8";

    static {
        // Without these the JDK's server waits for slow callers forever; it reads them once, at its first use.
        System.setProperty("sun.net.httpserver.maxReqTime", "5");
        System.setProperty("sun.net.httpserver.maxRspTime", "10");
        System.setProperty("sun.net.httpserver.idleInterval", "60");
        System.setProperty("jdk.httpserver.maxConnections", "64");
    }

    private final HttpServer server;
    private final ExecutorService threads = new ThreadPoolExecutor(
            0,
            CALLERS,
            10,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            Machine.here().threads("metrics-"));

    private MetricsServer(HttpServer server) {
        this.server = server;
    }

    /**
     * Starts to serve.
     *
     * @param unready why the kubelet gets no devices of this plugin, as a sentence; empty if it does
     * @throws IOException when the address is not available
     */
    public static MetricsServer start(
            InetSocketAddress address, PluginMetrics metrics, Supplier<Optional<String>> unready) throws IOException {
        HttpServer http;
        try {
            http = HttpServer.create(address, 0);
        } catch (IOException | IllegalArgumentException e) {
            throw new IOException("metrics can't be served on " + text(address) + ": " + e.getMessage(), e);
        }
        MetricsServer server = new MetricsServer(http);
        http.setExecutor(server.threads);
        http.createContext("/", exchange -> handle(exchange, metrics, unready));
        http.start();
        LOG.info("metrics on http://{}/metrics", text(http.getAddress()));
        return server;
    }

    private static String text(InetSocketAddress address) {
        return address.getHostString() + ":" + address.getPort();
    }

    private static void handle(HttpExchange exchange, PluginMetrics metrics, Supplier<Optional<String>> unready)
            throws IOException {
        try (exchange) {
            if (!exchange.getRequestMethod().equals("GET")) {
                respond(exchange, 405, TEXT, line("only GET is allowed"));
                return;
            }
            switch (exchange.getRequestURI().getPath()) {
                case "/metrics" -> {
                    MetricsPage page = metrics.page();
                    begin(exchange, 200, PluginMetrics.CONTENT_TYPE, page.length());
                    page.writeTo(exchange.getResponseBody());
                }
                case "/readyz" -> {
                    Optional<String> why = unready.get();
                    respond(exchange, why.isPresent() ? 503 : 200, TEXT, line(why.orElse("ok")));
                }
                default -> respond(exchange, 404, TEXT, line("not found: the paths are /metrics and /readyz"));
            }
        } catch (RuntimeException e) {
            // The server closes the connection and logs nothing.
            LOG.error("a scrape failed", e);
            throw e;
        }
    }

    private static byte[] line(String sentence) {
        return (sentence + "\n").getBytes(StandardCharsets.UTF_8);
    }

    private static void respond(HttpExchange exchange, int status, String type, byte[] body) throws IOException {
        begin(exchange, status, type, body.length);
        exchange.getResponseBody().write(body);
    }

    private static void begin(HttpExchange exchange, int status, String type, long length) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.sendResponseHeaders(status, length);
    }

    /** The port on which it listens. */
    public int port() {
        return server.getAddress().getPort();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
