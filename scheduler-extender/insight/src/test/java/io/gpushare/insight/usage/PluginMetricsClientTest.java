package io.gpushare.insight.usage;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.gpushare.extender.ledger.ClusterState.NodeView;
import io.gpushare.insight.waste.CardFigure;
import io.gpushare.insight.waste.CardUsage.CardUse;
import io.gpushare.insight.waste.CardUsage.NodeUse;
import io.gpushare.model.card.Inventory;
import io.gpushare.model.card.MemoryUnit;
import io.gpushare.model.ledger.NodeCards;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PluginMetricsClientTest {
    private static final InetAddress HERE = InetAddress.getLoopbackAddress();
    private static final Map<String, NodeUse> REPORTED =
            Map.of("good", new NodeUse(Map.of("GPU-1", new CardUse(Map.of(CardFigure.USED_BYTES, 7L))), Map.of()));

    private volatile Instant now = Instant.parse("2026-11-20T12:00:00Z");
    private final PluginMetricsClient client = new PluginMetricsClient(() -> now);
    private final AtomicInteger scrapes = new AtomicInteger();
    private final CompletableFuture<Void> responding = new CompletableFuture<>();
    private volatile String page = "gpushare_card_memory_used_bytes{card=\"GPU-1\"} 7\n";
    private HttpServer plugin;
    private NodeView good;

    @BeforeEach
    void start() throws Exception {
        plugin = HttpServer.create(new InetSocketAddress(HERE, 0), 0);
        plugin.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        plugin.createContext("/metrics", call -> {
            scrapes.incrementAndGet();
            responding.join();
            byte[] text = page.getBytes(StandardCharsets.UTF_8);
            call.sendResponseHeaders(200, text.length);
            call.getResponseBody().write(text);
            call.close();
        });
        plugin.start();
        good = node("good", "127.0.0.1:" + plugin.getAddress().getPort());
    }

    @AfterEach
    void stop() {
        plugin.stop(0);
    }

    private static NodeView node(String name, String metrics) {
        return new NodeView(
                name, null, metrics, null, null, NodeCards.of(new Inventory(MemoryUnit.GIB, null, List.of())));
    }

    @Test
    void concurrentReadersShareOneScrape() {
        List<CompletableFuture<Map<String, NodeUse>>> readers = IntStream.range(0, 20)
                .mapToObj(reader -> CompletableFuture.supplyAsync(
                        () -> client.of(List.of(good)),
                        command -> Thread.ofVirtual().start(command)))
                .toList();
        responding.completeOnTimeout(null, 300, TimeUnit.MILLISECONDS);
        assertThat(readers).allSatisfy(reader -> assertThat(reader.join()).isEqualTo(REPORTED));
        assertThat(scrapes).hasValue(1);
    }

    /** Its last line was read as a number of fewer digits. */
    @Test
    void ofAPageThatIsTooLongNoLineIsReadInPart() {
        responding.complete(null);
        String line = "gpushare_card_memory_used_bytes{card=\"GPU-2\"} 1";
        page = page + "#".repeat((4 << 20) - page.length() - line.length() - 1) + "\n" + line + "234567890\n";
        assertThat(client.of(List.of(good))).isEqualTo(REPORTED);
    }

    @Test
    void oldUsageIsNotReportedAsCurrent() throws Exception {
        responding.complete(null);
        assertThat(client.of(List.of(good))).isEqualTo(REPORTED);
        now = now.plus(Duration.ofMinutes(1));
        // Accepts connections and never responds: more nodes than the client can query in time before the good one.
        try (ServerSocket silent = new ServerSocket(0, 200, HERE)) {
            List<NodeView> nodes = new ArrayList<>();
            for (int i = 0; i < 130; i++) {
                nodes.add(node("silent-" + i, "127.0.0.1:" + silent.getLocalPort() + "/" + i));
            }
            nodes.add(good);
            assertThat(client.of(nodes)).isEmpty();
        }
    }
}
