package io.gpushare.simulated.program;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;

/** A program that a test started, and that it ends. */
public interface StartedProgram extends AutoCloseable {
    /**
     * Starts a program in this JVM.
     *
     * @param log receives what its threads print and log
     * @param start starts the program and returns its ends
     */
    static StartedProgram inThisJvm(Path log, Callable<Ends> start) throws IOException {
        return ProgramInThisJvm.start(log, start);
    }

    /**
     * Starts a program as a process.
     *
     * @param log receives what it prints and logs, after what it already has
     */
    static StartedProgram process(Path log, ProcessBuilder command) throws IOException {
        Process process = command.redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
        return new ProgramProcess(process);
    }

    boolean isAlive();

    /** Requests a planned end, as SIGTERM does; returns at once. */
    void terminate();

    /**
     * Waits for the end, and returns the exit code.
     *
     * @throws AssertionError if it does not end in time
     */
    int exitCode() throws InterruptedException;

    /** Whether it ends within that time. */
    boolean endsWithin(Duration time) throws InterruptedException;

    /**
     * Ends it without what prepares a planned end, and waits until it has ended. A process leaves everything as it is;
     * in this JVM it closes what it has opened.
     */
    void kill() throws InterruptedException;

    /**
     * The ID of its process.
     *
     * @throws UnsupportedOperationException if it has none of its own
     */
    long pid();

    @Override
    default void close() {
        try {
            kill();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
