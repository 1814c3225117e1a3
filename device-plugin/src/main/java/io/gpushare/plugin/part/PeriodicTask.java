package io.gpushare.plugin.part;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** A daemon thread that repeats a step: after the time that the last step returned, or sooner on request. */
public final class PeriodicTask implements AutoCloseable {
    /** The time to return from a step that is repeated on request only. */
    public static final Duration ON_REQUEST = Duration.ofDays(10_000);

    private static final long JOIN_MILLIS = 1000;

    /** One step. */
    @FunctionalInterface
    public interface Step {
        /** Works once; returns the time until the next step. */
        Duration run() throws InterruptedException;
    }

    private final Semaphore requests = new Semaphore(0);
    private final Thread thread;

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
        thread = new Thread(() -> run(first, gap, step), name);
        thread.setDaemon(true);
    }

    /** A task whose first step is taken on request. */
    public static PeriodicTask onRequest(String name, Duration gap, Step step) {
        return new PeriodicTask(name, ON_REQUEST, gap, step);
    }

    public void start() {
        thread.start();
    }

    /** Requests a step; returns at once. */
    public void runSoon() {
        requests.release();
    }

    private void run(Duration first, Duration gap, Step step) {
        try {
            Duration wait = first;
            while (true) {
                if (requests.tryAcquire(wait.toMillis(), TimeUnit.MILLISECONDS)) {
                    TimeUnit.MILLISECONDS.sleep(gap.toMillis());
                    requests.drainPermits();
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
        try {
            // Returns at once where the thread has not been started.
            thread.join(JOIN_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
