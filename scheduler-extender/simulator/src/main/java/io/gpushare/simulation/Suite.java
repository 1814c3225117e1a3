package io.gpushare.simulation;

import io.gpushare.extender.capacity.ClusterCapacity;
import io.gpushare.extender.policy.PolicyKind;
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

/**
 * Replays of every policy, through the extender's verbs, on clusters that are drawn at random.
 *
 * @param clusters how many, with the seeds from {@code seed} up
 */
public record Suite(int clusters, long seed, List<PolicyKind> policies) {
    public Suite {
        policies = List.copyOf(policies);
    }

    /**
     * Runs all replays and returns when the last one has ended.
     *
     * @param progress receives a line after each tenth cluster, from several threads
     */
    public RegretTable run(int threads, Consumer<String> progress) throws InterruptedException {
        AtomicInteger done = new AtomicInteger();
        try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
            List<Future<RegretTable.Row>> running = new ArrayList<>();
            for (int i = 0; i < clusters; i++) {
                long number = seed + i;
                running.add(pool.submit(() -> {
                    RegretTable.Row row = one(number);
                    int count = done.incrementAndGet();
                    if (count % 10 == 0) {
                        progress.accept("[" + count + "/" + clusters + "] clusters");
                    }
                    return row;
                }));
            }
            List<RegretTable.Row> rows = new ArrayList<>();
            for (Future<RegretTable.Row> each : running) {
                rows.add(each.get());
            }
            return new RegretTable(policies, rows);
        } catch (ExecutionException e) {
            throw new IllegalStateException("a replay failed", e.getCause());
        }
    }

    private RegretTable.Row one(long number) {
        SuiteCluster cluster = SuiteCluster.of(number);
        GpuWork work = GpuWork.of(ClusterCapacity.of(cluster.nodes()));
        List<Double> allocated = new ArrayList<>();
        for (PolicyKind kind : policies) {
            Placer placer = new ExtenderPlacer(cluster.nodes(), kind, number);
            allocated.add(new Replay(work, () -> 0).run(cluster.pods(), placer).end());
        }
        return new RegretTable.Row(number, cluster.description(), allocated);
    }
}
