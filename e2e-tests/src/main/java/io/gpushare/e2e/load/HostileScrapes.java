package io.gpushare.e2e.load;

import io.gpushare.e2e.load.client.Clients;
import io.gpushare.e2e.load.client.Connection;
import io.gpushare.simulated.apiserver.SimulatedApiServer;
import io.gpushare.simulated.client.ApiClient;
import io.gpushare.simulated.kubelet.CrowdedNode;
import io.gpushare.simulated.kubelet.ScriptedKubelet;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Measures scrapes of the device plugin on a node with as many containers as a kubelet admits by default, which have
 * the longest names.
 */
final class HostileScrapes {
    private static final int CALLERS = 16;
    private static final int ROUNDS = 10;
    private static final byte[] SCRAPE =
            "GET /metrics HTTP/1.1\r\nHost: plugin\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    private HostileScrapes() {}

    /** Whether the plugin still runs afterwards. */
    static boolean measure(Path repository, Path parent) throws IOException, InterruptedException, ExecutionException {
        Path folder = Files.createDirectory(parent.resolve("s"));
        LoadRun.print(
                "%n%,d containers of pods with names of 253 characters on one node; %d scrapes at once, %d times%n",
                CrowdedNode.CONTAINERS, CALLERS, ROUNDS);
        try (SimulatedApiServer api = SimulatedApiServer.start();
                ScriptedKubelet kubelet = new ScriptedKubelet(folder).start()) {
            api.add(ApiClient.document("{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\""
                    + HostilePods.NODE + "\"},\"status\":{}}"));
            CrowdedNode node = new CrowdedNode(HostilePods.NODE);
            Files.write(folder.resolve("cards"), node.cards());
            node.pods().forEach(api::add);
            kubelet.podResources(node.podResources());
            Path kubeconfig = Files.writeString(folder.resolve("kubeconfig"), api.kubeconfig());
            try (ServerProcess plugin = ServerProcess.plugin(
                    repository,
                    kubeconfig,
                    HostilePods.NODE,
                    folder,
                    folder.resolve("plugin.log"),
                    "--memory-unit=256MiB")) {
                plugin.await(LoadRun.READY, LoadRun.START);
                scrape(plugin);
                if (!plugin.alive()) {
                    LoadRun.print("  the plugin ENDED; see %s%n", folder.resolve("plugin.log"));
                    return false;
                }
                LoadRun.print("  %,d MiB resident%n", plugin.residentMib());
                return true;
            }
        }
    }

    private static void scrape(ServerProcess plugin) throws InterruptedException, ExecutionException {
        AtomicInteger served = new AtomicInteger();
        AtomicInteger refused = new AtomicInteger();
        AtomicLong longest = new AtomicLong();
        AtomicLong bytes = new AtomicLong();
        for (int round = 0; round < ROUNDS; round++) {
            Clients.run(CALLERS, _ -> {
                long begin = System.nanoTime();
                try (Connection connection = new Connection(plugin.port())) {
                    connection.call(SCRAPE);
                    bytes.set(connection.response().length);
                    served.incrementAndGet();
                    longest.accumulateAndGet(System.nanoTime() - begin, Math::max);
                } catch (IOException e) {
                    refused.incrementAndGet();
                }
            });
        }
        LoadRun.print(
                "  %d served, the longest after %.0f ms; %d refused; the last page has %,d bytes%n",
                served.get(), longest.get() / 1e6, refused.get(), bytes.get());
    }
}
