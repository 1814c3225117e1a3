package io.gpushare.simulation.lifetimes;

import io.gpushare.extender.pod.PodRequest;
import io.gpushare.extender.pod.PolicyKind;
import io.gpushare.extender.policy.KnownNode;
import io.gpushare.extender.policy.scoring.ClusterCapacity;
import io.gpushare.simulation.cluster.SimulatedExtender;
import io.gpushare.simulation.cluster.SimulatedExtender.Placed;
import io.gpushare.simulation.trace.PodClass;
import io.gpushare.simulation.trace.TimedPod;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** One replay of pods that come and end, through the extender's verbs, until the last one has ended. */
final class Timeline {
    private final SimulatedExtender extender;
    private final List<TimedPod> pods;
    private final double capacity;
    private final double cardUnits;
    private final double speed;
    private final PodQueue queue = new PodQueue();
    private final PriorityQueue<Running> running =
            new PriorityQueue<>(Comparator.comparingLong(Running::end).thenComparingInt(Running::number));
    // The nodes where a pod has ended, in order; and how many had when no node fitted that kind of pod.
    private final List<String> freed = new ArrayList<>();
    private final Map<PodRequest, Integer> failed = new HashMap<>();
    // Jobs of whole cards that wait, by the number of cards.
    private final NavigableMap<Integer, Integer> waitingJobs = new TreeMap<>();
    private final Waits waits = new Waits();
    private double used;
    private double usedTime;
    private int started;

    private record Running(Placed placed, long end, int number) {}

    /** @param speed how much faster pods come than in the list; they run as long */
    Timeline(List<KnownNode> nodes, PolicyKind kind, List<TimedPod> pods, double speed) {
        ClusterCapacity all = KnownNode.capacity(nodes);
        this.extender = new SimulatedExtender(nodes, kind, 0);
        this.capacity = all.units();
        this.cardUnits = all.cardUnits();
        this.speed = speed;
        this.pods = pods.stream()
                .sorted(Comparator.comparingLong(TimedPod::created))
                .toList();
    }

    private long created(int pod) {
        return (long) (pods.get(pod).created() / speed);
    }

    Waits run() {
        int next = 0;
        long first = created(0);
        long last = created(pods.size() - 1);
        long now = first;
        while (true) {
            for (; next < pods.size() && created(next) <= now; next++) {
                TimedPod pod = pods.get(next);
                queue.add(new PodQueue.Waiting(extender.arrived(pod.request()), created(next), pod.duration(), next));
            }
            end(now);
            schedule(now);
            long arrival = next < pods.size() ? created(next) : Long.MAX_VALUE;
            long ending = running.isEmpty() ? Long.MAX_VALUE : running.element().end;
            long then = Math.min(Math.min(arrival, ending), queue.nextBackoff());
            if (then == Long.MAX_VALUE) {
                break;
            }
            pass(now, then, last);
            now = then;
        }
        waits.never(queue.waiting());
        waits.allocated(last == first ? 0 : usedTime / (capacity * (last - first)));
        return waits;
    }

    private void end(long now) {
        boolean ended = false;
        while (!running.isEmpty() && running.element().end <= now) {
            Placed placed = running.remove().placed;
            extender.ended(placed);
            used -= placed.units();
            freed.add(placed.node());
            ended = true;
        }
        if (ended) {
            queue.freed();
        }
    }

    private void schedule(long now) {
        for (PodQueue.@Nullable Waiting pod = queue.poll(now); pod != null; pod = queue.poll(now)) {
            Optional<Placed> placed = attempt(pod);
            if (placed.isPresent()) {
                running.add(new Running(placed.get(), now + pod.duration(), started++));
                used += placed.get().units();
                countJob(pod, pod.tried() ? -1 : 0);
                waits.started(PodClass.of(pod.pod().request(), cardUnits), now - pod.created());
            } else {
                countJob(pod, pod.tried() ? 0 : 1);
                queue.rejected(pod, now);
            }
        }
    }

    /** Where no node fitted such a pod before, only nodes can fit on which a pod has ended since. */
    private Optional<Placed> attempt(PodQueue.Waiting pod) {
        @Nullable Integer before = failed.get(pod.pod().request());
        Optional<Placed> placed = before == null
                ? extender.schedule(pod.pod())
                : extender.schedule(pod.pod(), new LinkedHashSet<>(freed.subList(before, freed.size())));
        if (placed.isEmpty()) {
            failed.put(pod.pod().request(), freed.size());
        }
        return placed;
    }

    private void pass(long now, long then, long last) {
        usedTime += used * Math.max(0, Math.min(then, last) - Math.min(now, last));
        double free = capacity - used;
        int beside = waitingJobs.headMap((int) (free / cardUnits), true).values().stream()
                .mapToInt(Integer::intValue)
                .sum();
        waits.besideFree(beside, then - now);
    }

    private void countJob(PodQueue.Waiting pod, int change) {
        int cards = pod.pod().request().cards();
        if (cards > 0 && change != 0) {
            waitingJobs.merge(cards, change, Integer::sum);
        }
    }
}
