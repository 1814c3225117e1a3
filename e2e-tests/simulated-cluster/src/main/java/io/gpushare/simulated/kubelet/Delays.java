package io.gpushare.simulated.kubelet;

import io.gpushare.time.Machine;
import io.gpushare.time.PeriodicTask;
import io.gpushare.time.StartedParts;
import java.time.Duration;

/** Work that a kubelet does later; nothing is begun after its end. */
final class Delays implements AutoCloseable {
    private final StartedParts parts = new StartedParts();
    private final Machine machine = Machine.here();
    private volatile boolean closed;

    /** Does that after some time, in a thread of its own. */
    void after(Duration time, Runnable work) {
        machine.lightThread("delayed", () -> {
                    try {
                        machine.pause(time);
                        if (!closed) {
                            work.run();
                        }
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                })
                .start();
    }

    /** Does that again and again. */
    synchronized void each(String name, Duration rest, Runnable work) {
        parts.add(PeriodicTask.rounds(name, rest, work::run)).start();
    }

    @Override
    public synchronized void close() {
        closed = true;
        parts.close();
    }
}
