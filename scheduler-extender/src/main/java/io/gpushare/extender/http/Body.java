package io.gpushare.extender.http;

import io.vertx.core.buffer.Buffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What has come of a request's body. One of thousands of names stands in memory that bodies before it stood in: fresh
 * memory is in none of the near caches, and to fill it costs more than to read the names. Each thread has its own; what
 * one event loop reads is also answered there.
 */
final class Body {
    private static final int AT_ONCE = 512 << 10;
    // Smaller ones, as bind's, are many at a time, and cost nothing.
    private static final int LARGE = 32 << 10;
    private static final ThreadLocal<byte @Nullable []> SPARE = new ThreadLocal<>();

    private final int announced;
    private byte[] bytes;
    private int size;
    private boolean kept;

    private Body(byte[] bytes, int size, int announced) {
        this.bytes = bytes;
        this.size = size;
        this.announced = announced;
    }

    /** One that nothing has come of yet. */
    static Body announced(int size) {
        return new Body(new byte[0], 0, size);
    }

    /** One that is that. */
    static Body of(byte[] whole) {
        return new Body(whole, whole.length, whole.length);
    }

    /** Its first {@link #size} bytes are the body's; not for longer than the request takes, unless it is kept. */
    byte[] bytes() {
        return bytes;
    }

    int size() {
        return size;
    }

    /** Whether it begins with so many of the other's bytes. */
    boolean beginsAs(Body other, int length) {
        return length <= size && Arrays.equals(bytes, 0, length, other.bytes, 0, length);
    }

    /** Its bytes alone, for as long as one likes. */
    byte[] copy() {
        return Arrays.copyOf(bytes, size);
    }

    /** How much memory it takes, in bytes; up to twice that where more comes than was announced. */
    int memory() {
        return size == 0 ? 0 : memory(0);
    }

    /** The same once so many more bytes have come. */
    int memory(int more) {
        return Math.max(size + more, atOnce());
    }

    /** As large from its first bytes on as it is said to become, within reason. */
    private int atOnce() {
        int expected = Math.min(announced, AT_ONCE);
        return expected < LARGE ? expected : Integer.highestOneBit(expected - 1) << 1;
    }

    void add(Buffer chunk) {
        int memory = memory(chunk.length());
        if (memory > bytes.length) {
            bytes = bytes.length == 0 ? first(memory) : Arrays.copyOf(bytes, Math.max(memory, 2 * bytes.length));
        }
        chunk.getBytes(bytes, size);
        size += chunk.length();
    }

    private static byte[] first(int memory) {
        byte @Nullable [] spare = memory < LARGE ? null : SPARE.get();
        if (spare == null || spare.length != memory) {
            return new byte[memory];
        }
        SPARE.remove();
        return spare;
    }

    /** The request's end is not its end: who calls this calls {@link #free}, on the same thread. */
    void keep() {
        kept = true;
    }

    /** Its request is over. */
    void end() {
        if (!kept) {
            free();
        }
    }

    /** Nothing reads it any more. */
    void free() {
        if (bytes.length >= LARGE && bytes.length <= AT_ONCE) {
            SPARE.set(bytes);
        }
    }
}
