package io.gpushare.histories.world;

import io.gpushare.histories.machine.SimulatedMachine;
import io.gpushare.histories.machine.Turns;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;

/** How long messages take, and which of them are lost. */
public final class Network {
    private static final int LATE = 4_000;
    private static final int LATEST = 20_000;

    private final Turns turns;
    private final RandomGenerator random;
    private final Set<String> cutOff = new HashSet<>();
    /** Until when machines hear nothing by watches. */
    private final Map<String, Duration> behind = new HashMap<>();

    private double lost;
    private double slow;

    Network(Turns turns) {
        this.turns = turns;
        this.random = turns.random();
    }

    /**
     * For that time, that part of all requests and of all responses is lost, and that part takes seconds.
     *
     * @param lost from 0 to 1, as the other one
     */
    public void failsFor(double lost, double slow, Duration time) {
        this.lost = lost;
        this.slow = slow;
        turns.after(time, this::heal);
    }

    /** Loses and delays nothing from now on. */
    public void heal() {
        lost = 0;
        slow = 0;
    }

    /** Cuts off the machine with that name for that time: nothing reaches it or leaves it. */
    public void cutOff(SimulatedMachine machine, Duration time) {
        cutOff.add(machine.name());
        turns.after(time, () -> cutOff.remove(machine.name()));
    }

    /** Whether nothing reaches that machine now. */
    boolean cut(SimulatedMachine machine) {
        return cutOff.contains(machine.name());
    }

    /** What watches tell that machine arrives after that time: its API server is behind. */
    void holdWatches(SimulatedMachine machine, Duration time) {
        behind.put(machine.name(), turns.time().plus(time));
    }

    /** How long an event of a watch takes to that machine, beside the delay of its API server. */
    Duration watchDelay(SimulatedMachine machine) {
        Duration until = behind.getOrDefault(machine.name(), Duration.ZERO).minus(turns.time());
        return until.isNegative() ? Duration.ZERO : until;
    }

    /** Whether the next message between that machine and another one is lost. */
    boolean loses(SimulatedMachine machine) {
        return cut(machine) || random.nextDouble() < lost;
    }

    /** The time that the next message takes: a slow one may take effect when its caller has given up. */
    Duration delay() {
        return random.nextDouble() < slow
                ? Duration.ofMillis(random.nextInt(50, random.nextInt(4) == 0 ? LATEST : LATE))
                : Duration.ofNanos(random.nextInt(100_000, 8_000_000));
    }
}
