package io.gpushare.e2e.load;

import io.gpushare.e2e.load.budget.Latencies;
import io.gpushare.e2e.load.client.Clients;
import io.gpushare.e2e.load.client.Connection;
import io.gpushare.simulated.apiserver.SimulatedApiServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicLong;

/** Measures binds of many pods, several in flight, for different latencies of the API server. */
final class BindRun {
    private final LoadCluster cluster;
    private final SimulatedApiServer api;
    private final ServerProcess extender;
    private final int binds;
    private int created;

    /** @param binds the number of binds for each setting */
    BindRun(LoadCluster cluster, SimulatedApiServer api, ServerProcess extender, int binds) {
        this.cluster = cluster;
        this.api = api;
        this.extender = extender;
        this.binds = binds;
    }

    void measure() throws IOException, InterruptedException, ExecutionException {
        bind("to warm up", 64, Duration.ZERO);
        for (int[] setting : new int[][] {{64, 0}, {64, 20}, {16, 20}}) {
            bind("", setting[0], Duration.ofMillis(setting[1]));
        }
    }

    /** Binds without a warm-up. */
    void repeat(int times) throws IOException, InterruptedException, ExecutionException {
        for (int i = 0; i < times; i++) {
            bind("", 64, Duration.ZERO);
        }
    }

    private void bind(String note, int inFlight, Duration latency)
            throws IOException, InterruptedException, ExecutionException {
        List<byte[]> requests = new ArrayList<>();
        for (int i = 0; i < binds; i++) {
            String name = "bind-" + created++;
            String uid = api.add(LoadCluster.pod(name, 100, 1));
            // Every tenth node is full.
            int free = i % cluster.feasible();
            requests.add(Connection.post(
                    VerbRun.VERBS + "bind",
                    ("{\"PodName\":\"" + name + "\",\"PodNamespace\":\"load\",\"PodUID\":\"" + uid + "\",\"Node\":\""
                                    + LoadCluster.node(free / 9 * 10 + free % 9 + 1) + "\"}")
                            .getBytes(StandardCharsets.UTF_8)));
        }
        Thread.sleep(2000); // until the informer has them
        api.faults().latency(latency);
        AtomicLong next = new AtomicLong();
        AtomicLong failed = new AtomicLong();
        Latencies times = new Latencies(binds);
        Duration cpu = extender.cpu();
        long begin = System.nanoTime();
        Clients.run(inFlight, client -> {
            try (Connection connection = new Connection(extender.port())) {
                for (int i = (int) next.getAndIncrement(); i < binds; i = (int) next.getAndIncrement()) {
                    long sent = System.nanoTime();
                    connection.call(requests.get(i));
                    synchronized (times) {
                        times.add(System.nanoTime() - sent);
                    }
                    if (!new String(connection.response(), StandardCharsets.UTF_8).equals("{\"Error\":\"\"}")) {
                        failed.incrementAndGet();
                    }
                }
            }
        });
        double took = (System.nanoTime() - begin) / 1e9;
        double used = extender.cpu().minus(cpu).toNanos() / 1e9 / took;
        api.faults().latency(Duration.ZERO);
        LoadRun.print(
                "  bind, API server in %d ms, %d in flight: %,.0f a second, p50 %.0f ms, p99 %.0f ms; %d of %d not"
                        + " bound; the extender used %.2f of %d processors %s%n",
                latency.toMillis(),
                inFlight,
                binds / took,
                times.millis(0.5),
                times.millis(0.99),
                failed.get(),
                binds,
                used,
                Runtime.getRuntime().availableProcessors(),
                note);
        if (failed.get() > 0 && created <= cluster.free()) {
            throw new IOException(failed.get() + " of " + binds + " pods were not bound, although units were free");
        }
    }
}
