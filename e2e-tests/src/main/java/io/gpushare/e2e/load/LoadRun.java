package io.gpushare.e2e.load;

import io.gpushare.e2e.load.budget.Budget;
import io.gpushare.e2e.load.budget.Budgets;
import io.gpushare.e2e.load.client.Connection;
import io.gpushare.simulated.apiserver.SimulatedApiServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command line of the load run; {@code e2e-tests/load} starts it. */
@Command(
        name = "e2e-tests/load",
        description = "Measures the extender over HTTP: filter, prioritize and bind, by the size of the cluster.",
        mixinStandardHelpOptions = true,
        usageHelpWidth = 100)
public final class LoadRun implements Callable<Integer> {
    static final Duration START = Duration.ofMinutes(5);
    static final byte[] READY = "GET /readyz HTTP/1.1\r\nHost: extender\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    @Option(names = "--sizes", split = ",", defaultValue = "100,1000,5000", description = "Nodes. [${DEFAULT-VALUE}]")
    private List<Integer> sizes = List.of();

    @Option(
            names = "--decide-in",
            split = ",",
            defaultValue = "prioritize,filter",
            description =
                    "Values of the extender's option, in order; growth and binds use the last. [${DEFAULT-VALUE}]")
    private List<String> decideIn = List.of();

    @Option(
            names = "--calls",
            defaultValue = "1000",
            description = "Measured calls of each verb by one client, after three times as many to warm up."
                    + " [${DEFAULT-VALUE}]")
    private int calls;

    @Option(names = "--clients", defaultValue = "8", description = "Concurrent clients. [${DEFAULT-VALUE}]")
    private int clients;

    @Option(
            names = "--long",
            defaultValue = "100000",
            description = "Filter calls on the largest cluster, to measure memory growth. [${DEFAULT-VALUE}]")
    private int longRun;

    @Option(names = "--binds", defaultValue = "4000", description = "Pods to bind. [${DEFAULT-VALUE}]")
    private int binds;

    @Option(
            names = "--scrapes",
            defaultValue = "0",
            description = "Only measure the cost of Prometheus scrapes, for so many seconds.")
    private int scrapes;

    @Option(
            names = "--hostile",
            description = "Only measure what hostile tenants can do to both programs, at the largest number of nodes.")
    private boolean hostile;

    @Option(
            names = "--start",
            split = ",",
            paramLabel = "IMAGES",
            description = "Only compare the start of both programs and the first binds, for these folders of image"
                    + " files, with the first of --sizes.")
    private List<Path> images = List.of();

    @Option(names = "--rounds", defaultValue = "3", description = "Rounds of --start. [${DEFAULT-VALUE}]")
    private int rounds;

    @Option(
            names = "--budget",
            paramLabel = "BUDGET=LIMIT",
            description = "Another limit for a budget of BENCHMARKS.md, for any number of nodes:"
                    + " ${COMPLETION-CANDIDATES}. The run ends with 1 if it misses a budget.")
    private Map<Budget, Double> limits = Map.of();

    @Option(
            names = "--repository",
            defaultValue = ".",
            description = "The built checkout; the current directory by default.")
    private Path repository = Path.of(".");

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new LoadRun()).execute(arguments));
    }

    @Override
    public Integer call() throws IOException, InterruptedException, ExecutionException {
        Path folder = Files.createTempDirectory("gpushare-load-");
        print(
                "%d processors, JVM %s; logs in %s%n",
                Runtime.getRuntime().availableProcessors(), Runtime.version(), folder);
        Budgets budgets = new Budgets(limits);
        if (hostile) {
            boolean alive = new HostileRun(repository, folder, sizes.getLast(), calls, budgets).measure();
            alive &= HostileClaims.measure(repository.toAbsolutePath(), folder);
            alive &= HostileScrapes.measure(repository, folder);
            return alive && kept(budgets) ? 0 : 1;
        }
        if (!images.isEmpty()) {
            // The extender of the image is another user.
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
            new StartRun(repository, folder, sizes.getFirst()).measure(images, rounds);
            return 0;
        }
        for (int size : sizes) {
            LoadCluster cluster = new LoadCluster(size);
            print("%n%,d nodes, %,d cards, %,d pods%n", size, size * cluster.cards(), cluster.pods());
            try (SimulatedApiServer api = SimulatedApiServer.start()) {
                cluster.fill(api);
                for (String verb : scrapes > 0 ? List.of(decideIn.getLast()) : decideIn) {
                    print("  --decide-in=%s%n", verb);
                    measure(cluster, api, verb, folder, budgets);
                }
            }
        }
        return kept(budgets) ? 0 : 1;
    }

    private static boolean kept(Budgets budgets) {
        budgets.missed().forEach(sentence -> print("%nBUDGET MISSED: %s%n", sentence));
        return budgets.missed().isEmpty();
    }

    private void measure(LoadCluster cluster, SimulatedApiServer api, String decides, Path folder, Budgets budgets)
            throws IOException, InterruptedException, ExecutionException {
        boolean last = cluster.nodes() == sizes.getLast() && decides.equals(decideIn.getLast());
        Path kubeconfig = Files.writeString(folder.resolve("kubeconfig"), api.kubeconfig());
        long begin = System.nanoTime();
        try (ServerProcess extender = ServerProcess.extender(
                        repository,
                        kubeconfig,
                        folder.resolve("extender-" + cluster.nodes() + "-" + decides + ".log"),
                        "--decide-in=" + decides);
                ServerProcess bare = ServerProcess.bare(
                        repository, folder.resolve("bare-" + cluster.nodes() + "-" + decides + ".log"))) {
            extender.await(READY, START);
            if (scrapes > 0) {
                ScrapeCost.measure(
                        extender.port(),
                        VerbRun.requests(VerbRun.VERBS + "filter", cluster),
                        calls,
                        Duration.ofSeconds(scrapes));
                return;
            }
            print(
                    "  ready after %.1f s, %,d MiB resident%n",
                    (System.nanoTime() - begin) / 1e9, extender.residentMib());
            bare.await(Connection.post("/1", new byte[1]), START);
            VerbRun run = new VerbRun(calls, clients);
            List<VerbRun.Verb> verbs =
                    Processors.apart(extender, bare, () -> run.oneClient(cluster, decides, extender, bare));
            for (VerbRun.Verb verb : verbs) {
                VerbRun.print(verb);
                VerbRun.check(verb, cluster.nodes(), budgets);
                run.throughput(verb, extender);
            }
            print("  %,d MiB resident%n", extender.residentMib());
            budgets.check(Budget.MEMORY, cluster.nodes(), (double) extender.residentMib());
            if (last) {
                GrowthRun.measure(cluster, extender, longRun, clients);
                budgets.check(Budget.MEMORY, cluster.nodes(), (double) extender.residentMib());
                if (binds > 0) {
                    new BindRun(cluster, api, extender, binds).measure();
                }
            }
        }
    }

    @SuppressWarnings("AnnotateFormatMethod") // the annotation would need another dependency
    static void print(String format, Object... values) {
        System.out.printf(Locale.ROOT, format, values);
    }
}
