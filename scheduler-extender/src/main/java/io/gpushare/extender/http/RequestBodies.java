package io.gpushare.extender.http;

import io.vertx.core.Context;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads request bodies into memory, each up to a limit, and all of them together up to another. */
public final class RequestBodies {
    /** Why a body is not read to its end. */
    public enum Refusal {
        TOO_LARGE,
        /** Others hold what memory there is for bodies. */
        TOO_MANY
    }

    private static final Logger LOG = LoggerFactory.getLogger(RequestBodies.class);
    // Beside one body of the largest size there is room for the small ones, which are the rule.
    private static final long ROOM_BESIDE = 16 << 20;

    private final int largest;
    private final AtomicLong held = new AtomicLong();

    public RequestBodies(int largest) {
        this.largest = largest;
    }

    public int largest() {
        return largest;
    }

    /** Bytes of memory that bodies take now. */
    long held() {
        return held.get();
    }

    /** Runs one of both: with the whole body once it is there, or as soon as it is known that it won't be taken. */
    public void read(HttpServerRequest request, Handler<RequestBody> then, Handler<Refusal> refuse) {
        if (announced(request) > largest) {
            refuse.handle(Refusal.TOO_LARGE);
            return;
        }
        RequestBody body = RequestBody.announced((int) announced(request));
        request.handler(chunk -> {
            boolean large = body.size() + (long) chunk.length() > largest;
            int before = body.memory();
            int grows = large ? 0 : body.memory(chunk.length()) - before;
            if (large || held.get() + grows > largest + ROOM_BESIDE) {
                leave(request);
                held.addAndGet(-before);
                refuse.handle(large ? Refusal.TOO_LARGE : Refusal.TOO_MANY);
            } else {
                held.addAndGet(grows);
                body.add(chunk);
            }
        });
        Context loop = Vertx.currentContext();
        request.endHandler(nothing -> {
            request.exceptionHandler(null);
            // Not at once: what is answered while Netty reads is not sent before it has read, and keeps its memory.
            loop.runOnContext(next -> {
                try {
                    then.handle(body);
                } finally {
                    held.addAndGet(-body.memory());
                    body.end();
                }
            });
        });
        request.exceptionHandler(e -> {
            // Of a connection that is reset it is told twice: of the error, and of the end.
            leave(request);
            held.addAndGet(-body.memory());
            LOG.debug("a request broke off: {}", e.toString());
        });
    }

    /** Hears no more of it. */
    private static void leave(HttpServerRequest request) {
        request.handler(null).endHandler(null).exceptionHandler(null);
    }

    private static long announced(HttpServerRequest request) {
        String length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
        // Netty has checked that it is a number.
        return length == null ? 0 : Long.parseLong(length);
    }
}
