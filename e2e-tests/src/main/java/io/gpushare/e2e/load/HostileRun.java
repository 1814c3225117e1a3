package io.gpushare.e2e.load;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.simulated.apiserver.SimulatedApiServer;
import io.gpushare.simulated.client.ApiClient;
import io.gpushare.simulated.kubelet.ScriptedKubelet;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Measures what hostile tenants can do to the two programs, which run with the memory limits of their images: long
 * annotations, completed pods, idle connections and selectors.
 */
final class HostileRun {
    private static final int CARDS = 16;
    private static final int PODS_PER_CARD = 2;
    private static final int IDLE = 10_000;
    private static final int IDLE_AT_PLUGIN = 1_000;
    private static final Duration PLUGIN_START = Duration.ofMinutes(5);
    private static final long SEED = 20261124;

    private final Path repository;
    private final Path folder;
    private final LoadCluster cluster;
    private final int calls;

    /** @param calls measured calls of filter for each pod, after as many to warm up */
    HostileRun(Path repository, Path folder, int nodes, int calls) {
        this.repository = repository.toAbsolutePath();
        this.folder = folder;
        this.cluster = new LoadCluster(nodes, CARDS, PODS_PER_CARD);
        this.calls = calls;
    }

    /** Whether both programs still run at the end. */
    boolean measure() throws IOException, InterruptedException {
        LoadRun.print(
                "%n%,d nodes, %,d cards, %,d pods; on one node %,d pods with 250 KB of annotations and %,d completed"
                        + " ones; %,d waiting pods with 250 KB of annotations%n",
                cluster.nodes(),
                cluster.nodes() * CARDS,
                cluster.pods(),
                HostilePods.ANNOTATED,
                HostilePods.COMPLETED,
                HostilePods.WAITING);
        try (SimulatedApiServer api = SimulatedApiServer.start();
                ScriptedKubelet kubelet = new ScriptedKubelet(folder).start()) {
            cluster.fill(api);
            api.add(ApiClient.document("{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\""
                    + HostilePods.NODE + "\"},\"status\":{}}"));
            HostilePods.annotated(api, "listed", HostilePods.ANNOTATED);
            HostilePods.completed(api);
            HostilePods.waiting(api);
            Files.writeString(folder.resolve("cards"), "card kind=T4 memory=15GiB\n".repeat(8));
            Path kubeconfig = Files.writeString(folder.resolve("kubeconfig"), api.kubeconfig());
            long begin = System.nanoTime();
            try (ServerProcess plugin = ServerProcess.plugin(
                            repository, kubeconfig, HostilePods.NODE, folder, folder.resolve("plugin.log"));
                    ServerProcess extender = ServerProcess.extender(
                            repository, kubeconfig, folder.resolve("extender.log"), "--decide-in=filter")) {
                ready("plugin", plugin, PLUGIN_START, begin);
                ready("extender", extender, LoadRun.START, begin);
                // The same by watch events.
                HostilePods.annotated(api, "watched", HostilePods.ANNOTATED);
                List<SocketChannel> idle = idle(extender, IDLE);
                idle.addAll(idle(plugin, IDLE_AT_PLUGIN));
                try {
                    Processors.apart(extender, plugin, () -> filters(extender));
                } finally {
                    LoadRun.print("  %,d idle connections were left open by the programs%n", open(idle));
                    for (SocketChannel each : idle) {
                        each.close();
                    }
                }
                ready("plugin", plugin, PLUGIN_START, System.nanoTime());
                ready("extender", extender, LoadRun.START, System.nanoTime());
                LoadRun.print(
                        "  devices that the kubelet is offered: %,d%n",
                        kubelet.healthy("aliyun.com/gpu-mem").size());
                return plugin.alive() && extender.alive();
            }
        }
    }

    private static void ready(String name, ServerProcess program, Duration limit, long begin)
            throws IOException, InterruptedException {
        program.await(LoadRun.READY, limit);
        LoadRun.print(
                "  %-9s ready after %5.1f s, %,d MiB resident%n",
                name, (System.nanoTime() - begin) / 1e9, program.residentMib());
    }

    /** Connections on which nothing is sent. */
    private static List<SocketChannel> idle(ServerProcess program, int count) throws IOException {
        List<SocketChannel> channels = new ArrayList<>();
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), program.port());
        for (int i = 0; i < count; i++) {
            channels.add(SocketChannel.open(address));
        }
        return channels;
    }

    private static int open(List<SocketChannel> channels) throws IOException {
        int open = 0;
        for (SocketChannel each : channels) {
            each.configureBlocking(false);
            try {
                open += each.read(ByteBuffer.allocate(1)) == 0 ? 1 : 0;
            } catch (IOException _) {
                // The program has reset it.
            }
        }
        return open;
    }

    private boolean filters(ServerProcess extender) throws IOException {
        filter(extender, "ordinary pods", LoadCluster.pod("ordinary", 1000, 2));
        for (Map.Entry<String, ObjectNode> each : HostilePods.selectors(cluster).entrySet()) {
            filter(extender, each.getKey(), each.getValue());
        }
        filter(extender, "ordinary pods again", LoadCluster.pod("ordinary", 1000, 2));
        return true;
    }

    private void filter(ServerProcess extender, String what, ObjectNode pod) throws IOException {
        byte[] request =
                Connection.post(VerbRun.VERBS + "filter", LoadCluster.arguments(pod, cluster.names(new Random(SEED))));
        Latencies times = new Latencies(calls);
        try (Connection connection = new Connection(extender.port())) {
            for (int i = -calls; i < calls; i++) {
                long begin = System.nanoTime();
                connection.call(request);
                if (i >= 0) {
                    times.add(System.nanoTime() - begin);
                }
            }
            String response = new String(connection.response(), StandardCharsets.UTF_8);
            if (!response.endsWith("\"Error\":\"\"}")) {
                throw new IOException("filter failed: " + response.substring(Math.max(0, response.length() - 300)));
            }
            LoadRun.print(
                    "  filter, %-40s p50 %6.2f ms  p99 %6.2f ms  longest %6.2f ms  (%s)%n",
                    what,
                    times.millis(0.5),
                    times.millis(0.99),
                    times.millis(1),
                    response.contains("\"NodeNames\":[]") || response.contains("\"NodeNames\":null")
                            ? "no node"
                            : "a node");
        }
    }
}
