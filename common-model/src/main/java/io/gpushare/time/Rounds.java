package io.gpushare.time;

import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Work that a daemon thread repeats, beginning at once, until it is interrupted. An unexpected failure ends only its
 * round.
 */
public final class Rounds {
    private static final Logger LOG = LoggerFactory.getLogger(Rounds.class);

    /** One round. */
    @FunctionalInterface
    public interface Round {
        void run() throws InterruptedException;
    }

    private Rounds() {}

    /**
     * Starts the thread.
     *
     * @param name of the thread
     * @param rest the time between two rounds
     */
    public static Thread start(String name, Duration rest, Round round) {
        return start(name, rest, 0, round);
    }

    /**
     * As {@link #start(String, Duration, Round)}, for rounds that may take long and must leave the processor to others.
     *
     * @param times each rest is at least so many times as long as the round before it
     */
    public static Thread start(String name, Duration rest, int times, Round round) {
        return Thread.ofPlatform().daemon().name(name).start(() -> {
            try {
                while (true) {
                    long began = System.nanoTime();
                    run(name, round);
                    Duration took = Duration.ofNanos(System.nanoTime() - began).multipliedBy(times);
                    Thread.sleep(took.compareTo(rest) < 0 ? rest : took);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    private static void run(String name, Round round) throws InterruptedException {
        try {
            round.run();
        } catch (RuntimeException e) {
            LOG.error("{} failed; the next round tries again", name, e);
        }
    }
}
