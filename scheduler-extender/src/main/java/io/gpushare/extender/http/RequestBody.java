package io.gpushare.extender.http;

import io.vertx.core.buffer.Buffer;
import java.util.Arrays;

/** The bytes of one request body as they arrive, in one array that grows. */
public final class RequestBody {
    /** The most bytes that are allocated before they have arrived. */
    static final int ALLOCATED_AHEAD = 512 << 10;

    private final int announced;
    private final int limit;
    private byte[] bytes;
    private int size;

    private RequestBody(byte[] bytes, int announced, int limit) {
        this.bytes = bytes;
        this.announced = announced;
        this.limit = limit;
        this.size = bytes.length;
    }

    /**
     * An empty body.
     *
     * @param announced its Content-Length, at most the limit; 0 if the request has none
     * @param limit the most bytes that the caller will add
     */
    static RequestBody announced(int announced, int limit) {
        return new RequestBody(new byte[0], announced, limit);
    }

    /** A complete body. The array is not copied. */
    public static RequestBody of(byte[] whole) {
        return new RequestBody(whole, whole.length, whole.length);
    }

    /** The array whose first {@link #size} bytes are the body. */
    public byte[] bytes() {
        return bytes;
    }

    public int size() {
        return size;
    }

    /** The body's bytes in an array of their own. */
    public byte[] copy() {
        return Arrays.copyOf(bytes, size);
    }

    /** How many bytes of memory the body takes. */
    int capacity() {
        return bytes.length;
    }

    /** How many bytes of memory it takes after that many more bytes have arrived. */
    int capacityAfter(int more) {
        int needed = size + more;
        if (needed <= bytes.length) {
            return bytes.length;
        }
        int most = needed <= announced ? announced : limit;
        long grown = Math.max(2L * bytes.length, Math.min(announced, ALLOCATED_AHEAD));
        return (int) Math.max(needed, Math.min(grown, most));
    }

    /** Frees the memory: the body has been handled, and is empty from now on. */
    void release() {
        bytes = new byte[0];
        size = 0;
    }

    void add(Buffer chunk) {
        int capacity = capacityAfter(chunk.length());
        if (capacity > bytes.length) {
            bytes = Arrays.copyOf(bytes, capacity);
        }
        chunk.getBytes(bytes, size);
        size += chunk.length();
    }
}
