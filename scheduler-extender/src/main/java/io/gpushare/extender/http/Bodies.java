package io.gpushare.extender.http;

import io.vertx.core.Context;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads request bodies into memory, each up to a limit, and all of them together up to another. */
final class Bodies {
    /** Why a body is not read to its end. */
    enum Refusal {
        TOO_LARGE,
        /** Others hold what memory there is for bodies. */
        TOO_MANY
    }

    private static final Logger LOG = LoggerFactory.getLogger(Bodies.class);
    // Beside one body of the largest size there is room for the small ones, which are the rule.
    private static final long ROOM_BESIDE = 16 << 20;

    private static final int AT_ONCE = 512 << 10;

    private final int largest;
    private final AtomicLong held = new AtomicLong();

    Bodies(int largest) {
        this.largest = largest;
    }

    int largest() {
        return largest;
    }

    /** Bytes of bodies that are in memory now. */
    long held() {
        return held.get();
    }

    /** Runs one of both: with the whole body once it is there, or as soon as it is known that it won't be taken. */
    void read(HttpServerRequest request, Handler<byte[]> then, Handler<Refusal> refuse) {
        if (announced(request) > largest) {
            refuse.handle(Refusal.TOO_LARGE);
            return;
        }
        Body body = new Body((int) announced(request));
        request.handler(chunk -> {
            boolean large = body.size + (long) chunk.length() > largest;
            int grows = body.grows(chunk.length());
            if (large || held.get() + grows > largest + ROOM_BESIDE) {
                request.handler(null).endHandler(null).exceptionHandler(null);
                held.addAndGet(-body.counted);
                refuse.handle(large ? Refusal.TOO_LARGE : Refusal.TOO_MANY);
            } else {
                held.addAndGet(grows);
                body.counted += grows;
                body.add(chunk);
            }
        });
        Context loop = Vertx.currentContext();
        request.endHandler(nothing -> {
            request.exceptionHandler(null);
            // Not at once: what is answered while Netty reads is not sent before it has read, and keeps its memory.
            loop.runOnContext(next -> {
                try {
                    then.handle(body.whole());
                } finally {
                    held.addAndGet(-body.counted);
                }
            });
        });
        request.exceptionHandler(e -> {
            held.addAndGet(-body.counted);
            LOG.debug("a request broke off: {}", e.toString());
        });
    }

    /** What has come of a body: as large from its first bytes on as it is said to become, within reason. */
    private static final class Body {
        private final int announced;
        private byte[] bytes = new byte[0];
        private int size;
        private int counted;

        Body(int announced) {
            this.announced = announced;
        }

        /** How much more is to be counted for it when so many bytes come. */
        int grows(int by) {
            return Math.max(0, Math.max(size + by, Math.min(announced, AT_ONCE)) - counted);
        }

        void add(Buffer chunk) {
            int now = size + chunk.length();
            if (now > bytes.length) {
                int large = bytes.length == 0 ? Math.min(announced, AT_ONCE) : 2 * bytes.length;
                bytes = Arrays.copyOf(bytes, Math.max(now, large));
            }
            chunk.getBytes(bytes, size);
            size = now;
        }

        byte[] whole() {
            return size == bytes.length ? bytes : Arrays.copyOf(bytes, size);
        }
    }

    private static long announced(HttpServerRequest request) {
        String length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
        // Netty has checked that it is a number.
        return length == null ? 0 : Long.parseLong(length);
    }
}
