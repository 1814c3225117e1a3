package io.gpushare.histories.machine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Runs the threads of all machines one at a time, on the thread that calls {@link #run}. A seed draws the one that runs
 * next. Time passes when none can run: then it steps to the next timer. So the same seed gives the same history.
 */
public final class Turns {
    /** How long a thread of the JDK may take to wake one of ours that waited for a monitor. */
    private static final long WAKE_MILLIS = 2_000;
    /**
     * It ends the executors that nobody can reach any more, when the garbage collector finds them: their threads have
     * nothing to do, and never run again.
     */
    private static final String CLEANER = "Common-Cleaner";

    private static final Instant START = Instant.parse("2030-01-01T00:00:00Z");

    /** What can run: a part of a thread, from one wait to the next. */
    private record Turn(SimulatedMachine machine, Runnable part) {}

    private final Random random;
    private final Thread runner = Thread.currentThread();
    private final List<Turn> ready = new ArrayList<>();
    /** What threads of the JDK made ready: they wake whoever waits for a monitor. */
    private final Deque<Turn> woken = new ArrayDeque<>();

    private final PriorityQueue<Timer> timers = new PriorityQueue<>(
            Comparator.comparingLong((Timer timer) -> timer.at).thenComparingLong(timer -> timer.number));
    private final List<SimulatedMachine> machines = new ArrayList<>();
    private long nanos;
    private long made;
    private long taken;
    private long digest;

    /** Something to do at some time. */
    static final class Timer {
        private final long at;
        private final long number;
        private @Nullable Runnable work;

        private Timer(long at, long number, Runnable work) {
            this.at = at;
            this.number = number;
            this.work = work;
        }

        void cancel() {
            work = null;
        }
    }

    /** Nothing runs before {@link #run}, which this thread has to call. */
    public Turns(long seed) {
        random = new Random(seed);
    }

    /** A machine on which programs run. */
    public SimulatedMachine machine(String name) {
        SimulatedMachine machine = new SimulatedMachine(name, this);
        machines.add(machine);
        return machine;
    }

    /** Draws for everything that is left to chance. */
    public RandomGenerator random() {
        return random;
    }

    /** The time since the start. */
    public Duration time() {
        return Duration.ofNanos(nanos);
    }

    /** The time of day. */
    public Instant now() {
        return START.plusNanos(nanos);
    }

    long nanos() {
        return nanos;
    }

    /** The number of parts that ran so far. */
    public long taken() {
        return taken;
    }

    /** What ran so far, and when: equal for equal histories. */
    public long digest() {
        return digest;
    }

    /** Does that after some time, between two parts of threads. */
    public void after(Duration time, Runnable work) {
        timer(time, work);
    }

    Timer timer(Duration time, Runnable work) {
        long left = Long.MAX_VALUE - nanos;
        boolean never = time.compareTo(Duration.ofNanos(left)) >= 0;
        Timer timer = new Timer(never ? Long.MAX_VALUE : nanos + Math.max(0, time.toNanos()), made++, work);
        if (!never) {
            timers.add(timer);
        }
        return timer;
    }

    /** A part of a thread of that machine can run. */
    @SuppressWarnings("ReferenceEquality") // one thread is meant
    void ready(SimulatedMachine machine, Runnable part) {
        Turn turn = new Turn(machine, part);
        if (Thread.currentThread() == runner || SimulatedMachine.current(this)) {
            ready.add(turn);
        } else if (!Thread.currentThread().getName().equals(CLEANER)) {
            synchronized (woken) {
                woken.add(turn);
                woken.notifyAll();
            }
        }
    }

    /** Runs everything for that time. */
    public void run(Duration time) {
        long end = nanos + time.toNanos();
        while (true) {
            if (!ready.isEmpty()) {
                take();
            } else if (!woken()) {
                @Nullable Timer next = timers.peek();
                if (next == null || next.at > end) {
                    nanos = end;
                    return;
                }
                timers.remove();
                fire(next);
            }
        }
    }

    private void take() {
        int drawn = random.nextInt(ready.size());
        Turn turn = ready.set(drawn, ready.getLast());
        ready.removeLast();
        taken++;
        digest = (digest * 31 + turn.machine().name().hashCode()) * 31 + nanos;
        turn.machine().run(turn.part());
    }

    private void fire(Timer timer) {
        @Nullable Runnable work = timer.work;
        if (work != null) {
            nanos = Math.max(nanos, timer.at);
            work.run();
        }
    }

    /** Takes what a thread of the JDK made ready. A thread that waits for a monitor that is free is waited for. */
    private boolean woken() {
        synchronized (woken) {
            if (woken.isEmpty() && machines.stream().anyMatch(SimulatedMachine::blocked)) {
                try {
                    woken.wait(WAKE_MILLIS);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new IllegalStateException("the simulation was interrupted", e);
                }
            }
            ready.addAll(woken);
            boolean some = !woken.isEmpty();
            woken.clear();
            return some;
        }
    }

    /** No thread of any machine runs again. */
    public void end() {
        machines.forEach(SimulatedMachine::kill);
        ready.clear();
        timers.clear();
    }
}
