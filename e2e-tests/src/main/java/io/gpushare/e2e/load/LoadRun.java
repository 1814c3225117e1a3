package io.gpushare.e2e.load;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.simulated.apiserver.SimulatedApiServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine;

/** The load run as a program: see {@code e2e-tests/load}. */
@Command(
        name = "e2e-tests/load",
        description = "Measures the extender over HTTP: filter, prioritize and bind, by the size of the cluster.",
        mixinStandardHelpOptions = true,
        usageHelpWidth = 100)
public final class LoadRun implements Callable<Integer> {
    private static final Duration START = Duration.ofMinutes(5);
    private static final byte[] READY =
            "GET /readyz HTTP/1.1\r\nHost: extender\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String VERBS = "/gpushare-scheduler/";
    private static final int BLOCK = 50;
    private static final int WARM_UP = 3;
    // In how many orders the nodes are named.
    private static final int ORDERS = 8;
    private static final long SEED = 20261122;
    private static final int[][] KINDS = {{500, 1}, {1000, 2}, {2000, 3}, {4000, 6}};

    @Option(names = "--sizes", split = ",", defaultValue = "100,1000,5000", description = "Nodes. [${DEFAULT-VALUE}]")
    private List<Integer> sizes = List.of();

    @Option(
            names = "--decide-in",
            split = ",",
            defaultValue = "prioritize,filter",
            description =
                    "As the extender's option, one after the other; growth and binds with the last. [${DEFAULT-VALUE}]")
    private List<String> decideIn = List.of();

    @Option(
            names = "--calls",
            defaultValue = "1000",
            description = "Measured calls of each verb by one client, after three times as many to warm up."
                    + " [${DEFAULT-VALUE}]")
    private int calls;

    @Option(names = "--clients", defaultValue = "8", description = "Clients at one time. [${DEFAULT-VALUE}]")
    private int clients;

    @Option(
            names = "--long",
            defaultValue = "100000",
            description = "Filter calls on the largest cluster, to see whether memory grows. [${DEFAULT-VALUE}]")
    private int longRun;

    @Option(names = "--binds", defaultValue = "4000", description = "Pods to bind. [${DEFAULT-VALUE}]")
    private int binds;

    @Option(
            names = "--scrapes",
            defaultValue = "0",
            description = "Measure for so many seconds what Prometheus' scrapes cost, and nothing else.")
    private int scrapes;

    @Option(names = "--repository", defaultValue = ".", description = "The checkout, built; here by default.")
    private Path repository = Path.of(".");

