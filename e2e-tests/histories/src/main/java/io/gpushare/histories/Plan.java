package io.gpushare.histories;

import io.gpushare.histories.world.GpuNode;
import io.gpushare.histories.world.World;
import io.gpushare.simulated.kubelet.devices.KubeletVersion;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/**
 * What is to happen in a history, but for what the programs do about it.
 *
 * @param seed of the order in which threads run, and of how long messages take
 * @param planned whether nothing fails, and programs only end as they are asked to
 * @param events in the order of their times
 */
public record Plan(long seed, List<Node> nodes, boolean planned, List<Event> events) {
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
     * A node's cards.
     *
     * @param gib the memory of each
     * @param byClaims whether it offers them by claims
     */
    public record Node(int cards, int gib, KubeletVersion kubelet, boolean byClaims) {}

    /**
     * Something that happens.
     *
     * @param number in the whole plan of the seed
     * @param what in words
     */
    public record Event(int number, Duration at, String what, Consumer<World> action) {
        @Override
        public String toString() {
            return number + ": at " + at.toMillis() + " ms " + what;
        }
    }

    /** The same without other events than these. */
    public Plan only(List<Event> left) {
        return new Plan(seed, nodes, planned, left);
    }

    /** The plan of that seed. */
    public static Plan of(long seed, Size size) {
        return new Maker(new Random(seed), size).plan(seed);
    }

    /** Draws a plan. */
    private static final class Maker {
        private static final List<Integer> GRACES = List.of(0, 2, 2, 10, 30);
        /** In milliseconds, of faults. */
        private static final int USUAL = 25_000;

        private static final int LONGEST = 70_000;
        private static final int SEVERAL = 4;
        private static final Duration SOON = Duration.ofSeconds(2);
        /** After that another extender leads. */
        private static final Duration LEASE = Duration.ofSeconds(15);
        /** The part of messages. */
        private static final double LOSES = 0.3;

        private final Random random;
        private final Size size;
        private final List<Node> nodes = new ArrayList<>();
        private boolean planned;
        /** What the last pod requests: the next one may be its twin. */
        private int amount = 1;

        private boolean whole;
        private String node = "";
        private final List<Event> events = new ArrayList<>();

        Maker(Random random, Size size) {
            this.random = random;
            this.size = size;
        }

        Plan plan(long seed) {
            int count = random.nextInt(1, 4);
            for (int i = 0; i < count; i++) {
                nodes.add(new Node(
                        random.nextInt(1, 4),
                        4 * random.nextInt(2, 5),
                        random.nextInt(3) == 0 ? KubeletVersion.V1_20 : KubeletVersion.V1_36,
                        random.nextInt(3) == 0));
            }
            planned = random.nextInt(5) == 0;
            Duration at = moment();
            for (int i = 0; i < size.pods(); i++) {
                // Some come with the one before them, as those of a Deployment do.
                at = random.nextInt(3) == 0 ? at : moment();
                pod("pod-" + i, at);
            }
            for (int i = 0; i < size.faults(); i++) {
                if (planned) {
                    act(moment());
                } else if (random.nextInt(4) == 0) {
                    coincidence(moment());
                } else {
                    fault(moment());
                }
            }
            reboot(new SplittableRandom(seed));
            return new Plan(
                    seed,
                    List.copyOf(nodes),
                    planned,
                    events.stream().sorted(Comparator.comparing(Event::at)).toList());
        }

        /**
         * Of a node, in a fourth of the histories in which something fails; the rest of the plan does not depend on it.
         */
        private void reboot(SplittableRandom of) {
            if (!planned && of.nextInt(4) == 0) {
                int number = of.nextInt(nodes.size());
                Duration at = Duration.ofMillis(of.nextLong(size.busy().toMillis()));
                Duration away = Duration.ofMillis(of.nextInt(1_000, LONGEST));
                String what = "reboot " + World.node(number) + ", which takes " + away;
                onNode(at, what, number, on -> on.reboot(away));
            }
        }

        private Duration moment() {
            return Duration.ofMillis(random.nextLong(size.busy().toMillis()));
        }

        private void add(Duration at, String what, Consumer<World> action) {
            events.add(new Event(events.size(), at, what, action));
        }

        private void pod(String name, Duration at) {
            pod(name, at, random.nextInt(3) == 0);
        }

