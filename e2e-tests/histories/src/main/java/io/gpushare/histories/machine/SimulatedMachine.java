package io.gpushare.histories.machine;

import io.gpushare.time.Machine;
import io.gpushare.time.Machines;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The machine of one process. It can be killed, and then none of its threads runs again; or paused, and then they run
 * later.
 */
public final class SimulatedMachine implements Machine {
    private final String name;
    private final Turns turns;
    private final Executor executor = new Executor() {
        @Override
        public void execute(Runnable part) {
            turns.ready(SimulatedMachine.this, part);
        }
    };
    private final List<Thread> threads = new ArrayList<>();
    private final List<Runnable> held = new ArrayList<>();
    private BiConsumer<Thread, Throwable> failures = (thread, failure) -> {
        throw new IllegalStateException("thread " + thread.getName() + " of " + name() + " failed", failure);
    };
    private Duration offset = Duration.ZERO;
    private boolean dead;
    /** How many pauses have not ended. */
    private int pauses;

    SimulatedMachine(String name, Turns turns) {
        this.name = name;
        this.turns = turns;
    }

    public String name() {
        return name;
    }

    /** Whether the calling thread is one of those that these turns run. */
    static boolean current(Turns turns) {
        return Machine.here() instanceof SimulatedMachine here && here.turns == turns;
    }

    /** What becomes of a thread that fails; without it, the simulation does. */
    public void onFailure(BiConsumer<Thread, Throwable> listener) {
        failures = listener;
    }

    /** Starts a thread with that body. */
    public void start(String thread, Runnable body) {
        thread(thread, body).start();
    }

    void run(Runnable part) {
        if (pauses > 0 && !dead) {
            held.add(part);
        } else if (!dead) {
            part.run();
        }
    }

    /** Ends the process as SIGKILL does: nothing of it runs again. */
    public void kill() {
        dead = true;
        threads.clear();
        held.clear();
    }

    public boolean dead() {
        return dead;
    }

    /** Lets nothing of it run for that time, as a machine that swaps, or a virtual one that is moved. */
    public void pauseFor(Duration time) {
        pauses++;
        turns.timer(time, () -> {
            pauses--;
            if (pauses == 0) {
                held.forEach(part -> turns.ready(this, part));
                held.clear();
            }
        });
    }

    /** Its time of day is wrong by that much from now on, as on a machine whose clock somebody sets. */
    public void setClock(Duration wrong) {
        offset = wrong;
    }

    /** Whether a thread of it waits for a monitor. */
    boolean blocked() {
        threads.removeIf(thread -> thread.getState() == Thread.State.TERMINATED);
        return threads.stream().anyMatch(thread -> thread.getState() == Thread.State.BLOCKED);
    }

    @Override
    public long nanos() {
        return turns.nanos();
    }

    @Override
    public Instant now() {
        return turns.now().plus(offset);
    }

    @Override
    public Thread thread(String threadName, Runnable body) {
        Thread thread = VirtualThreads.unstarted(executor, name + "/" + threadName, Machines.on(this, guarded(body)));
        threads.add(thread);
        return thread;
    }

    private Runnable guarded(Runnable body) {
        return () -> {
            try {
                body.run();
            } catch (RuntimeException | Error e) { // as the default handler of the programs
                failures.accept(Thread.currentThread(), e);
            }
        };
    }

    @Override
    public Thread lightThread(String threadName, Runnable body) {
        return thread(threadName, body);
    }

    @Override
    public void pause(Duration time) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        Thread self = Thread.currentThread();
        boolean[] over = new boolean[1];
        Turns.Timer timer = turns.timer(time, () -> {
            over[0] = true;
            LockSupport.unpark(self);
        });
        while (!over[0]) {
            LockSupport.park(this);
            if (Thread.interrupted()) {
                timer.cancel();
                throw new InterruptedException();
            }
        }
    }

    /** Waits for something, until it is interrupted. */
    @FunctionalInterface
    private interface Wait<T, E extends Exception> {
        T end() throws InterruptedException, E;
    }

    /** Ends the wait after that time; null if it did. */
    private <T, E extends Exception> @Nullable T within(Duration longest, Wait<T, E> wait)
            throws InterruptedException, E {
        Thread self = Thread.currentThread();
        boolean[] over = new boolean[1];
        Turns.Timer timer = turns.timer(longest, () -> {
            over[0] = true;
            self.interrupt();
        });
        try {
            T result = wait.end();
            if (over[0]) {
                // It ended in time, and the timer interrupted what came after it.
                Thread.interrupted();
            }
            return result;
        } catch (InterruptedException e) {
            if (!over[0]) {
                throw e;
            }
            return null;
        } finally {
            timer.cancel();
        }
    }

    @Override
    public boolean acquire(Semaphore permits, Duration longest) throws InterruptedException {
        if (permits.tryAcquire()) {
            return true;
        }
        return within(longest, () -> {
                    permits.acquire();
                    return true;
                })
                != null;
    }

    @Override
    public boolean join(Thread thread, Duration longest) throws InterruptedException {
        return within(longest, () -> {
                    thread.join();
                    return true;
                })
                != null;
    }

    /** A result, of which the value may be null. */
    private record Result<T>(T value) {}

    @Override
    public <T> T get(Future<T> result, Duration longest)
            throws InterruptedException, ExecutionException, TimeoutException {
        @Nullable Result<T> got = this.<Result<T>, ExecutionException>within(longest, () -> new Result<>(result.get()));
        if (got == null) {
            throw new TimeoutException("after " + longest);
        }
        return got.value();
    }

    @Override
    public RandomGenerator random() {
        return turns.random();
    }

    @Override
    public String unique() {
        return new UUID(random().nextLong(), random().nextLong()).toString();
    }
}