    private int made;

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new LoadRun()).execute(arguments));
    }

    @Override
    public Integer call() throws IOException, InterruptedException, ExecutionException {
        Path folder = Files.createTempDirectory("gpushare-load-");
        print(
                "%d processors, JVM %s; logs in %s%n",
                Runtime.getRuntime().availableProcessors(), Runtime.version(), folder);
        for (int size : sizes) {
            LoadCluster cluster = new LoadCluster(size);
            print("%n%,d nodes, %,d cards, %,d pods%n", size, size * LoadCluster.CARDS, cluster.pods());
            try (SimulatedApiServer api = SimulatedApiServer.start()) {
                cluster.fill(api);
                for (String verb : scrapes > 0 ? List.of(decideIn.getLast()) : decideIn) {
                    print("  --decide-in=%s%n", verb);
                    measure(cluster, api, verb, folder);
                }
            }
        }
        return 0;
    }

    private void measure(LoadCluster cluster, SimulatedApiServer api, String decides, Path folder)
            throws IOException, InterruptedException, ExecutionException {
        boolean last = cluster.nodes() == sizes.getLast() && decides.equals(decideIn.getLast());
        Path kubeconfig = Files.writeString(folder.resolve("kubeconfig"), api.kubeconfig());
        long begin = System.nanoTime();
        try (ServerProcess extender = ServerProcess.extender(
                        repository,
                        kubeconfig,
                        "--decide-in=" + decides,
                        folder.resolve("extender-" + cluster.nodes() + "-" + decides + ".log"));
                ServerProcess bare =
                        ServerProcess.bare(repository, folder.resolve("bare-" + cluster.nodes() + "-" + decides + ".log"))) {
            extender.await(READY, START);
            if (scrapes > 0) {
                ScrapeCost.measure(
                        extender.port(), requests(VERBS + "filter", cluster), calls, Duration.ofSeconds(scrapes));
                return;
            }
            print(
                    "  ready after %.1f s, %,d MiB resident%n",
                    (System.nanoTime() - begin) / 1e9, extender.residentMib());
            bare.await(Connection.post("/1", new byte[1]), START);
            List<Verb> verbs = apart(extender, bare, () -> oneClient(cluster, decides, extender, bare));
            for (Verb verb : verbs) {
                print(verb);
                throughput(verb, extender);
            }
            print("  %,d MiB resident%n", extender.residentMib());
            if (last) {
                grow(cluster, extender);
                if (binds > 0) {
                    bind(cluster, api, extender);
                }
            }
        }
    }

    private interface Measured<T> {
        T run() throws IOException;
    }

    /**
     * Runs that while this program has one processor and the servers have another, as on a node each. Two programs that
     * take turns are put on one processor or on two as the kernel likes, each pair anew, and on one they take a third less
     * time: of what one client measures that would be chance.
     */
    private static <T> T apart(ServerProcess one, ServerProcess other, Measured<T> then) throws IOException, InterruptedException {
        String allowed = Processors.allowed();
        List<Integer> each = Processors.each(allowed);
        if (each.size() == 1) {
            return then.run();
        }
        long here = ProcessHandle.current().pid();
        try {
            Processors.pin(here, String.valueOf(each.getFirst()));
            // Not the next one: that may be the same core's other half.
            Processors.pin(one.pid(), String.valueOf(each.getLast()));
            Processors.pin(other.pid(), String.valueOf(each.getLast()));
            return then.run();
        } finally {
            for (long pid : new long[] {here, one.pid(), other.pid()}) {
                if (ProcessHandle.of(pid).isPresent()) {
                    Processors.pin(pid, allowed);
                }
            }
        }
    }

    private static List<byte[]> requests(String path, LoadCluster cluster) {
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

    /** One verb's requests, the same of the bare handler, and how long both took. */
    private final class Verb {
        private final String name;
        private final List<byte[]> asked = new ArrayList<>();
        private final List<byte[]> same = new ArrayList<>();
        private final Latencies ours = new Latencies(calls + BLOCK);
        private final Latencies limit = new Latencies(calls + BLOCK);
        private int answer;

        Verb(String name) {
            this.name = name;
        }

        /** These bodies, after one of each has been answered: so large an answer is asked of the bare handler. */
        void answered(byte[] arguments, byte[] answer) {
            this.answer = asked.isEmpty() ? answer.length : this.answer;
            asked.add(Connection.post(VERBS + name, arguments));
            same.add(Connection.post("/" + answer.length, arguments));
        }
    }

    /**
     * As kube-scheduler asks for a pod: filter for all nodes, and prioritize for those that it named, if it named several.
     * Extender and bare handler in turns, a block of calls each, so that what else the machine does falls on both.
     */
    private List<Verb> oneClient(LoadCluster cluster, String decides, ServerProcess extender, ServerProcess bare) throws IOException {
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

    private static void print(Verb verb) {
        print(
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

    private void throughput(Verb verb, ServerProcess extender) throws IOException, InterruptedException, ExecutionException {
        double one = throughput(extender, verb.asked, 1);
        Duration cpu = extender.cpu();
        long begin = System.nanoTime();
        double many = throughput(extender, verb.asked, clients);
        double used = (double) extender.cpu().minus(cpu).toNanos() / (System.nanoTime() - begin);
        print(
                "  %-10s 1 client %,.0f a second, %d clients %,.0f: %.2f times; the extender used %.2f of %d"
                        + " processors%n",
                "", one, clients, many, many / one, used, Runtime.getRuntime().availableProcessors());
    }

    private double throughput(ServerProcess server, List<byte[]> requests, int parallel)
            throws InterruptedException, ExecutionException {
        int each = Math.max(BLOCK, calls / parallel);
        long begin = System.nanoTime();
        at(parallel, client -> {
            try (Connection connection = new Connection(server.port())) {
                for (int i = 0; i < each; i++) {
                    connection.call(requests.get(i % requests.size()));
                }
            }
        });
        return each * parallel * 1e9 / (System.nanoTime() - begin);
    }

    private interface Client {
        void run(int number) throws IOException;
    }

    private static void at(int parallel, Client client) throws InterruptedException, ExecutionException {
        try (ExecutorService pool = Executors.newFixedThreadPool(parallel)) {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < parallel; i++) {
                int number = i;
                running.add(pool.submit(() -> {
                    client.run(number);
                    return null;
                }));
            }
            for (Future<?> each : running) {
                each.get();
            }
        }
    }

    private void grow(LoadCluster cluster, ServerProcess extender)
            throws IOException, InterruptedException, ExecutionException {
        List<byte[]> requests = requests(VERBS + "filter", cluster);
        AtomicLong left = new AtomicLong(longRun);
        long before = extender.residentMib();
        long begin = System.nanoTime();
        Thread progress = Thread.ofVirtual().start(() -> {
            try {
                while (true) {
                    Thread.sleep(15_000);
                    print(
                            "    %,d filter calls to go, %,d MiB resident%n",
                            Math.max(0, left.get()), extender.residentMib());
                }
            } catch (InterruptedException | IOException _) {
                Thread.currentThread().interrupt();
            }
        });
        at(clients, client -> {
            try (Connection connection = new Connection(extender.port())) {
                while (left.getAndDecrement() > 0) {
                    connection.call(requests.get(client % requests.size()));
                }
            }
        });
        progress.interrupt();
        double took = (System.nanoTime() - begin) / 1e9;
        print(
                "  %,d filter calls by %d clients: %,.0f a second; %,d MiB resident before, %,d after%n",
                longRun, clients, longRun / took, before, extender.residentMib());
    }

    private void bind(LoadCluster cluster, SimulatedApiServer api, ServerProcess extender)
            throws IOException, InterruptedException, ExecutionException {
        bind(cluster, api, extender, "to warm up", 64, Duration.ZERO);
        for (int[] setting : new int[][] {{64, 0}, {64, 20}, {16, 20}}) {
            bind(cluster, api, extender, "", setting[0], Duration.ofMillis(setting[1]));
        }
    }

    private void bind(
            LoadCluster cluster, SimulatedApiServer api, ServerProcess extender, String note, int inFlight, Duration latency)
            throws IOException, InterruptedException, ExecutionException {
        List<byte[]> requests = new ArrayList<>();
        for (int i = 0; i < binds; i++) {
            String name = "bind-" + made++;
            String uid = api.add(LoadCluster.pod(name, 100, 1));
            // Every tenth node is full.
            int free = i % cluster.feasible();
            requests.add(Connection.post(
                    VERBS + "bind",
                    ("{\"PodName\":\"" + name + "\",\"PodNamespace\":\"load\",\"PodUID\":\"" + uid + "\",\"Node\":\""
                                    + LoadCluster.node(free / 9 * 10 + free % 9 + 1) + "\"}")
                            .getBytes(StandardCharsets.UTF_8)));
        }
        Thread.sleep(2000); // the informer sees them
        api.faults().latency(latency);
        AtomicLong next = new AtomicLong();
        AtomicLong failed = new AtomicLong();
        Latencies times = new Latencies(binds);
        Duration cpu = extender.cpu();
        long begin = System.nanoTime();
        at(inFlight, client -> {
            try (Connection connection = new Connection(extender.port())) {
                for (int i = (int) next.getAndIncrement(); i < binds; i = (int) next.getAndIncrement()) {
                    long asked = System.nanoTime();
                    connection.call(requests.get(i));
                    synchronized (times) {
                        times.add(System.nanoTime() - asked);
                    }
                    if (!new String(connection.answer(), StandardCharsets.UTF_8).equals("{\"Error\":\"\"}")) {
                        failed.incrementAndGet();
                    }
                }
            }
        });
        double took = (System.nanoTime() - begin) / 1e9;
        double used = extender.cpu().minus(cpu).toNanos() / 1e9 / took;
        api.faults().latency(Duration.ZERO);
        print(
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
    }

    @SuppressWarnings("AnnotateFormatMethod") // the annotation is of a library that nothing else here needs
    static void print(String format, Object... values) {
        System.out.printf(Locale.ROOT, format, values);
    }
}
