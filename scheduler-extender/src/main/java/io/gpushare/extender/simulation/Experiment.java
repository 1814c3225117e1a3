package io.gpushare.extender.simulation;

import io.gpushare.extender.capacity.ClusterCapacity;
import io.gpushare.extender.capacity.FreeNode;
import io.gpushare.extender.capacity.PodRequest;
import io.gpushare.extender.simulation.trace.ArrivalOrder;
import io.gpushare.extender.simulation.trace.GpuWork;
import io.gpushare.extender.simulation.trace.NodeTrace;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** Every policy with every seed on one cluster and one list of pods; the same seed gives each policy the same pods. */
public record Experiment(
        NodeTrace nodes, List<PodRequest> pods, ArrivalOrder arrivals, List<Contestant> contestants, List<Long> seeds) {
    public Experiment {
        pods = List.copyOf(pods);
        contestants = List.copyOf(contestants);
        seeds = List.copyOf(seeds);
    }

    /**
     * Runs them all; ends when the last one has.
     *
     * @param nanos a clock for what the decisions of one thread take
     * @param progress is told a line after each run, from several threads
     * @return a result for each contestant, in their order
     */
    public List<Result> run(int threads, LongSupplier nanos, Consumer<String> progress) throws InterruptedException {
        AtomicInteger done = new AtomicInteger();
        try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
            List<List<Future<Curve>>> running = new ArrayList<>();
            for (Contestant contestant : contestants) {
                List<Future<Curve>> curves = new ArrayList<>();
                for (long seed : seeds) {
                    curves.add(pool.submit(() -> {
                        Curve curve = one(contestant, seed, nanos);
                        progress.accept(String.format(
                                Locale.ROOT,
                                "[%d/%d] %s, seed %d: %.2f %% allocated",
                                done.incrementAndGet(),
                                contestants.size() * seeds.size(),
                                contestant.name(),
                                seed,
                                curve.end()));
                        return curve;
                    }));
                }
                running.add(curves);
            }
            return results(running);
        }
    }

    private List<Result> results(List<List<Future<Curve>>> running) throws InterruptedException {
        List<Result> results = new ArrayList<>();
        for (int i = 0; i < running.size(); i++) {
            List<Curve> curves = new ArrayList<>();
            for (Future<Curve> each : running.get(i)) {
                try {
                    curves.add(each.get());
                } catch (ExecutionException e) {
                    throw new IllegalStateException(
                            "the replay of " + contestants.get(i).name() + " failed", e.getCause());
                }
            }
            results.add(new Result(contestants.get(i).name(), curves));
        }
        return results;
    }

    private Curve one(Contestant contestant, long seed, LongSupplier nanos) {
        List<FreeNode> rooms = nodes.rooms(seed);
        ClusterCapacity capacity = ClusterCapacity.of(rooms);
        GpuWork work = GpuWork.of(capacity);
        List<PodRequest> coming = ArrivalOrder.of(arrivals, pods, work, seed);
        return new Replay(work, nanos).run(coming, contestant.placer(rooms, capacity, seed, pods));
    }

    /** A line on what is replayed. */
    public String describe() {
        List<FreeNode> rooms = nodes.rooms(0);
        ClusterCapacity capacity = ClusterCapacity.of(rooms);
        GpuWork work = GpuWork.of(capacity);
        int cards = rooms.stream().mapToInt(node -> node.cards().size()).sum();
        double asked = pods.stream().mapToDouble(work::percent).sum();
        String how = switch (arrivals) {
            case ArrivalOrder.Once() -> "each comes once, in the order of the list";
            case ArrivalOrder.Shuffled(int percent) ->
                "shuffled, then drawn at random until " + percent + " % have arrived; " + seeds.size()
                        + (seeds.size() == 1 ? " seed" : " seeds");
        };
        return String.format(
                Locale.ROOT,
                "%,d nodes with %,d cards; %,d pods that ask for %.1f %% of them; %s",
                rooms.size(),
                cards,
                pods.size(),
                asked,
                how);
    }
}
