package io.gpushare.extender.metrics;

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
 * Makes the text of the metrics on one thread of its own: in a large cluster it takes a while, and no verb is to wait for
 * that. Whoever asks before a text is begun gets the same one, so that however many ask, one is made at a time.
 */
final class MetricsRenderer {
    private final Function<Boolean, Buffer> text;
    private final Executor thread = new ThreadPoolExecutor(
            0,
            1,
            10,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            Thread.ofPlatform().daemon().name("scrapes").factory());
    private final Map<Boolean, CompletableFuture<Buffer>> next = new HashMap<>();

    /** @param text makes the text; told whether nodes may be named in it */
    MetricsRenderer(Function<Boolean, Buffer> text) {
        this.text = text;
    }

    /** The text as it is soon. */
    synchronized CompletableFuture<Buffer> text(boolean names) {
        return next.computeIfAbsent(names, any -> {
            CompletableFuture<Buffer> soon = new CompletableFuture<>();
            thread.execute(() -> make(names, soon));
            return soon;
        });
    }

    private void make(boolean names, CompletableFuture<Buffer> soon) {
        synchronized (this) {
            next.remove(names);
        }
        try {
            soon.complete(text.apply(names));
        } catch (RuntimeException e) {
            soon.completeExceptionally(e);
        }
    }
}
