package io.gpushare.e2e.chaos;

import io.gpushare.e2e.chaos.Fault.Kind;
import io.gpushare.e2e.chaos.Fault.Target;
import io.gpushare.e2e.chaos.PlannedPod.Ending;
import io.gpushare.e2e.chaos.check.pod.ContainerRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/** The pods and faults of a run, drawn from a seed: the same seed and length make the same plan. */
record Plan(List<PlannedPod> orders, List<Fault> faults) {
    private static final int PODS_A_MINUTE = 33;
    private static final int NAMES = 90;
    private static final int NODES = 2;
    /** Where there are MIG instances, one pod in so many takes one whole. */
    private static final int INSTANCE = 5;

    static final Set<Target> OF_ISOLATION = EnumSet.of(Target.SUPERVISOR, Target.TENANT);

    static final Set<Kind> OF_CLAIMS =
            EnumSet.of(Kind.NODE_MOVE, Kind.NODE_MOVE_BRIEF, Kind.SOCKETS_REMOVED, Kind.KILL_FAILS, Kind.CDI_OFF);

    private static final Set<Target> OF_WAYS = EnumSet.of(Target.PLUGIN, Target.NODE, Target.RUNTIME);

    private static final Duration GAP = Duration.ofSeconds(10);
    /** The time after a fault in which its target is not hit again. */
    private static final Duration REST = Duration.ofSeconds(6);

    Plan {
        orders = List.copyOf(orders);
        faults = List.copyOf(faults);
    }

    /**
     * Draws the plan.
     *
     * @param cards the number of cards per node
     * @param isolated whether isolation is in force, which has faults of its own
     * @param claims whether some pods request by claims, which has faults of its own; the pods are the same
     * @param profiles of the MIG instances that some pods take; the plan without them is the same but for these pods
     */
    static Plan of(long seed, Duration length, int cards, boolean isolated, boolean claims, List<String> profiles) {
        Random random = new Random(seed);
        List<Kind> kinds = Arrays.stream(Kind.values())
                .filter(kind -> kind.target != Target.API
                        && (isolated || !OF_ISOLATION.contains(kind.target))
                        && (claims || !OF_CLAIMS.contains(kind)))
                .toList();
        return new Plan(orders(random, length, profiles), faults(random, length, cards, claims, kinds));
    }

    private static List<PlannedPod> orders(Random random, Duration length, List<String> profiles) {
        int count = (int) Math.ceilDiv(PODS_A_MINUTE * length.toSeconds(), 60);
        List<Duration> times = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            times.add(Duration.ofMillis(random.nextLong(length.toMillis())));
        }
        Collections.sort(times);
        List<PlannedPod> orders = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            List<ContainerRequest> requests = PlannedPod.urgent(i) ? urgent(random) : requests(random);
            boolean cards = requests.stream().anyMatch(ContainerRequest::whole);
            Ending ending = switch (random.nextInt(10)) {
                case 0 -> Ending.IMPATIENT;
                case 1, 2, 3 -> Ending.COMPLETES;
                default -> Ending.DELETED;
            };
            // Memory pods live long enough for urgent pods to wait, until others are evicted for them.
            int longest = ending == Ending.IMPATIENT ? 4_000 : cards ? 8_000 : 45_000;
            int shortest = ending == Ending.IMPATIENT ? 50 : 3_000;
            Duration life = Duration.ofMillis(random.nextInt(shortest, longest));
            // After all draws, so that they are the same with and without instances.
            if (!profiles.isEmpty() && i % INSTANCE == 1) {
                requests = List.of(ContainerRequest.instance(profiles.get(i % profiles.size())));
            }
            orders.add(new PlannedPod(i, times.get(i), "pod-" + i % NAMES, requests, ending, life));
        }
        return orders;
    }

    /** What seldom fits beside the other pods, and what kube-scheduler's own preemption seldom helps. */
    private static List<ContainerRequest> urgent(Random random) {
        return List.of(
                random.nextBoolean() ? ContainerRequest.cards(1) : ContainerRequest.memory(random.nextInt(12, 16)));
    }

    private static List<ContainerRequest> requests(Random random) {
        return switch (random.nextInt(20)) {
            case 0, 1 -> List.of(ContainerRequest.cards(1));
            case 2 -> List.of(ContainerRequest.cards(2));
            case 3 -> List.of(ContainerRequest.cards(1), ContainerRequest.cards(1));
            case 4 -> List.of(ContainerRequest.memory(random.nextInt(1, 5)), ContainerRequest.cards(1));
            case 5 -> List.of(ContainerRequest.memory(random.nextInt(12, 16)));
            case 6, 7, 8, 9, 10 ->
                List.of(ContainerRequest.memory(random.nextInt(1, 5)), ContainerRequest.memory(random.nextInt(1, 5)));
            // A program can confuse pods of equal demand.
            case 11, 12, 13, 14 -> List.of(ContainerRequest.memory(2));
            default -> List.of(ContainerRequest.memory(random.nextInt(1, 9)));
        };
    }

    /** Every one of the kinds in turn, shuffled in each round; the API server is unavailable twice. */
    private static List<Fault> faults(Random random, Duration length, int cards, boolean claims, List<Kind> kinds) {
        Map<String, Duration> busyUntil = new HashMap<>();
        List<Fault> faults = new ArrayList<>();
        List<Kind> outages = new ArrayList<>(List.of(Kind.API_FREEZE, Kind.API_KILL));
        Collections.shuffle(outages, random);
        for (int i = 0; i < outages.size(); i++) {
            Duration at = length.multipliedBy(2 * i + 1).dividedBy(5).plusMillis(random.nextInt(20_000));
            faults.add(new Fault(at, outages.get(i), 0, 0, Duration.ofSeconds(30)));
        }
        List<Kind> deck = new ArrayList<>();
        Duration at = Duration.ofSeconds(8);
        while (at.compareTo(length) < 0) {
            if (deck.isEmpty()) {
                deck.addAll(kinds);
                Collections.shuffle(deck, random);
            }
            Kind kind = deck.removeFirst();
            Duration duration = Duration.ofMillis(random.nextInt(kind.shortest * 1000, kind.longest * 1000 + 1));
            int drawn = random.nextInt(NODES);
            // Each kind in turn hits the node that serves claims and the one that serves resources.
            int node = claims && OF_WAYS.contains(kind.target) ? times(faults, kind) % NODES : drawn;
            if (kind == Kind.SOCKETS_REMOVED || kind == Kind.CDI_OFF) {
                node = 0; // the other one has no driver of claims before it is moved
            }
            Fault fault = new Fault(at, kind, node, random.nextInt(cards), duration);
            if (busyUntil.getOrDefault(fault.subject(), Duration.ZERO).compareTo(at) <= 0) {
                busyUntil.put(fault.subject(), fault.end().plus(REST));
                faults.add(fault);
            } else {
                deck.add(kind);
            }
            at = at.plusMillis((long) (-Math.log(1 - random.nextDouble()) * GAP.toMillis()));
        }
        faults.sort(Comparator.comparing(Fault::at));
        return faults;
    }

    private static int times(List<Fault> faults, Kind kind) {
        return (int) faults.stream().filter(fault -> fault.kind() == kind).count();
    }
}
