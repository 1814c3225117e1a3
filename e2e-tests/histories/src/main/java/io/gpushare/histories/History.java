package io.gpushare.histories;

import io.gpushare.histories.machine.Turns;
import io.gpushare.histories.world.GpuNode;
import io.gpushare.histories.world.Network;
import io.gpushare.histories.world.World;
import io.gpushare.simulated.client.PodDocument;
import io.gpushare.simulated.kubelet.devices.KubeletVersion;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** One history of a cluster: pods come and go while parts of it fail, then it is quiet, and is judged. */
public final class History {
    /**
     * How much happens.
     *
     * @param pods that users create
     * @param faults while they do
     * @param busy the time of both
     */
    public record Size(int pods, int faults, Duration busy) {
        /** A few minutes, as all of CI. */
        public static final Size USUAL = new Size(24, 10, Duration.ofMinutes(4));
    }

    /**
     * What became of it.
     *
     * @param violations what must not be, and was
     * @param story what happened, each with its time
     * @param digest equal for equal histories
     * @param parts the number of parts of threads that ran
     * @param time of the simulation
     */
    public record Outcome(
            long seed, List<String> violations, List<String> story, long digest, long parts, Duration time) {}

    /** A node's cards, and the memory of each. */
    private record Node(int cards, int gib) {}

    private static final Duration START = Duration.ofSeconds(20);
    /** By then everything has ended that can. */
    private static final Duration QUIET = Duration.ofMinutes(12);

    private final long seed;
    private final Size size;
    private final Random random;
    private final Turns turns;
    private final World world;
    private final List<Node> nodes = new ArrayList<>();
    private int largestCards;
    private int largestGib;

    private History(long seed, Size size, Path directory) {
        this.seed = seed;
        this.size = size;
        random = new Random(seed);
        turns = new Turns(random.nextLong());
        world = new World(turns, directory);
    }

    /**
     * Runs the history of that seed, on this thread.
     *
     * @param directory for files, an empty one with a short path
     */
    public static Outcome run(long seed, Size size, Path directory) {
        History history = new History(seed, size, directory);
        try {
            return history.run();
        } finally {
            history.turns.end();
        }
    }

    private Outcome run() {
        int count = random.nextInt(1, 4);
        for (int i = 0; i < count; i++) {
            int cards = random.nextInt(1, 4);
            int gib = 4 * random.nextInt(2, 5);
            largestCards = Math.max(largestCards, cards);
            largestGib = Math.max(largestGib, gib);
            nodes.add(new Node(cards, gib));
            world.addNode("n" + i, cards, gib, random.nextInt(3) == 0 ? KubeletVersion.V1_20 : KubeletVersion.V1_36);
        }
        turns.run(START);
        for (int i = 0; i < size.pods(); i++) {
            String name = "pod-" + i;
            turns.after(moment(), () -> create(name));
        }
        for (int i = 0; i < size.faults(); i++) {
            turns.after(moment(), this::fault);
        }
        turns.run(size.busy());
        world.network().fails(0, 0);
        world.tell("quiet");
        turns.run(QUIET);
        List<String> violations = new ArrayList<>(world.use().violations());
        violations.addAll(judge());
        return new Outcome(seed, violations, world.story(), turns.digest(), turns.taken(), turns.time());
    }

    private Duration moment() {
        return Duration.ofMillis(random.nextLong(size.busy().toMillis()));
    }

    private void create(String name) {
        boolean whole = random.nextInt(4) == 0;
        Map<String, String> limits = whole
                ? Map.of("aliyun.com/gpu-count", Integer.toString(random.nextInt(1, largestCards + 1)))
                : Map.of("aliyun.com/gpu-mem", Integer.toString(random.nextInt(1, largestGib + 1)));
        int priority = random.nextInt(5) == 0 ? 100 : 0;
        world.createPod(name, limits, priority, Duration.ofSeconds(random.nextInt(1, 40)));
        if (random.nextInt(5) == 0) {
            Duration until = Duration.ofMillis(random.nextInt(20_000));
            int grace = random.nextBoolean() ? 2 : 0;
            turns.after(until, () -> world.deletePod(name, grace));
            if (random.nextBoolean()) {
                // Another pod of that name, as a StatefulSet makes it.
                turns.after(until.plusMillis(random.nextInt(5_000)), () -> create(name));
            }
        }
    }

    private void fault() {
        Duration time = Duration.ofMillis(random.nextInt(500, 25_000));
        List<String> extenders = List.copyOf(world.extenders().keySet());
        String extender = extenders.get(random.nextInt(extenders.size()));
        Network network = world.network();
        GpuNode node = world.nodes().get(random.nextInt(world.nodes().size()));
        switch (random.nextInt(18)) {
            case 0, 1 -> world.kill(extender);
            case 2 -> world.terminate(extender);
            case 3, 4 -> {
                world.tell("pause " + extender + " for " + time);
                world.machine(extender).pauseFor(time);
            }
            case 5 -> world.killScheduler();
            case 6 -> {
                world.tell("cut off " + extender + " for " + time);
                network.cutOff(world.machine(extender), time);
            }
            case 7 -> {
                world.tell("messages are lost or slow for " + time);
                network.fails(random.nextDouble() / 4, random.nextDouble() / 2);
                turns.after(time, () -> network.fails(0, 0));
            }
            case 8 -> {
                world.tell("the API server is down for " + time);
                world.api().downFor(time);
            }
            case 9 -> {
                world.tell("an API server is behind for " + time);
                world.api().stallOne(time);
            }
            case 10, 11 -> node.killPlugin();
            case 12 -> node.terminatePlugin();
            case 13 -> {
                world.tell("pause the plugin of " + node.name() + " for " + time);
                node.plugin().pauseFor(time);
            }
            case 14 -> node.restartKubelet();
            case 15 -> node.loseCard(random.nextInt(8), time);
            case 16 -> {
                world.tell("cut off the plugin of " + node.name() + " for " + time);
                network.cutOff(node.plugin(), time);
            }
            default -> {
                boolean forget = random.nextBoolean();
                world.tell("watches break" + (forget ? ", and their versions are forgotten" : ""));
                world.api().cutWatches(forget);
            }
        }
    }

    /** Whether some node has such cards, when nobody uses them. */
    private boolean fits(PodDocument pod) {
        int units = pod.requests()
                .getOrDefault("aliyun.com/gpu-mem", BigDecimal.ZERO)
                .intValue();
        int cards = pod.requests()
                .getOrDefault("aliyun.com/gpu-count", BigDecimal.ZERO)
                .intValue();
        return nodes.stream().anyMatch(node -> units <= node.gib() && cards <= node.cards());
    }

    /** What is wrong in a quiet world. */
    private List<String> judge() {
        List<String> wrong = new ArrayList<>();
        for (PodDocument pod : world.pods()) {
            if (!pod.ended() && fits(pod)) {
                wrong.add("pod " + pod.name() + " of " + pod.created() + " has not ended: node '" + pod.node()
                        + "', waits for '" + pod.waitingReason() + "'"
                        + (pod.beingDeleted() ? ", is being deleted" : ""));
            }
        }
        wrong.addAll(world.leftOver());
        return wrong;
    }
}
