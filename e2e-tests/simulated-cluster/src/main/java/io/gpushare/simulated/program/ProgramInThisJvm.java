package io.gpushare.simulated.program;

import io.gpushare.simulated.patience.Patience;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

/** A program in this JVM, whose threads are in a group of their own. */
final class ProgramInThisJvm implements StartedProgram {
    private final ThreadGroup threads;
    private final Ends ends;

    private ProgramInThisJvm(ThreadGroup threads, Ends ends) {
        this.threads = threads;
        this.ends = ends;
    }

    static StartedProgram start(Path log, Callable<Ends> start) throws IOException {
        ThreadGroup threads = new ThreadGroup(String.valueOf(log));
        ProgramOutput.redirect(threads, log);
        CompletableFuture<Ends> started = new CompletableFuture<>();
        Thread.ofPlatform().group(threads).name("start").start(() -> {
            try {
                started.complete(start.call());
            } catch (Exception | Error e) {
                started.completeExceptionally(e);
            }
        });
        try {
            Ends ends = started.join();
            return new ProgramInThisJvm(threads, ends);
        } catch (CompletionException e) {
            ProgramOutput.end(threads);
            throw new IOException("the program can't be started", e);
        }
    }

    @Override
    public boolean isAlive() {
        return !ends.exit().isDone();
    }

    @Override
    public void terminate() {
        ends.terminate().run();
    }

    @Override
    public int exitCode() throws InterruptedException {
        if (!endsWithin(Patience.of(Patience.USUAL))) {
            throw new AssertionError("the program does not end:\n" + stacks());
        }
        return ends.exit().join();
    }

    @Override
    public boolean endsWithin(Duration time) throws InterruptedException {
        try {
            ends.exit().get(time.toNanos(), TimeUnit.NANOSECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void kill() throws InterruptedException {
        ends.fail().run();
        exitCode();
        ProgramOutput.end(threads);
    }

    @Override
    public long pid() {
        throw new UnsupportedOperationException("a program in this JVM has no process of its own");
    }

    private String stacks() {
        Thread[] all = new Thread[threads.activeCount() * 2];
        int count = threads.enumerate(all);
        return Arrays.stream(all, 0, count)
                .map(thread -> thread + "\n"
                        + Arrays.stream(thread.getStackTrace())
                                .map(frame -> "    " + frame)
                                .collect(Collectors.joining("\n")))
                .collect(Collectors.joining("\n"));
    }
}