        private void pod(String name, Duration at, boolean twin) {
            int cards = nodes.stream().mapToInt(Node::cards).max().orElse(1);
            int gib = nodes.stream().mapToInt(Node::gib).max().orElse(1);
            if (!twin) {
                whole = random.nextInt(4) == 0;
                amount = random.nextInt(1, (whole ? cards : gib) + 1);
                boolean bound = !planned && random.nextInt(12) == 0;
                node = bound ? World.node(random.nextInt(nodes.size())) : "";
            }
            String resource = whole ? World.CARDS : World.MEMORY;
            boolean byClaim =
                    node.isEmpty() && nodes.get(random.nextInt(nodes.size())).byClaims();
            int priority = random.nextInt(5) == 0 ? 100 : 0;
            Duration runs = Duration.ofSeconds(random.nextInt(1, 40));
            Duration grace = Duration.ofSeconds(GRACES.get(random.nextInt(GRACES.size())));
            World.Wanted wanted = new World.Wanted(name, resource, amount, byClaim, priority, runs, grace, node);
            add(at, "create " + wanted, world -> world.createPod(wanted));
            if (!planned && random.nextInt(12) == 0) {
                edit(name, at);
            }
            if (random.nextInt(5) == 0) {
                Duration until = at.plusMillis(random.nextInt(20_000));
                if (random.nextBoolean()) {
                    add(until, "delete " + name, world -> world.deletePod(name));
                } else {
                    // The card of a pod whose processes outlive it is refused to the next one.
                    Duration processes =
                            Duration.ofMillis(planned ? 0 : random.nextInt(random.nextBoolean() ? 2_000 : 60_000));
                    add(
                            until,
                            "delete " + name + " by force, whose processes end after " + processes,
                            world -> world.deleteByForce(name, processes));
                }
                if (random.nextBoolean()) {
                    // Another pod of that name, as a StatefulSet makes it.
                    pod(name, until.plusMillis(random.nextInt(5_000)));
                }
            }
        }

        private void edit(String name, Duration at) {
            boolean copies = random.nextInt(3) > 0;
            String what =
                    copies ? "give " + name + " the annotations of another pod" : "remove the annotations of " + name;
            if (random.nextBoolean()) {
                add(at, what + " when it is bound", world -> world.editAtBinding(name, copies));
            } else {
                add(at.plusMillis(random.nextInt(5_000)), what, world -> world.editAnnotations(name, copies));
            }
        }

        /** What operators do. */
        private void act(Duration at) {
            String extender = extender();
            int number = random.nextInt(nodes.size());
            switch (random.nextInt(4)) {
                case 0 -> add(at, "terminate " + extender, world -> world.terminate(extender));
                case 1 -> onNode(at, "terminate the plugin of " + World.node(number), number, GpuNode::terminatePlugin);
                case 2 -> {
                    // Shorter than a plugin that ends waits for pods.
                    Duration slow = random.nextBoolean() ? Duration.ZERO : Duration.ofMillis(random.nextInt(10_000));
                    add(
                            at,
                            "terminate the plugin of " + World.node(number) + " when the next pod is bound there"
                                    + (slow.isZero() ? "" : ", and pause the kubelet for " + slow),
                            world -> world.terminatePluginAtBinding(number, slow));
                }
                default -> add(at, "watches break", world -> world.api().cutWatches(false));
            }
        }

        /** Two things of which one alone does little. */
        private void coincidence(Duration at) {
            Duration time = Duration.ofMillis(random.nextInt(2_000, USUAL));
            int number = random.nextInt(nodes.size());
            switch (random.nextInt(8)) {
                case 0 -> {
                    add(at, "watches tell the extenders nothing, and responses are lost, for " + time, world -> {
                        world.holdWatches(false, time);
                        world.network().failsFor(LOSES, 0, time);
                    });
                    several(at.plusMillis(1), time);
                }
                case 1 -> {
                    add(
                            at,
                            "watches tell the extender that leads next nothing for " + time,
                            world -> world.holdWatches(true, time));
                    several(at.plusMillis(1), SOON);
                    add(at.plus(SOON), "terminate the extender that leads", World::terminateLeader);
                    several(at.plus(SOON), time);
                }
                case 2 -> {
                    // The steps of a Binding are some milliseconds apart.
                    Duration after = Duration.ofMillis(random.nextInt(1 << random.nextInt(8)));
                    Duration longer = LEASE.plus(time);
                    boolean silent = random.nextBoolean();
                    String what = "pause the extender that leads for " + longer + ", " + after
                            + " after it is asked to bind" + (silent ? ", and watches tell the extenders nothing" : "");
                    add(at, what, world -> {
                        world.pauseLeaderAtBinding(after, longer);
                        if (silent) {
                            world.holdWatches(false, longer.plus(SOON));
                        }
                    });
                    several(at.plusMillis(1), longer);
                }
                case 3 -> {
                    String name = "pod-" + random.nextInt(size.pods());
                    add(at, "watches break, and versions are forgotten, while " + name + " is replaced", world -> {
                        world.api().cutWatches(true);
                        world.deleteByForce(name, Duration.ZERO);
                    });
                    pod(name, at.plusMillis(1));
                }
                case 4 -> {
                    onNode(
                            at,
                            "pause the kubelet of " + World.node(number) + " for " + time,
                            number,
                            on -> on.pauseKubelet(time));
                    for (int i = 0; i < SEVERAL; i++) {
                        pod("twin-" + events.size(), at.plusMillis(1), i > 0);
                    }
                }
                case 5 -> {
                    Duration after = Duration.ofMillis(random.nextInt(1 << random.nextInt(5)));
                    Duration longer = LEASE.plus(time);
                    String what =
                            "pause the extender that leads for " + longer + ", " + after + " after it renews its Lease";
                    add(at, what, world -> world.pauseLeaderAtRenewal(after, longer));
                    several(at.plusMillis(1), longer.plus(SOON));
                }
                case 6 -> {
                    add(
                            at,
                            "the next Binding takes " + time + " to arrive",
                            world -> world.api().slowBinding(time));
                    several(at.plusMillis(1), time);
                }
                default -> {
                    onNode(
                            at,
                            "pod-resources of " + World.node(number) + " fail for " + time,
                            number,
                            on -> on.failPodResources(time));
                    several(at.plusMillis(1), time);
                }
            }
        }

