package io.gpushare.time;

import java.time.Duration;
import java.time.Instant;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.random.RandomGenerator;

/** The machine that this process runs on, and which one a thread is on. */
public final class Machines {
    static final ScopedValue<Machine> HERE = ScopedValue.newInstance();
    static final Machine REAL = new Real();

    private Machines() {}

    /** The body that runs on that machine, whichever thread runs it. */
    public static Runnable on(Machine machine, Runnable body) {
        return () -> ScopedValue.where(HERE, machine).run(body);
    }

    private static final class Real implements Machine {
        private final RandomGenerator random = new Random();

        @Override
        public long nanos() {
            return System.nanoTime();
        }

        @Override
        public Instant now() {
            return Instant.now();
        }

        @Override
        public Thread thread(String name, Runnable body) {
            return Thread.ofPlatform().daemon().name(name).unstarted(body);
        }

        @Override
        public Thread lightThread(String name, Runnable body) {
            return Thread.ofVirtual().name(name).unstarted(body);
        }

        @Override
        public void pause(Duration time) throws InterruptedException {
            Thread.sleep(time);
        }

        @Override
        public boolean acquire(Semaphore permits, Duration longest) throws InterruptedException {
            return permits.tryAcquire(longest.toNanos(), TimeUnit.NANOSECONDS);
        }

        @Override
        public boolean join(Thread thread, Duration longest) throws InterruptedException {
            return thread.join(longest);
        }

        @Override
        public <T> T get(Future<T> result, Duration longest)
                throws InterruptedException, ExecutionException, TimeoutException {
            return result.get(longest.toNanos(), TimeUnit.NANOSECONDS);
        }

        @Override
        public RandomGenerator random() {
            return random;
        }

        @Override
        public String unique() {
            return UUID.randomUUID().toString();
        }
    }
}
