package io.gpushare.simulation;

import io.gpushare.extender.capacity.ClusterCapacity;
import io.gpushare.extender.policy.PolicyKind;
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

    /** Prints the table of all policies: the number of clusters, the first seed, and the words mig and lifetimes. */
    public static void main(String... args) throws InterruptedException {
        List<String> words = List.of(args);
        Suite suite = new Suite(
                Integer.parseInt(args[0]),
                Long.parseLong(args[1]),
                words.contains("mig"),
                List.of(PolicyKind.values()));
        int threads = Runtime.getRuntime().availableProcessors();
        System.out.println(
                words.contains("lifetimes")
                        ? suite.waits(threads, System.err::println)
                        : suite.run(threads, System.err::println));
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
        GpuWork work = GpuWork.of(ClusterCapacity.of(cluster.nodes()));
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
