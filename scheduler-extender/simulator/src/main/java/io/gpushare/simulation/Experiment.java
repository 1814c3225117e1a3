package io.gpushare.simulation;

import io.gpushare.extender.pod.PodRequest;
import io.gpushare.extender.policy.KnownNode;
import io.gpushare.extender.policy.scoring.ClusterCapacity;
import io.gpushare.simulation.trace.ArrivalOrder;
import io.gpushare.simulation.trace.BadInputException;
import io.gpushare.simulation.trace.GpuWork;
import io.gpushare.simulation.trace.NodeTrace;
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

/** Replays of every policy with every seed on one cluster. The same seed gives each policy the same pods. */
public record Experiment(
        NodeTrace nodes, List<PodRequest> pods, ArrivalOrder arrivals, List<Contestant> contestants, List<Long> seeds) {
    public Experiment {
        pods = List.copyOf(pods);
        contestants = List.copyOf(contestants);
        seeds = List.copyOf(seeds);
    }

    /** An experiment with such input; refused if it could not end. */
    public static Experiment of(
            NodeTrace nodes,
            List<PodRequest> pods,
            ArrivalOrder arrivals,
            List<Contestant> contestants,
            List<Long> seeds)
            throws BadInputException {
        ArrivalOrder.check(arrivals, pods, GpuWork.of(KnownNode.capacity(nodes.nodes(0))));
        return new Experiment(nodes, pods, arrivals, contestants, seeds);
    }

    /**
     * Runs all replays and returns when the last one has ended.
     *
     * @param nanos a clock for the decisions of one thread
     * @param progress receives a line after each replay, from several threads
     * @return one result per contestant, in their order
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
        List<KnownNode> empty = nodes.nodes(seed);
        ClusterCapacity capacity = KnownNode.capacity(empty);
        GpuWork work = GpuWork.of(capacity);
        List<PodRequest> arriving = ArrivalOrder.of(arrivals, pods, work, seed);
        return new Replay(work, nanos).run(arriving, contestant.placer(empty, capacity, seed, pods));
    }

    /** Describes the experiment in one line. */
    public String describe() {
        List<KnownNode> empty = nodes.nodes(0);
        ClusterCapacity capacity = KnownNode.capacity(empty);
        GpuWork work = GpuWork.of(capacity);
        int cards = empty.stream()
                .mapToInt(node -> node.entry().cards().cards().size())
                .sum();
        double requested = pods.stream().mapToDouble(work::percent).sum();
        String how = switch (arrivals) {
            case ArrivalOrder.Once() -> "each arrives once, in the order of the list";
            case ArrivalOrder.Shuffled(int percent) ->
                "shuffled, then drawn at random until " + percent + " % have arrived; " + seeds.size()
                        + (seeds.size() == 1 ? " seed" : " seeds");
        };
        return String.format(
                Locale.ROOT,
                "%,d nodes with %,d cards; %,d pods that request %.1f %% of them; %s",
                empty.size(),
                cards,
                pods.size(),
                requested,
                how);
    }
}
