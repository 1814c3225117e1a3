package io.gpushare.histories.grpc;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;

/** Runs tasks one after the other, in threads of another executor. */
final class InOrder implements Executor {
    private final Executor threads;
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private boolean running;

    InOrder(Executor threads) {
        this.threads = threads;
    }

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
        if (!running) {
            running = true;
            threads.execute(this::drain);
        }
    }

    private void drain() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
        running = false;
    }
}
