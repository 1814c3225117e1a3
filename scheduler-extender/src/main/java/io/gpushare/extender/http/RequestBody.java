package io.gpushare.extender.http;

import io.gpushare.extender.protocol.NamedNodes;
import io.vertx.core.buffer.Buffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What has come of a request's body. One of thousands of names stands in memory that bodies before it stood in, and so
 * does what is found of them: fresh memory is in none of the near caches, and to fill it costs more than to read the
 * names. Each thread has its own; what one event loop reads is also answered there.
 */
public final class RequestBody {
    /** The most that is taken for a body before it has come, and that is used again after it, in bytes. */
    public static final int AT_ONCE = 512 << 10;

    // Smaller ones, as bind's, are many at a time, and cost nothing.
    private static final int LARGE = 32 << 10;
    // One that is over: its memory is the next one's, if it is large enough. Filter's and prioritize's bodies, one of
    // which waits while the other comes, are soon both large enough for either.
    private static final ThreadLocal<@Nullable RequestBody> SPARE = new ThreadLocal<>();

    private final int announced;
    private byte[] bytes;
    private Names names = new Names();
    private int size;
    private boolean kept;

    private RequestBody(byte[] bytes, int size, int announced) {
        this.bytes = bytes;
        this.size = size;
        this.announced = announced;
    }

    /** Room beside a body for what is found of the names in it, as long as the body lasts. */
    public static final class Names {
        /** As {@link NamedNodes} has it: one place more than {@link #numbers} has. */
        public int[] begin = new int[1];

        /** The number of each one's node. */
        public int[] numbers = new int[0];

        /** From now on there is room for so many. */
        public void atLeast(int count) {
            if (numbers.length < count) {
                begin = Arrays.copyOf(begin, count + 1);
                numbers = Arrays.copyOf(numbers, count);
            }
        }
    }

    /** One that nothing has come of yet. */
    public static RequestBody announced(int size) {
        return new RequestBody(new byte[0], 0, size);
    }

    /** One that came as these bytes, in memory of its own. */
    public static RequestBody of(byte[] whole) {
        return new RequestBody(whole, whole.length, whole.length);
    }

    /** Its first {@link #size} bytes are the body's; not for longer than the request takes, unless it is kept. */
    public byte[] bytes() {
        return bytes;
    }

    public int size() {
        return size;
    }

    /** For who reads the names in it, one at a time. */
    public Names names() {
        return names;
    }

    /** Whether it begins with so many of the other's bytes. */
    public boolean beginsAs(RequestBody other, int length) {
        return length <= size && Arrays.equals(bytes, 0, length, other.bytes, 0, length);
    }

    /** Its bytes alone, for as long as one likes. */
    public byte[] copy() {
        return Arrays.copyOf(bytes, size);
    }

    /**
     * How much memory it is counted for, in bytes; it has up to twice that where more comes than was announced, and more
     * where a larger one's memory is used again.
     */
    int memory() {
        return bytes.length == 0 ? 0 : memory(0);
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

    public void add(Buffer chunk) {
        int memory = memory(chunk.length());
        if (memory > bytes.length) {
            if (bytes.length == 0) {
                begin(memory);
            } else {
                bytes = Arrays.copyOf(bytes, Math.max(memory, 2 * bytes.length));
            }
        }
        chunk.getBytes(bytes, size);
        size += chunk.length();
    }

    private void begin(int memory) {
        @Nullable RequestBody spare = memory < LARGE ? null : SPARE.get();
        if (spare == null || spare.bytes.length < memory) {
            bytes = new byte[memory];
        } else {
            SPARE.remove();
            bytes = spare.bytes;
            names = spare.names;
        }
    }

    /** The request's end is not its end: who calls this calls {@link #free}, on the same thread. */
    public void keep() {
        kept = true;
    }

    /** Its request is over. */
    public void end() {
        if (!kept) {
            free();
        }
    }

    /** Nothing reads it any more. */
    public void free() {
        if (bytes.length >= LARGE && bytes.length <= AT_ONCE) {
            SPARE.set(this);
        }
    }
}
