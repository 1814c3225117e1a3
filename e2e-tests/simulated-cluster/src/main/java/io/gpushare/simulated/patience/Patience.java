package io.gpushare.simulated.patience;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/**
 * How long a test waits for a condition: as long as the condition needs on a quiet machine with a wide margin, times
 * the number of processes that want each processor. A condition that holds ends the wait, so the limit costs time only
 * where a test fails.
 */
public final class Patience {
    /** For a condition that a quiet machine meets within a few seconds. */
    public static final Duration USUAL = Duration.ofSeconds(30);

    private static final double LARGEST_FACTOR = 10;
    private static final Path LOAD = Path.of("/proc/loadavg");

    private Patience() {}

    /** A wait of at most {@link #USUAL}, on this machine as busy as it is now. */
    public static ConditionFactory await() {
        return await(USUAL);
    }

    /**
     * A wait for what takes longer.
     *
     * @param quiet the longest wait on a quiet machine
     */
    public static ConditionFactory await(Duration quiet) {
        return Awaitility.await().atMost(of(quiet));
    }

    /**
     * The longest wait on this machine as busy as it is now.
     *
     * @param quiet the longest wait on a quiet machine
     */
    public static Duration of(Duration quiet) {
        return scaled(quiet, factor(load(), Runtime.getRuntime().availableProcessors()));
    }

    /** The same as {@link #USUAL}, in milliseconds, as sockets take it. */
    public static int millis() {
        return (int) of(USUAL).toMillis();
    }

    /** The result of a call that is under way. */
    public static <T> T result(Future<T> call) throws InterruptedException, ExecutionException, TimeoutException {
        return call.get(millis(), TimeUnit.MILLISECONDS);
    }

    /** The exit code of a process that ends by itself, or has been asked to; it is killed if it does not. */
    public static int exitCode(Process process) throws InterruptedException {
        if (process.waitFor(millis(), TimeUnit.MILLISECONDS)) {
            return process.exitValue();
        }
        process.destroyForcibly();
        throw new AssertionError("process " + process.info().commandLine().orElse("") + " does not end");
    }

    static Duration scaled(Duration quiet, double factor) {
        return Duration.ofMillis((long) (quiet.toMillis() * factor));
    }

    /**
     * The processes that want each processor: of the last minute, or at this moment if these are more.
     *
     * @param load as in Linux' {@code /proc/loadavg} (proc_loadavg(5)): {@code 0.20 0.18 0.12 1/80 11206}
     */
    static double factor(String load, int processors) {
        String[] fields = load.split("[ /]", -1);
        double wanting = Math.max(Double.parseDouble(fields[0]), Double.parseDouble(fields[3]));
        return Math.clamp(wanting / processors, 1, LARGEST_FACTOR);
    }

    private static String load() {
        try {
            return Files.readString(LOAD);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
