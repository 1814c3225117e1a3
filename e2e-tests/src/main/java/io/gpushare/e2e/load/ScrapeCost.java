package io.gpushare.e2e.load;

import io.gpushare.e2e.load.budget.Latencies;
import io.gpushare.e2e.load.client.Connection;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

/**
 * Measures the cost of one scrape per second. Filter calls of one client alternate between turns with and without
 * scrapes, so that other load on the machine affects both. Also measures the duration and size of a scrape.
 */
final class ScrapeCost {
    private static final Duration TURN = Duration.ofSeconds(5);
    private static final long SECOND = Duration.ofSeconds(1).toNanos();
    // More calls than one client can make per second.
    private static final int MAX_CALLS = 20_000;
    private static final byte[] SCRAPE =
            "GET /metrics HTTP/1.1\r\nHost: extender\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    private ScrapeCost() {}

    /**
     * Measures and prints.
     *
     * @param warmUp the number of calls before the measurement
     * @param time the total time, half of it with scrapes; at least two turns
     */
    static void measure(int port, List<byte[]> filters, int warmUp, Duration time)
            throws IOException, InterruptedException, ExecutionException {
        int turns = Math.max(1, (int) (time.toSeconds() / 2 / TURN.toSeconds()));
        int capacity = Math.toIntExact(turns * TURN.toSeconds() * MAX_CALLS);
        Latencies alone = new Latencies(capacity);
        Latencies beside = new Latencies(capacity);
        Latencies scrapes = new Latencies(capacity);
        try (Connection calls = new Connection(port);
                Connection scraper = new Connection(port)) {
            for (int i = 0; i < warmUp; i++) {
                calls.call(filters.get(i % filters.size()));
            }
            byte[] text = new byte[0];
            for (int i = 0; i < 10; i++) {
                scraper.call(SCRAPE);
                text = scraper.response();
            }
            for (int turn = 0; turn < turns; turn++) {
                turn(calls, filters, alone);
                Future<?> scraping = scraping(scraper, scrapes);
                turn(calls, filters, beside);
                scraping.get();
            }
            long series = new String(text, StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .count();
            LoadRun.print(
                    "  a scrape: p50 %.1f ms, longest %.1f ms of %d; %,d bytes, %,d series%n",
                    scrapes.millis(0.5), scrapes.millis(1), scrapes.count(), text.length, series);
        }
        LoadRun.print(
                "  filter without scrapes p50 %.3f ms  p99 %.2f ms (%,d calls); with one every second p50 %.3f ms"
                        + "  p99 %.2f ms (%,d calls): p50 %.3f times%n",
                alone.millis(0.5),
                alone.millis(0.99),
                alone.count(),
                beside.millis(0.5),
                beside.millis(0.99),
                beside.count(),
                beside.millis(0.5) / alone.millis(0.5));
    }

    private static void turn(Connection calls, List<byte[]> filters, Latencies figures) throws IOException {
        long end = System.nanoTime() + TURN.toNanos();
        for (int i = 0; System.nanoTime() < end; i++) {
            long begin = System.nanoTime();
            calls.call(filters.get(i % filters.size()));
            figures.add(System.nanoTime() - begin);
        }
    }

    /** Scrapes at the beginning of each second of a turn. */
    private static Future<?> scraping(Connection scraper, Latencies figures) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread.ofPlatform().daemon().name("scraper").start(() -> {
            try {
                long begin = System.nanoTime();
                for (int second = 0; second < TURN.toSeconds(); second++) {
                    Thread.sleep(Duration.ofNanos(Math.max(0, begin + second * SECOND - System.nanoTime())));
                    long sent = System.nanoTime();
                    scraper.call(SCRAPE);
                    figures.add(System.nanoTime() - sent);
                }
                done.complete(null);
            } catch (IOException | InterruptedException e) {
                done.completeExceptionally(e);
            }
        });
        return done;
    }
}
