package io.gpushare.time;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeoutException;
import java.util.random.RandomGenerator;

/**
 * Where a program gets its threads, its pauses and the time: the machine that it runs on, or a simulation of one. A
 * program asks {@link #here} and nothing else, so that a simulation decides which thread runs next, and when time
 * passes.
 */
public interface Machine {
    /** The machine of the calling thread. A thread runs on the machine that made it. */
    static Machine here() {
        return Machines.HERE.orElse(Machines.REAL);
    }

    /** A number of nanoseconds that never steps, from an arbitrary start. */
    long nanos();

    /** The time of day. */
    Instant now();

    /** A daemon thread that is not started. */
    Thread thread(String name, Runnable body);

    /** The same for work that mostly waits for others. */
    Thread lightThread(String name, Runnable body);

    /** Returns after that time. */
    void pause(Duration time) throws InterruptedException;

    /** Takes a permit; returns false if there is none within that time. */
    boolean acquire(Semaphore permits, Duration longest) throws InterruptedException;

    /** Waits for the end of the thread; returns false if it still runs after that time. */
    boolean join(Thread thread, Duration longest) throws InterruptedException;

    /** Waits for the result; throws TimeoutException if there is none after that time. */
    <T> T get(Future<T> result, Duration longest) throws InterruptedException, ExecutionException, TimeoutException;

    /** Numbers that differ between the processes of a cluster, so that these do not do the same at the same time. */
    RandomGenerator random();

    /** A text that no other process has. */
    String unique();

    /** Makes daemon threads of this machine, with numbers behind the name. */
    default ThreadFactory threads(String name) {
        return new ThreadFactory() {
            private int made;

            @Override
            public synchronized Thread newThread(Runnable body) {
                return thread(name + made++, body);
            }
        };
    }
}
