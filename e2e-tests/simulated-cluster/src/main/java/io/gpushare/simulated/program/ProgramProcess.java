package io.gpushare.simulated.program;

import io.gpushare.simulated.patience.Patience;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** A program as a process. */
record ProgramProcess(Process process) implements StartedProgram {
    @Override
    public boolean isAlive() {
        return process.isAlive();
    }

    @Override
    public void terminate() {
        process.destroy();
    }

    @Override
    public int exitCode() throws InterruptedException {
        if (!endsWithin(Patience.of(Patience.USUAL))) {
            throw new AssertionError("the process " + process.pid() + " does not end");
        }
        return process.exitValue();
    }

    @Override
    public boolean endsWithin(Duration time) throws InterruptedException {
        return process.waitFor(time.toNanos(), TimeUnit.NANOSECONDS);
    }

    @Override
    public void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    @Override
    public long pid() {
        return process.pid();
    }
}