        /** Pods that come within that time. */
        private void several(Duration from, Duration time) {
            for (int i = 0; i < SEVERAL; i++) {
                pod("more-" + events.size(), from.plusMillis(random.nextLong(time.toMillis())));
            }
        }

        private String extender() {
            return random.nextBoolean() ? "extender-a" : "extender-b";
        }

        private void fault(Duration at) {
            Duration time = Duration.ofMillis(random.nextInt(500, random.nextInt(4) == 0 ? LONGEST : USUAL));
            String extender = extender();
            int number = random.nextInt(nodes.size());
            String node = World.node(number);
            double lost = random.nextDouble() / 4;
            double slow = random.nextDouble() / 2;
            boolean forget = random.nextBoolean();
            int card = random.nextInt(nodes.get(number).cards());
            switch (random.nextInt(22)) {
                case 0, 1 -> add(at, "kill " + extender, world -> world.kill(extender));
                case 2 -> add(at, "terminate " + extender, world -> world.terminate(extender));
                case 3, 4 ->
                    add(
                            at,
                            "pause " + extender + " for " + time,
                            world -> world.machine(extender).pauseFor(time));
                case 5 -> add(at, "kill kube-scheduler", World::killScheduler);
                case 6 ->
                    add(
                            at,
                            "cut off " + extender + " for " + time,
                            world -> world.network().cutOff(world.machine(extender), time));
                case 7 ->
                    add(
                            at,
                            "lose or delay messages for " + time,
                            world -> world.network().failsFor(lost, slow, time));
                case 8 ->
                    add(
                            at,
                            "the API server is down for " + time,
                            world -> world.api().downFor(time));
                case 9 ->
                    add(
                            at,
                            "an API server is behind for " + time,
                            world -> world.api().stallOne(time));
                case 10, 11 -> onNode(at, "kill the plugin of " + node, number, GpuNode::killPlugin);
                case 12 -> onNode(at, "terminate the plugin of " + node, number, GpuNode::terminatePlugin);
                case 13 ->
                    onNode(
                            at,
                            "pause the plugin of " + node + " for " + time,
                            number,
                            on -> on.plugin().pauseFor(time));
                case 14 -> onNode(at, "restart the kubelet of " + node, number, GpuNode::restartKubelet);
                case 15 ->
                    onNode(
                            at,
                            "card " + card + " of " + node + " is lost for " + time,
                            number,
                            on -> on.loseCard(card, time));
                case 16 ->
                    add(
                            at,
                            "cut off the plugin of " + node + " for " + time,
                            world -> world.network()
                                    .cutOff(world.nodes().get(number).plugin(), time));
                case 17 ->
                    add(
                            at,
                            "move " + node + " to the other offer",
                            world -> world.move(world.nodes().get(number)));
                case 18 ->
                    onNode(
                            at,
                            "the clock of " + node + " is wrong by " + time,
                            number,
                            on -> on.plugin().setClock(forget ? time : time.negated()));
                case 19 ->
                    add(
                            at,
                            "the clock of " + extender + " is wrong by " + time,
                            world -> world.machine(extender).setClock(forget ? time : time.negated()));
                default ->
                    add(
                            at,
                            "watches break" + (forget ? ", and versions are forgotten" : ""),
                            world -> world.api().cutWatches(forget));
            }
        }

        private void onNode(Duration at, String what, int node, Consumer<GpuNode> action) {
            add(at, what, world -> action.accept(world.nodes().get(node)));
        }
    }
}
