package io.gpushare.simulation;

import io.gpushare.extender.pod.PolicyKind;
import io.gpushare.extender.policy.KnownNode;
import io.gpushare.simulation.lifetimes.WaitTable;
import io.gpushare.simulation.suite.RegretTable;
import io.gpushare.simulation.suite.SuiteCluster;
import io.gpushare.simulation.trace.GpuWork;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Replays of every policy, through the extender's verbs, on clusters that are drawn at random; SIMULATE.md shows its
 * tables.
 *
 * @param clusters how many, with the seeds from {@code seed} up
 * @param mig whether some of their cards are cut into MIG instances
 */
public record Suite(int clusters, long seed, boolean mig, List<PolicyKind> policies) {
    public Suite {
        policies = List.copyOf(policies);
    }

    /**
     * Prints the table of all policies: the number of clusters, the first seed, and the words mig, all-kinds and
     * lifetimes.
     */
    public static void main(String... args) throws InterruptedException {
        List<String> words = List.of(args);
        List<PolicyKind> policies = List.of(PolicyKind.values());
        int clusters = Integer.parseInt(args[0]);
        long seed = Long.parseLong(args[1]);
        int threads = Runtime.getRuntime().availableProcessors();
        Suite suite = new Suite(clusters, seed, words.contains("mig"), policies);
        System.out.println(
                words.contains("lifetimes")
                        ? suite.waits(threads, System.err::println)
                        : words.contains("all-kinds")
                                ? ofAllKinds(clusters, seed, policies, threads, System.err::println)
                                : suite.run(threads, System.err::println));
    }

    /** The table of clusters of all kinds: three of ten have cards that are cut into MIG instances. */
    static RegretTable ofAllKinds(
            int clusters, long seed, List<PolicyKind> policies, int threads, Consumer<String> progress)
            throws InterruptedException {
        int cut = 3 * clusters / 10;
        List<RegretTable.Row> rows = new ArrayList<>(new Suite(clusters - cut, seed, false, policies)
                .run(threads, progress)
                .rows());
        rows.addAll(new Suite(cut, seed, true, policies).run(threads, progress).rows());
        return new RegretTable(policies, rows);
    }

    /**
     * Replays pods that stay, and returns when the last replay has ended.
     *
     * @param progress receives a line after each tenth cluster, from several threads
     */
    public RegretTable run(int threads, Consumer<String> progress) throws InterruptedException {
        return new RegretTable(policies, forEach(this::regret, threads, progress));
    }

    private RegretTable.Row regret(SuiteCluster cluster) {
        GpuWork work = GpuWork.of(KnownNode.capacity(cluster.nodes()));
        List<Double> allocated = new ArrayList<>();
        for (PolicyKind kind : policies) {
            Placer placer = new ExtenderPlacer(cluster.nodes(), kind, cluster.seed());
            allocated.add(new Replay(work, () -> 0).run(cluster.pods(), placer).end());
        }
        return new RegretTable.Row(cluster.seed(), cluster.description(), cluster.arrivals(), allocated);
    }

    /**
     * Replays pods that end, and returns when the last replay has ended: how long pods wait with each policy, in all
     * clusters together.
     */
    public WaitTable waits(int threads, Consumer<String> progress) throws InterruptedException {
        return forEach(cluster -> WaitTable.of(cluster.nodes(), cluster.timed(), policies, 1), threads, progress)
                .stream()
                .reduce(WaitTable::plus)
                .orElseThrow();
    }

    private <T> List<T> forEach(Function<SuiteCluster, T> replays, int threads, Consumer<String> progress)
            throws InterruptedException {
        AtomicInteger done = new AtomicInteger();
        try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
            List<Future<T>> running = new ArrayList<>();
            for (int i = 0; i < clusters; i++) {
                long number = seed + i;
                running.add(pool.submit(() -> {
                    T result = replays.apply(SuiteCluster.of(number, mig));
                    int count = done.incrementAndGet();
                    if (count % 10 == 0) {
                        progress.accept("[" + count + "/" + clusters + "] clusters");
                    }
                    return result;
                }));
            }
            List<T> results = new ArrayList<>();
            for (Future<T> each : running) {
                results.add(each.get());
            }
            return results;
        } catch (ExecutionException e) {
            throw new IllegalStateException("a replay failed", e.getCause());
        }
    }
}
