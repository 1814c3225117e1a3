package io.gpushare.extender.http;

import io.vertx.core.Context;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads request bodies into memory, within a limit for each body and a shared budget for all of them. */
public final class RequestBodies {
    /** Why a body is not read to its end. */
    public enum Refusal {
        TOO_LARGE,
        /** Other bodies use the shared budget. */
        TOO_MANY
    }

    private static final Logger LOG = LoggerFactory.getLogger(RequestBodies.class);
    // Small bodies, which are the rule, still fit beside one body of the largest size.
    private static final long BESIDE_LARGEST = 16 << 20;

    private final int largest;
    private final AtomicLong used = new AtomicLong();

    /** With a limit of that many bytes for one body. */
    public RequestBodies(int largest) {
        this.largest = largest;
    }

    public int largest() {
        return largest;
    }

    /** How many bytes of the shared budget are in use. */
    long used() {
        return used.get();
    }

    /** Calls one of the handlers: with the complete body, or as soon as the body is refused. */
    public void read(HttpServerRequest request, Handler<RequestBody> then, Handler<Refusal> refuse) {
        long announced = announced(request);
        if (announced > largest) {
            refuse.handle(Refusal.TOO_LARGE);
            return;
        }
        RequestBody body = RequestBody.announced((int) announced, largest);
        request.handler(chunk -> {
            boolean tooLarge = body.size() + (long) chunk.length() > largest;
            int growth = tooLarge ? 0 : body.capacityAfter(chunk.length()) - body.capacity();
            if (tooLarge || used.get() + growth > largest + BESIDE_LARGEST) {
                detach(request);
                used.addAndGet(-body.capacity());
                refuse.handle(tooLarge ? Refusal.TOO_LARGE : Refusal.TOO_MANY);
            } else {
                used.addAndGet(growth);
                body.add(chunk);
            }
        });
        Context loop = Vertx.currentContext();
        request.endHandler(nothing -> {
            request.exceptionHandler(null);
            // Netty sends a response only after the current read, and holds its memory until then.
            loop.runOnContext(next -> {
                try {
                    then.handle(body);
                } finally {
                    used.addAndGet(-body.capacity());
                    // The request still refers to the body, perhaps for as long as the API server takes for a bind.
                    body.release();
                }
            });
        });
        request.exceptionHandler(e -> {
            // A connection that is reset reports both an error and its end.
            detach(request);
            used.addAndGet(-body.capacity());
            LOG.debug("request aborted: {}", e.toString());
        });
    }

    private static void detach(HttpServerRequest request) {
        request.handler(null).endHandler(null).exceptionHandler(null);
    }

    private static long announced(HttpServerRequest request) {
        String length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
        // Netty has checked that it is a number.
        return length == null ? 0 : Long.parseLong(length);
    }
}
