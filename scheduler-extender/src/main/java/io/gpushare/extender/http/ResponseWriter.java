package io.gpushare.extender.http;

import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.streams.WriteStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Writes a response from thousands of fragments of JSON into one array per thread, which every response reuses. A
 * response that fits is sent whole, a longer one in chunks of at most {@link #CHUNK} bytes.
 */
public final class ResponseWriter {
    static final int CHUNK = 512 << 10;
    private static final int INITIAL = 32 << 10;
    private static final ThreadLocal<byte[]> REUSED = ThreadLocal.withInitial(() -> new byte[INITIAL]);

    private final WriteStream<Buffer> to;
    private final Handler<Throwable> failed;
    private byte[] bytes = REUSED.get();
    private int size;

    /** A response, or a part of one. */
    public interface Content {
        void write(ResponseWriter into);

        /** JSON that is complete already. */
        static Content of(Buffer json) {
            return into -> into.add(json.getBytes());
        }
    }

    private ResponseWriter(WriteStream<Buffer> to, Handler<Throwable> failed) {
        this.to = to;
        this.failed = failed;
    }

    /**
     * Sends the content as the whole content of the stream, and ends the stream.
     *
     * @param failed called for each chunk that could not be written, after which the stream is of no use
     */
    public static void send(Content content, WriteStream<Buffer> to, Handler<Throwable> failed) {
        ResponseWriter writer = new ResponseWriter(to, failed);
        content.write(writer);
        to.end(writer.chunk()).onFailure(failed);
    }

    public void add(byte[] fragment) {
        add(fragment, 0, fragment.length);
    }

    public void add(String fragment) {
        add(fragment.getBytes(StandardCharsets.UTF_8));
    }

    /** Adds the bytes from that position up to the other. */
    public void add(byte[] fragment, int from, int to) {
        for (int next = from; next < to; ) {
            int part = Math.min(to - next, CHUNK - size);
            reserve(part);
            System.arraycopy(fragment, next, bytes, size, part);
            size += part;
            next += part;
            if (next < to) {
                flush();
            }
        }
    }

    /** Adds one character of ASCII. */
    public void add(char character) {
        if (size == CHUNK) {
            flush();
        }
        reserve(1);
        bytes[size++] = (byte) character;
    }

    private void reserve(int more) {
        if (size + more > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.min(CHUNK, Math.max(size + more, 2 * bytes.length)));
            REUSED.set(bytes);
        }
    }

    private void flush() {
        to.write(chunk()).onFailure(failed);
        size = 0;
    }

    private Buffer chunk() {
        return Buffer.buffer(size).appendBytes(bytes, 0, size);
    }
}
