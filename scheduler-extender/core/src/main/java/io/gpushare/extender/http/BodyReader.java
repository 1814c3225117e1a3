package io.gpushare.extender.http;

import io.vertx.core.Context;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Reads the body of a request into memory, then calls the next handler of the route. A body that exceeds its limit, or
 * with the others the budget that all of them share, is refused as soon as that is known. vertx-web's own handler has
 * no such budget.
 */
public final class BodyReader implements Handler<RoutingContext> {
    private static final String BODY = "body";
    /** The most bytes that are allocated before they have arrived. */
    private static final int ALLOCATED_AHEAD = 512 << 10;
    // Small bodies, which are the rule, still fit beside one body of the largest size.
    private static final long BESIDE_LARGEST = 16 << 20;

    private final int largest;
    private final String advice;
    private final Consumer<String> refused;
    private final AtomicLong used = new AtomicLong();

    /**
     * @param largest the limit of one body in bytes
     * @param advice what the sender of a larger one is told to do
     * @param refused receives the metric's reason of each refusal
     */
    public BodyReader(int largest, String advice, Consumer<String> refused) {
        this.largest = largest;
        this.advice = advice;
        this.refused = refused;
    }

    /** The body of a request that came through a reader; for the handlers of the route, until they return. */
    public static byte[] body(RoutingContext context) {
        return context.get(BODY);
    }

    /** How many bytes of the shared budget are in use. */
    long used() {
        return used.get();
    }

    /** The bytes of a body that have arrived, in an array that grows within the budget. */
    private final class Arrived {
        private final int announced;
        private byte[] bytes = {};
        private int size;

        /** @param announced the Content-Length; 0 if the request has none */
        Arrived(int announced) {
            this.announced = announced;
        }

        /** Adds the bytes, of which the body's limit allows as many; returns false if the budget does not. */
        boolean add(Buffer chunk) {
            int needed = size + chunk.length();
            if (needed > bytes.length) {
                int most = needed <= announced ? announced : largest;
                long grown = Math.max(2L * bytes.length, Math.min(announced, ALLOCATED_AHEAD));
                int capacity = (int) Math.max(needed, Math.min(grown, most));
                int more = capacity - bytes.length;
                if (used.addAndGet(more) > largest + BESIDE_LARGEST) {
                    used.addAndGet(-more);
                    return false;
                }
                bytes = Arrays.copyOf(bytes, capacity);
            }
            chunk.getBytes(bytes, size);
            size = needed;
            return true;
        }

        byte[] whole() {
            return size == bytes.length ? bytes : Arrays.copyOf(bytes, size);
        }

        void release() {
            used.addAndGet(-bytes.length);
            bytes = new byte[0];
        }
    }

    @Override
    public void handle(RoutingContext context) {
        HttpServerRequest request = context.request();
        String length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
        // Netty has checked that it is a number.
        long announced = length == null ? 0 : Long.parseLong(length);
        if (announced > largest) {
            tooLarge(context);
            return;
        }
        Arrived body = new Arrived((int) announced);
        request.handler(chunk -> {
            boolean tooLarge = body.size + (long) chunk.length() > largest;
            if (tooLarge) {
                end(request, body);
                tooLarge(context);
            } else if (!body.add(chunk)) {
                end(request, body);
                refuse(context, "too_many", 503, "other large requests are being read; try again");
            }
        });
        // A connection that is reset reports both an error and its end.
        request.exceptionHandler(e -> end(request, body));
        Context loop = context.vertx().getOrCreateContext();
        request.endHandler(nothing -> {
            request.exceptionHandler(null);
            // Netty sends a response only after the current read, and holds its memory until then.
            loop.runOnContext(next -> {
                try {
                    context.put(BODY, body.whole());
                    context.next();
                } finally {
                    // The request refers to the body, perhaps for as long as the API server takes for a bind.
                    context.remove(BODY);
                    body.release();
                }
            });
        });
    }

    /** Drops the body: nothing more of it is read. */
    private static void end(HttpServerRequest request, Arrived body) {
        request.handler(null).endHandler(null).exceptionHandler(null);
        body.release();
    }

    private void tooLarge(RoutingContext context) {
        refuse(context, "too_large", 413, "the request body is larger than " + largest + " bytes; " + advice);
    }

    private void refuse(RoutingContext context, String reason, int status, String sentence) {
        refused.accept(reason);
        context.response().putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
        HttpResponse.error(context.request(), status, sentence);
    }
}
