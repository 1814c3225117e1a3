package io.gpushare.simulated.apiserver.response;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.simulated.apiserver.store.ApiError;
import io.gpushare.simulated.apiserver.store.ApiResource;
import io.gpushare.simulated.apiserver.store.Change;
import io.gpushare.simulated.apiserver.store.Documents;
import io.gpushare.simulated.apiserver.store.ObjectStore;
import io.gpushare.simulated.apiserver.store.Selection;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * One watch: a chunked response with one JSON line per change, bookmarks if the client allows them (each period and at
 * the end), and a time limit. A version that is too old leads to an ERROR line with a 410 Status, as in the real
 * server. A client that reads too slowly is disconnected.
 */
public final class WatchResponse {
    private static final int MAX_PENDING = 32 * 1024 * 1024;

    private final Vertx vertx;
    private final Context context;
    private final HttpServerResponse response;
    private final ApiResource resource;
    private final ObjectStore store;
    private final boolean bookmarks;
    private final BooleanSupplier muted;
    private final long lag = Lag.millis();
    private Runnable unwatch = () -> {};
    private long bookmarkTimer = -1;
    private long endTimer = -1;

    public WatchResponse(
            Vertx vertx,
            HttpServerResponse response,
            ApiResource resource,
            ObjectStore store,
            boolean bookmarks,
            BooleanSupplier muted) {
        this.vertx = vertx;
        this.context = vertx.getOrCreateContext();
        this.response = response;
        this.resource = resource;
        this.store = store;
        this.bookmarks = bookmarks;
        this.muted = muted;
    }

    /**
     * Sends the objects that the selection selects, and their changes.
     *
     * @param since the version to start after; 0 for all current objects, then changes
     */
    public void start(Selection selection, long since, Duration length, Duration bookmarkPeriod) {
        response.putHeader("Content-Type", "application/json").setChunked(true).setWriteQueueMaxSize(MAX_PENDING);
        response.writeHead();
        try {
            unwatch = store.watch(
                    resource,
                    selection,
                    since,
                    change -> change.seenBy(selection).ifPresent(this::later));
        } catch (ApiError expired) {
            response.end(Buffer.buffer(Change.line("ERROR", Documents.bytes(expired.status()))));
            return;
        }
        response.closeHandler(_ -> stop());
        endTimer = vertx.setTimer(length.toMillis(), _ -> end());
        if (bookmarks) {
            bookmarkTimer = vertx.setPeriodic(bookmarkPeriod.toMillis(), _ -> bookmark());
        }
    }

    /** In the order of the calls. */
    private void later(byte[] line) {
        if (lag == 0) {
            context.runOnContext(_ -> send(line));
        } else {
            context.runOnContext(_ -> vertx.setTimer(lag, _ -> send(line)));
        }
    }

    private void send(byte[] line) {
        if (response.closed() || response.ended() || muted.getAsBoolean()) {
            return;
        }
        if (response.writeQueueFull()) {
            cut();
            return;
        }
        response.write(Buffer.buffer(line));
    }

    /** Closes the connection without a final message, as a network failure does. */
    public void cut() {
        context.runOnContext(_ -> {
            stop();
            response.reset();
        });
    }

    private void end() {
        if (bookmarks) {
            bookmark();
        }
        stop();
        if (!response.closed()) {
            response.end();
        }
    }

    private void stop() {
        vertx.cancelTimer(bookmarkTimer);
        vertx.cancelTimer(endTimer);
        unwatch.run();
    }

    /** Sends a bookmark after all changes before its version: both use the context's queue in the store's order. */
    private void bookmark() {
        later(bookmark(resource, store.version()));
    }

    /** A line that says that all changes up to that version have been sent. */
    public static byte[] bookmark(ApiResource resource, long version) {
        ObjectNode object = Documents.empty();
        object.put("kind", resource.kind).put("apiVersion", resource.apiVersion());
        object.putObject("metadata")
                .put("resourceVersion", Long.toString(version))
                .putNull("creationTimestamp");
        if (resource == ApiResource.PODS) {
            // The real server encodes an empty Go struct, in which an absent list is null.
            object.putObject("spec").putNull("containers");
            object.putObject("status");
        }
        return Change.line("BOOKMARK", Documents.bytes(object));
    }
}
