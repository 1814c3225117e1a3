package io.gpushare.e2e.load;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.e2e.load.budget.Budget;
import io.gpushare.e2e.load.budget.Budgets;
import io.gpushare.e2e.load.budget.Latencies;
import io.gpushare.e2e.load.client.Connection;
import io.gpushare.simulated.apiserver.SimulatedApiServer;
import io.gpushare.simulated.client.ApiClient;
import io.gpushare.simulated.kubelet.ScriptedKubelet;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
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
 * annotations, completed pods, kept and idle connections, selectors, inventories and requests about pods of others.
 */
final class HostileRun {
    private static final int CARDS = 16;
    private static final int PODS_PER_CARD = 2;
    private static final int IDLE = 10_000;
    private static final int IDLE_AT_PLUGIN = 1_000;
    private static final int CONNECT_MILLIS = 2_000;
    private static final Duration PLUGIN_START = Duration.ofMinutes(5);
    private static final long SEED = 20261124;

    private final Path repository;
    private final Path folder;
    private final LoadCluster cluster;
    private final int calls;
    private final Budgets budgets;

    /** @param calls measured calls of filter for each pod, after as many to warm up */
    HostileRun(Path repository, Path folder, int nodes, int calls, Budgets budgets) {
        this.repository = repository.toAbsolutePath();
        this.folder = folder;
        this.cluster = new LoadCluster(nodes, CARDS, PODS_PER_CARD);
        this.calls = calls;
        this.budgets = budgets;
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
                boolean served = HostileCallers.measure(extender.port());
                try (Idle atExtender = Idle.open(extender.port(), IDLE);
                        Idle atPlugin = Idle.open(plugin.port(), IDLE_AT_PLUGIN);
                        // Without a certificate an earlier connection would have made place for the idle ones.
                        Connection kept = new Connection(extender.port())) {
                    LoadRun.print(
                            "  %,d idle connections to the extender, %,d to the plugin%n",
                            atExtender.count(), atPlugin.count());
                    Processors.apart(extender, plugin, () -> filters(kept, extender, api));
                }
                ready("plugin", plugin, PLUGIN_START, System.nanoTime());
                ready("extender", extender, LoadRun.START, System.nanoTime());
                LoadRun.print(
                        "  devices that the kubelet is offered: %,d%n",
                        kubelet.healthy("aliyun.com/gpu-mem").size());
                return served && plugin.alive() && extender.alive();
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

    /** Connections on which nothing is sent, as many as the program accepts. */
    private record Idle(List<Socket> sockets) implements AutoCloseable {
        static Idle open(int port, int most) {
            List<Socket> sockets = new ArrayList<>();
            InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
            try {
                while (sockets.size() < most) {
                    Socket socket = new Socket();
                    socket.connect(address, CONNECT_MILLIS);
                    sockets.add(socket);
                }
            } catch (IOException e) {
                LoadRun.print("  no more connections: %s%n", String.valueOf(e.getMessage()));
            }
            return new Idle(sockets);
        }

        int count() {
            return sockets.size();
        }

        @Override
        public void close() throws IOException {
            for (Socket each : sockets) {
                each.close();
            }
        }
    }

    private boolean filters(Connection kept, ServerProcess extender, SimulatedApiServer api) throws IOException {
        ordinary(kept, extender, "ordinary pods");
        for (Map.Entry<String, ObjectNode> each : HostilePods.selectors(cluster).entrySet()) {
            budgets.check(
                    Budget.SELECTORS,
                    cluster.nodes(),
                    filter(kept, extender, each.getKey(), each.getValue()).processorMillis());
        }
        ordinary(kept, extender, "ordinary pods again");
        new HostileInputs(api, kept, budgets, cluster.nodes()).measure(ordinary());
        return true;
    }

    private void ordinary(Connection kept, ServerProcess extender, String what) throws IOException {
        budgets.check(
                Budget.HOSTILE_P99,
                cluster.nodes(),
                filter(kept, extender, what, LoadCluster.pod("ordinary", 1000, 2))
                        .times()
                        .millis(0.99));
    }

    /** What one kind of pod costs. */
    private record Cost(double processorMillis, Latencies times) {}

    private byte[] ordinary() throws IOException {
        return request(LoadCluster.pod("ordinary", 1000, 2));
    }

    private byte[] request(ObjectNode pod) throws IOException {
        return Connection.post(VerbRun.VERBS + "filter", LoadCluster.arguments(pod, cluster.names(new Random(SEED))));
    }

    private Cost filter(Connection kept, ServerProcess extender, String what, ObjectNode pod) throws IOException {
        byte[] request = request(pod);
        for (int i = 0; i < calls; i++) {
            kept.call(request);
        }
        Latencies times = new Latencies(calls);
        Duration cpu = extender.eventLoopCpu();
        for (int i = 0; i < calls; i++) {
            long begin = System.nanoTime();
            kept.call(request);
            times.add(System.nanoTime() - begin);
        }
        double each = extender.eventLoopCpu().minus(cpu).toNanos() / 1e6 / calls;
        String response = new String(kept.response(), StandardCharsets.UTF_8);
        if (!response.endsWith("\"Error\":\"\"}")) {
            throw new IOException("filter failed: " + response.substring(Math.max(0, response.length() - 300)));
        }
        LoadRun.print(
                "  filter, %-46s %5.2f ms of a processor  p50 %6.2f ms  p99 %6.2f ms  longest %6.2f ms  (%s)%n",
                what,
                each,
                times.millis(0.5),
                times.millis(0.99),
                times.millis(1),
                response.contains("\"NodeNames\":[\"") ? "a node" : "no node");
        return new Cost(each, times);
    }
}
