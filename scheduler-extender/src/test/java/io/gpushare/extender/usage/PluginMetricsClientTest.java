package io.gpushare.extender.usage;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.gpushare.extender.ledger.Ledger.NodeView;
import io.gpushare.extender.view.MemoryUsage.NodeUse;
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
    private static final Map<String, NodeUse> TOLD = Map.of("good", new NodeUse(Map.of("GPU-1", 7L), Map.of()));

    private volatile Instant now = Instant.parse("2026-11-20T12:00:00Z");
    private final PluginMetricsClient use = new PluginMetricsClient(() -> now);
    private final AtomicInteger asked = new AtomicInteger();
    private final CompletableFuture<Void> answering = new CompletableFuture<>();
    private HttpServer plugin;
    private NodeView good;

    @BeforeEach
    void start() throws Exception {
        plugin = HttpServer.create(new InetSocketAddress(HERE, 0), 0);
        plugin.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        plugin.createContext("/metrics", call -> {
            asked.incrementAndGet();
            answering.join();
            byte[] text = "gpushare_card_memory_used_bytes{card=\"GPU-1\"} 7\n".getBytes(StandardCharsets.UTF_8);
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
        return new NodeView(name, null, metrics, null, NodeCards.of(new Inventory(MemoryUnit.GIB, null, List.of())));
    }

    @Test
    void howeverManyLookAtOnceAPluginIsAskedOnce() {
        List<CompletableFuture<Map<String, NodeUse>>> looks = IntStream.range(0, 20)
                .mapToObj(look -> CompletableFuture.supplyAsync(
                        () -> use.of(List.of(good)),
                        command -> Thread.ofVirtual().start(command)))
                .toList();
        answering.completeOnTimeout(null, 300, TimeUnit.MILLISECONDS);
        assertThat(looks).allSatisfy(look -> assertThat(look.join()).isEqualTo(TOLD));
        assertThat(asked).hasValue(1);
    }

    @Test
    void whatAPluginSaidLongAgoIsNotToldAsIfItWereSoNow() throws Exception {
        answering.complete(null);
        assertThat(use.of(List.of(good))).isEqualTo(TOLD);
        now = now.plus(Duration.ofMinutes(1));
        // Accepts connections and answers none of them: more than can be asked in time before the good one's turn.
        try (ServerSocket silent = new ServerSocket(0, 200, HERE)) {
            List<NodeView> nodes = new ArrayList<>();
            for (int i = 0; i < 130; i++) {
                nodes.add(node("silent-" + i, "127.0.0.1:" + silent.getLocalPort() + "/" + i));
            }
            nodes.add(good);
            assertThat(use.of(nodes)).isEmpty();
        }
    }
}
