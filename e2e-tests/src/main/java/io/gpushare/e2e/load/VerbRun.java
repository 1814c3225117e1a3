package io.gpushare.e2e.load;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.e2e.load.budget.Budget;
import io.gpushare.e2e.load.budget.Budgets;
import io.gpushare.e2e.load.budget.Latencies;
import io.gpushare.e2e.load.client.Clients;
import io.gpushare.e2e.load.client.Connection;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;

/**
 * Measures kube-scheduler's calls for a pod, filter and prioritize, with one client and with several. The same requests
 * go to the bare handler for comparison.
 */
final class VerbRun {
    static final String VERBS = "/gpushare-scheduler/";
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int BLOCK = 50;
    private static final int WARM_UP = 3;
    // The number of different node orders.
    private static final int ORDERS = 8;
    private static final long SEED = 20261122;
    private static final int[][] KINDS = {{500, 1}, {1000, 2}, {2000, 3}, {4000, 6}};

    private final int calls;
    private final int clients;

    /**
     * Creates a run.
     *
     * @param calls measured calls of each verb by one client, after three times as many to warm up
     * @param clients the number of concurrent clients for the throughput
     */
    VerbRun(int calls, int clients) {
        this.calls = calls;
        this.clients = clients;
    }

    /** Requests for every kind of pod, with the nodes in different orders. */
    static List<byte[]> requests(String path, LoadCluster cluster) {
        List<byte[]> requests = new ArrayList<>();
        Random random = new Random(SEED);
        for (int order = 0; order < ORDERS; order++) {
            for (int[] kind : KINDS) {
                requests.add(Connection.post(path, LoadCluster.arguments(pod(kind), cluster.names(random))));
            }
        }
        return requests;
    }

    private static ObjectNode pod(int[] kind) {
        return LoadCluster.pod("pod-" + kind[1], kind[0], kind[1]);
    }

    /** The requests of one verb, the same for the bare handler, and the latencies of both. */
    final class Verb {
        private final String name;
        private final List<byte[]> requests = new ArrayList<>();
        private final List<byte[]> bareRequests = new ArrayList<>();
        private final Latencies extenderTimes = new Latencies(calls + BLOCK);
        private final Latencies bareTimes = new Latencies(calls + BLOCK);
        private int responseSize;

        Verb(String name) {
            this.name = name;
        }

        /** Adds a request. The bare handler returns a response of the same size. */
        void add(byte[] arguments, byte[] response) {
            responseSize = requests.isEmpty() ? response.length : responseSize;
            requests.add(Connection.post(VERBS + name, arguments));
            bareRequests.add(Connection.post("/" + response.length, arguments));
        }
    }

    /**
     * Calls as kube-scheduler does for a pod: filter for all nodes, then prioritize for the feasible ones if there are
     * several. The extender and the bare handler alternate in blocks of calls, so that other load affects both.
     */
    List<Verb> oneClient(LoadCluster cluster, String decides, ServerProcess extender, ServerProcess bare)
            throws IOException {
        boolean one = decides.equals("filter");
        Verb filter = new Verb("filter");
        Verb prioritize = new Verb("prioritize");
        try (Connection to = new Connection(extender.port());
                Connection toBare = new Connection(bare.port())) {
            Random random = new Random(SEED);
            for (int i = 0; i < ORDERS * KINDS.length; i++) {
                ObjectNode pod = pod(KINDS[i % KINDS.length]);
                byte[] all = LoadCluster.arguments(pod, cluster.names(random));
                String filtered = call(to, filter, all);
                String named = filtered.substring(filtered.indexOf('[') + 1, filtered.indexOf(']'));
                check(names(named) == (one ? 1 : cluster.feasible()), filtered);
                check(filtered.endsWith("\"Error\":\"\"}"), filtered);
                if (!one) {
                    // Nodes with the lowest score are omitted.
                    String scores = call(to, prioritize, LoadCluster.arguments(pod, named));
                    check(names(scores) > 0 && names(scores) < cluster.feasible(), scores);
                    for (JsonNode host : JSON.readTree(scores)) {
                        int score = host.path("Score").asInt();
                        check(host.path("Host").isTextual() && score > 0 && score <= 10, scores);
                    }
                }
            }
            List<Verb> verbs = one ? List.of(filter) : List.of(filter, prioritize);
            block(to, toBare, verbs, WARM_UP * calls, false);
            for (int done = 0; done < calls; done += BLOCK) {
                block(to, toBare, verbs, BLOCK, true);
            }
            return verbs;
        }
    }

