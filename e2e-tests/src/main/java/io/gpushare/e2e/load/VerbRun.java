package io.gpushare.e2e.load;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;

/**
 * The calls that kube-scheduler makes for a pod, filter and prioritize, by one client and by several. The same requests go
 * to a handler that only reads and answers as much.
 */
final class VerbRun {
    static final String VERBS = "/gpushare-scheduler/";
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int BLOCK = 50;
    private static final int WARM_UP = 3;
    // In how many orders the nodes are named.
    private static final int ORDERS = 8;
    private static final long SEED = 20261122;
    private static final int[][] KINDS = {{500, 1}, {1000, 2}, {2000, 3}, {4000, 6}};

    private final int calls;
    private final int clients;

    /**
     * Prepares a run.
     *
     * @param calls measured calls of each verb by one client, after three times as many to warm up
     * @param clients clients at one time, for the throughput
     */
    VerbRun(int calls, int clients) {
        this.calls = calls;
        this.clients = clients;
    }

    /** Requests of every kind of pod, with the nodes in different orders. */
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
        private final List<byte[]> asked = new ArrayList<>();
        private final List<byte[]> same = new ArrayList<>();
        private final Latencies ours = new Latencies(calls + BLOCK);
        private final Latencies limit = new Latencies(calls + BLOCK);
        private int answer;

        Verb(String name) {
            this.name = name;
        }

        /** Adds a request. The bare handler is asked for a response of the same size. */
        void answered(byte[] arguments, byte[] answer) {
            this.answer = asked.isEmpty() ? answer.length : this.answer;
            asked.add(Connection.post(VERBS + name, arguments));
            same.add(Connection.post("/" + answer.length, arguments));
        }
    }

    /**
     * As kube-scheduler calls for a pod: filter for all nodes, and prioritize for those that it named, if it named several.
     * Extender and bare handler in turns, a block of calls each, so that what else the machine does falls on both.
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
                String filtered = answer(to, filter, all);
                String named = filtered.substring(filtered.indexOf('[') + 1, filtered.indexOf(']'));
                check(names(named) == (one ? 1 : cluster.feasible()), filtered);
                check(filtered.endsWith("\"Error\":\"\"}"), filtered);
                if (!one) {
                    // Who has the least score is not named.
                    String scores = answer(to, prioritize, LoadCluster.arguments(pod, named));
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

    private static String answer(Connection to, Verb verb, byte[] arguments) throws IOException {
        to.call(Connection.post(VERBS + verb.name, arguments));
        verb.answered(arguments, to.answer());
        return new String(to.answer(), StandardCharsets.UTF_8);
    }

    private static int names(String text) {
        return text.split("gpu-node-", -1).length - 1;
    }

    /** That the answer is one: what is measured must be the work. */
    private static void check(boolean right, String answer) throws IOException {
        if (!right) {
            throw new IOException("the extender answered " + answer.substring(0, Math.min(300, answer.length())));
        }
    }

    private static void block(Connection to, Connection toBare, List<Verb> verbs, int count, boolean measured)
            throws IOException {
        for (boolean ours : new boolean[] {true, false}) {
            for (int i = 0; i < count; i++) {
                for (Verb verb : verbs) {
                    byte[] request = (ours ? verb.asked : verb.same).get(i % verb.asked.size());
                    long begin = System.nanoTime();
                    (ours ? to : toBare).call(request);
                    if (measured) {
                        (ours ? verb.ours : verb.limit).add(System.nanoTime() - begin);
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
                verb.ours.millis(0.5),
                verb.ours.millis(0.99),
                verb.limit.millis(0.5),
                verb.limit.millis(0.99),
                verb.ours.millis(0.5) / verb.limit.millis(0.5),
                verb.ours.millis(0.99) / verb.limit.millis(0.99),
                verb.asked.getFirst().length,
                verb.answer);
    }

    void throughput(Verb verb, ServerProcess extender) throws IOException, InterruptedException, ExecutionException {
        double one = throughput(extender, verb.asked, 1);
        Duration cpu = extender.cpu();
        long begin = System.nanoTime();
        double many = throughput(extender, verb.asked, clients);
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
