package io.gpushare.insight.metrics;

import io.gpushare.time.Machine;
import io.vertx.core.buffer.Buffer;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Renders the metrics on a thread of its own, so that no verb waits for it. Scrapes that arrive before a rendering
 * starts share it: at most one is made at a time.
 */
final class MetricsRenderer {
    private final Function<Boolean, Buffer> text;
    private final Executor thread = new ThreadPoolExecutor(
            0,
            1,
            10,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            Machine.here().threads("metrics-"));
    private final Map<Boolean, CompletableFuture<Buffer>> next = new HashMap<>();

    /** @param text renders the metrics, with or without series per node */
    MetricsRenderer(Function<Boolean, Buffer> text) {
        this.text = text;
    }

    /** The text of the next rendering. */
    synchronized CompletableFuture<Buffer> text(boolean names) {
        return next.computeIfAbsent(names, any -> {
            CompletableFuture<Buffer> future = new CompletableFuture<>();
            thread.execute(() -> render(names, future));
            return future;
        });
    }

    private void render(boolean names, CompletableFuture<Buffer> future) {
        synchronized (this) {
            next.remove(names);
        }
        try {
            future.complete(text.apply(names));
        } catch (RuntimeException e) {
            future.completeExceptionally(e);
        }
    }
}
