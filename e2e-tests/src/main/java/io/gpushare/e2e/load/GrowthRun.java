package io.gpushare.e2e.load;

import io.gpushare.e2e.load.client.Clients;
import io.gpushare.e2e.load.client.Connection;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicLong;

/** Measures whether the extender's memory grows over many filter calls. */
final class GrowthRun {
    private GrowthRun() {}

    static void measure(LoadCluster cluster, ServerProcess extender, int calls, int clients)
            throws IOException, InterruptedException, ExecutionException {
        List<byte[]> requests = VerbRun.requests(VerbRun.VERBS + "filter", cluster);
        AtomicLong remaining = new AtomicLong(calls);
        long before = extender.residentMib();
        long begin = System.nanoTime();
        Thread progress = Thread.ofVirtual().start(() -> {
            try {
                while (true) {
                    Thread.sleep(15_000);
                    LoadRun.print(
                            "    %,d filter calls to go, %,d MiB resident%n",
                            Math.max(0, remaining.get()), extender.residentMib());
                }
            } catch (InterruptedException | IOException _) {
                Thread.currentThread().interrupt();
            }
        });
        Clients.run(clients, client -> {
            try (Connection connection = new Connection(extender.port())) {
                while (remaining.getAndDecrement() > 0) {
                    connection.call(requests.get(client % requests.size()));
                }
            }
        });
        progress.interrupt();
        double took = (System.nanoTime() - begin) / 1e9;
        LoadRun.print(
                "  %,d filter calls by %d clients: %,.0f a second; %,d MiB resident before, %,d after%n",
                calls, clients, calls / took, before, extender.residentMib());
    }
}
