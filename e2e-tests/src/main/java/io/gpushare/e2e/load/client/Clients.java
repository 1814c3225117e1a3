package io.gpushare.e2e.load.client;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Runs several clients at the same time, each on its own thread. */
public final class Clients {
    private Clients() {}

    /** One client. */
    public interface Client {
        void run(int number) throws IOException;
    }

    /** Runs the client on so many threads and waits for all of them. */
    public static void run(int parallel, Client client) throws InterruptedException, ExecutionException {
        try (ExecutorService pool = Executors.newFixedThreadPool(parallel)) {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < parallel; i++) {
                int number = i;
                running.add(pool.submit(() -> {
                    client.run(number);
                    return null;
                }));
            }
            for (Future<?> each : running) {
                each.get();
            }
        }
    }
}