    private static String call(Connection to, Verb verb, byte[] arguments) throws IOException {
        to.call(Connection.post(VERBS + verb.name, arguments));
        verb.add(arguments, to.response());
        return new String(to.response(), StandardCharsets.UTF_8);
    }

    private static int names(String text) {
        return text.split("gpu-node-", -1).length - 1;
    }

    /** Verifies a response, so that only correct work is measured. */
    private static void check(boolean correct, String response) throws IOException {
        if (!correct) {
            throw new IOException(
                    "unexpected response of the extender: " + response.substring(0, Math.min(300, response.length())));
        }
    }

    private static void block(Connection to, Connection toBare, List<Verb> verbs, int count, boolean measured)
            throws IOException {
        for (boolean ours : new boolean[] {true, false}) {
            for (int i = 0; i < count; i++) {
                for (Verb verb : verbs) {
                    byte[] request = (ours ? verb.requests : verb.bareRequests).get(i % verb.requests.size());
                    long begin = System.nanoTime();
                    (ours ? to : toBare).call(request);
                    if (measured) {
                        (ours ? verb.extenderTimes : verb.bareTimes).add(System.nanoTime() - begin);
                    }
                }
            }
        }
    }

    static void print(Verb verb) {
        LoadRun.print(
                "  %-10s p50 %6.2f ms  p99 %6.2f ms   bare p50 %6.2f ms  p99 %6.2f ms   ratio p50 %.2f  p99 %.2f"
                        + "   (%,d and %,d bytes)%n",
                verb.name,
                verb.extenderTimes.millis(0.5),
                verb.extenderTimes.millis(0.99),
                verb.bareTimes.millis(0.5),
                verb.bareTimes.millis(0.99),
                verb.extenderTimes.millis(0.5) / verb.bareTimes.millis(0.5),
                verb.extenderTimes.millis(0.99) / verb.bareTimes.millis(0.99),
                verb.requests.getFirst().length,
                verb.responseSize);
    }

    static void check(Verb verb, int nodes, Budgets budgets) {
        if (verb.name.equals("filter")) {
            budgets.check(Budget.FILTER_P50, nodes, verb.extenderTimes.millis(0.5) / verb.bareTimes.millis(0.5));
            budgets.check(Budget.FILTER_P99, nodes, verb.extenderTimes.millis(0.99) / verb.bareTimes.millis(0.99));
        }
    }

    void throughput(Verb verb, ServerProcess extender) throws IOException, InterruptedException, ExecutionException {
        double one = throughput(extender, verb.requests, 1);
        Duration cpu = extender.cpu();
        long begin = System.nanoTime();
        double many = throughput(extender, verb.requests, clients);
        double used = (double) extender.cpu().minus(cpu).toNanos() / (System.nanoTime() - begin);
        LoadRun.print(
                "  %-10s 1 client %,.0f a second, %d clients %,.0f: %.2f times; the extender used %.2f of %d"
                        + " processors%n",
                "", one, clients, many, many / one, used, Runtime.getRuntime().availableProcessors());
    }

    private double throughput(ServerProcess server, List<byte[]> requests, int parallel)
            throws InterruptedException, ExecutionException {
        int each = Math.max(BLOCK, calls / parallel);
        long begin = System.nanoTime();
        Clients.run(parallel, client -> {
            try (Connection connection = new Connection(server.port())) {
                for (int i = 0; i < each; i++) {
                    connection.call(requests.get(i % requests.size()));
                }
            }
        });
        return each * parallel * 1e9 / (System.nanoTime() - begin);
    }
}
