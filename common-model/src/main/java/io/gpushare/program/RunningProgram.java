package io.gpushare.program;

import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A program in threads of its own, so that several run in one process. It changes nothing of the process: no signal, no
 * exit, no default handler.
 */
public final class RunningProgram {
    private static final Logger LOG = LoggerFactory.getLogger(RunningProgram.class);

    private final String name;
    private final Ending ending = new Ending();
    private final CompletableFuture<Integer> exit = new CompletableFuture<>();
    private final Threads threads;

    /** What a program does. */
    @FunctionalInterface
    public interface Body {
        /** Runs until the end is requested, and closes everything; returns the exit code. */
        int run(Ending ending) throws InterruptedException;
    }

    private RunningProgram(String name) {
        this.name = name;
        threads = new Threads(name);
    }

    /**
     * Starts a program.
     *
     * @param name what messages call it, such as "the plugin"
     */
    public static RunningProgram start(String name, Body body) {
        RunningProgram program = new RunningProgram(name);
        Thread.ofPlatform().group(program.threads).name("program").daemon().start(() -> program.run(body));
        return program;
    }

    private void run(Body body) {
        int code = Ending.FAILED;
        try {
            code = body.run(ending);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error e) {
            LOG.error("{} failed", name, e);
        } finally {
            exit.complete(code);
        }
    }

    /** Completed with the exit code when the program has ended, and closed what it had opened. */
    public CompletableFuture<Integer> exit() {
        return exit.copy();
    }

    /** Requests a planned end, as SIGTERM does; returns at once. */
    public void terminate() {
        ending.request(Ending.DONE);
    }

    /** Requests the end without what prepares a planned one, as a failure does; returns at once. */
    public void fail() {
        ending.request(Ending.FAILED);
    }

    /** A thread that fails ends the program. */
    void failed(Thread thread, Throwable failure) {
        LOG.error("thread {} failed, {} exits", thread.getName(), name, failure);
        fail();
    }

    private final class Threads extends ThreadGroup {
        Threads(String name) {
            super(name);
        }

        @Override
        public void uncaughtException(Thread thread, Throwable failure) {
            failed(thread, failure);
        }
    }
}
