package io.gpushare.program;

import io.gpushare.time.Machine;
import io.gpushare.time.Pause;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/** The end of a program, which its parts and its environment request. The first request gives the exit code. */
public final class Ending implements Pause {
    /** The exit code after a planned end, and after help was printed. */
    public static final int DONE = 0;

    /** The exit code after a failure. */
    public static final int FAILED = 1;

    /** The exit code of a program that can't run with its options. */
    public static final int INVALID_OPTIONS = 2;

    private final CompletableFuture<Integer> code = new CompletableFuture<>();

    /** Requests the end, with that exit code; without effect if it was requested before. */
    public void request(int exitCode) {
        code.complete(exitCode);
    }

    public boolean requested() {
        return code.isDone();
    }

    /** Waits until the end is requested; returns the exit code. */
    public int await() throws InterruptedException {
        try {
            return code.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void pause(Duration time) throws InterruptedException {
        try {
            Machine.here().get(code, time);
            throw new InterruptedException("the program is to end");
        } catch (TimeoutException e) {
            // Nobody requested the end meanwhile.
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }
}
