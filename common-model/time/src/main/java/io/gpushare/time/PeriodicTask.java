package io.gpushare.time;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A daemon thread that repeats a step: after the time that the last step returned, or sooner on request. */
public final class PeriodicTask implements AutoCloseable {
    /** The time to return from a step that is repeated on request only. */
    public static final Duration ON_REQUEST = Duration.ofDays(10_000);

    private static final Logger LOG = LoggerFactory.getLogger(PeriodicTask.class);
    private static final Duration LONGEST_END = Duration.ofSeconds(1);

    /** One step. An unexpected failure ends the thread, and so the program. */
    @FunctionalInterface
    public interface Step {
        /** Works once; returns the time until the next step. */
        Duration run() throws InterruptedException;
    }

    /** A step with the same rest after each. An unexpected failure is logged, and ends only this round. */
    @FunctionalInterface
    public interface Round {
        void run() throws InterruptedException;
    }

    private final Semaphore requests = new Semaphore(0);
    private final Machine machine;
    private final Thread thread;
    private volatile boolean ending;

    /**
     * A task whose first step is taken when it starts.
     *
     * @param name of the thread
     */
    public PeriodicTask(String name, Step step) {
        this(name, Duration.ZERO, Duration.ZERO, step);
    }

    /**
     * A task whose first step is taken when it starts, or on request.
     *
     * @param first the time until the first step
     * @param gap the time between a request and its step: requests that come together cause one step
     */
    public PeriodicTask(String name, Duration first, Duration gap, Step step) {
        machine = Machine.here();
        thread = machine.thread(name, () -> run(first, gap, step));
    }

    /** A task whose first step is taken on request. */
    public static PeriodicTask onRequest(String name, Duration gap, Step step) {
        return new PeriodicTask(name, ON_REQUEST, gap, step);
    }

    /**
     * A task of rounds, the first of which begins when it starts.
     *
     * @param rest the time between two rounds
     */
    public static PeriodicTask rounds(String name, Duration rest, Round round) {
        return rounds(name, rest, 0, round);
    }

    /**
     * As before, for rounds that may take long and must leave the processor to others.
     *
     * @param times each rest is at least so many times as long as the round before it
     */
    public static PeriodicTask rounds(String name, Duration rest, int times, Round round) {
        return new PeriodicTask(name, () -> {
            long began = Machine.here().nanos();
            try {
                round.run();
            } catch (RuntimeException e) {
                LOG.error("{} failed; the next round tries again", name, e);
            }
            Duration took = Duration.ofNanos(Machine.here().nanos() - began).multipliedBy(times);
            return took.compareTo(rest) < 0 ? rest : took;
        });
    }

    public PeriodicTask start() {
        thread.start();
        return this;
    }

    /** Requests a step; returns at once. */
    public void runSoon() {
        requests.release();
    }

    private void run(Duration first, Duration gap, Step step) {
        try {
            Duration wait = first;
            while (true) {
                if (machine.acquire(requests, wait)) {
                    machine.pause(gap);
                    requests.drainPermits();
                }
                if (ending) {
                    return;
                }
                wait = step.run();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Interrupts the step, and waits a moment for its end. */
    @Override
    public void close() {
        thread.interrupt();
        ended(LONGEST_END);
    }

    /** Lets the step end, which must not be interrupted, for at most that long; returns whether it has ended. */
    public boolean end(Duration longest) {
        ending = true;
        runSoon();
        return ended(longest);
    }

    private boolean ended(Duration longest) {
        try {
            return thread.getState() == Thread.State.NEW || machine.join(thread, longest);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
