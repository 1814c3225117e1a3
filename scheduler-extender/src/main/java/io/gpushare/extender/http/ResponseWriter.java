package io.gpushare.extender.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;
import io.vertx.core.streams.WriteStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An answer put together of thousands of pieces that are JSON already, or signs between them. It goes out page by page, in
 * memory that is used again: what has just been written is in the nearest caches, and fresh memory never is. One that fits
 * on a page, as those for 5,000 nodes do, goes out whole. A thread puts together one at a time.
 */
public final class ResponseWriter {
    static final int PAGE = 512 << 10;
    // Memory for as much to begin with: most clusters' answers are no longer.
    private static final int FIRST = 32 << 10;
    // Most pieces are no longer: to copy them word by word is faster than to call for it.
    private static final int SHORT = 64;
    private static final VarHandle WORD = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());
    private static final ThreadLocal<Memory> MEMORY = ThreadLocal.withInitial(Memory::new);

    private final WriteStream<Buffer> to;
    private final Memory memory = MEMORY.get();
    private Page page = memory.take();
    private int filled;

    /** An answer, or a part of one. */
    public interface Content {
        void write(ResponseWriter into);

        /** That JSON as it is. */
        static Content of(Buffer json) {
            return into -> into.add(json.getBytes(), 0, json.length());
        }
    }

    /** Room for a part of an answer. */
    private static final class Page {
        // Freed by who has it: to wait for a collection of the heap, which this does not fill, could take hours.
        private static final ByteBufAllocator OUTSIDE = new UnpooledByteBufAllocator(true, true);

        static final Page NONE = new Page(0);

        // Outside the heap: the kernel takes it from there, what is in the heap would be copied once more.
        private final ByteBuf memory;
        private final ByteBuffer bytes;

        Page(int room) {
            memory = OUTSIDE.directBuffer(room + SHORT, room + SHORT);
            bytes = memory.nioBuffer(0, room + SHORT).order(ByteOrder.nativeOrder());
        }

        /** What may stand on it. */
        int room() {
            return bytes.capacity() - SHORT;
        }

        /** What stands on it, where it is: Vert.x' public buffers copy. */
        Buffer first(int filled) {
            return BufferInternal.buffer(Unpooled.unreleasableBuffer(memory.slice(0, filled)));
        }

        void free() {
            memory.release();
        }
    }

    /** A thread's own: the largest page that is not in use. */
    private static final class Memory {
        private @Nullable Page spare;

        Page take() {
            @Nullable Page page = spare;
            spare = null;
            return page == null ? new Page(FIRST) : page;
        }

        void give(Page page) {
            if (page == Page.NONE) {
                return;
            }
            if (spare == null) {
                spare = page;
            } else if (spare.room() < page.room()) {
                spare.free();
                spare = page;
            } else {
                page.free();
            }
        }
    }

    /** A piece that is in many answers, or many times in one. */
    public static final class Piece {
        private final byte[] bytes;
        private final int length;

        public Piece(String text) {
            byte[] plain = text.getBytes(StandardCharsets.UTF_8);
            bytes = Arrays.copyOf(plain, plain.length + SHORT);
            length = plain.length;
        }
    }

    private ResponseWriter(WriteStream<Buffer> to) {
        this.to = to;
    }

    /** Sends that as the stream's whole content, and ends it. */
    public static void send(Content content, WriteStream<Buffer> to) {
        ResponseWriter pieces = new ResponseWriter(to);
        try {
            content.write(pieces);
            pieces.out(to::end);
        } finally {
            pieces.memory.give(pieces.page);
        }
    }

    public void add(Piece piece) {
        add(piece.bytes, 0, piece.length);
    }

    public void add(byte[] in, int from, int to) {
        int length = to - from;
        if (length > page.room() - filled && !grown(length)) {
            inParts(in, from, length);
            return;
        }
        ByteBuffer bytes = page.bytes;
        if (length > SHORT || from + SHORT > in.length) {
            bytes.put(filled, in, from, length);
        } else {
            // Some bytes too many, which what comes next overwrites; without a loop, which would cost more than these.
            words(in, from, bytes, filled);
            if (length > SHORT / 4) {
                words(in, from + SHORT / 4, bytes, filled + SHORT / 4);
            }
            if (length > SHORT / 2) {
                words(in, from + SHORT / 2, bytes, filled + SHORT / 2);
                words(in, from + SHORT * 3 / 4, bytes, filled + SHORT * 3 / 4);
            }
        }
        filled += length;
    }

    private static void words(byte[] in, int from, ByteBuffer bytes, int at) {
        bytes.putLong(at, (long) WORD.get(in, from));
        bytes.putLong(at + Long.BYTES, (long) WORD.get(in, from + Long.BYTES));
    }

    private void inParts(byte[] in, int from, int length) {
        for (int done = 0; done < length; ) {
            if (filled == PAGE) {
                turn();
            }
            grown(PAGE - filled);
            int part = Math.min(length - done, PAGE - filled);
            page.bytes.put(filled, in, from + done, part);
            filled += part;
            done += part;
        }
    }

    public void add(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        add(bytes, 0, bytes.length);
    }

    /** One character of ASCII. */
    public void add(char sign) {
        if (filled == page.room() && !grown(1)) {
            turn();
        }
        page.bytes.put(filled++, (byte) sign);
    }

    /** Whether so many more bytes fit on the page, which has as much room then. */
    private boolean grown(int more) {
        if (more > PAGE - filled) {
            return false;
        }
        int room = page.room();
        while (room < filled + more) {
            room *= 2;
        }
        if (room > page.room()) {
            Page larger = new Page(room);
            larger.bytes.put(0, page.bytes, 0, filled);
            page.free();
            page = larger;
        }
        return true;
    }

    private void turn() {
        out(to::write);
        filled = 0;
        if (page == Page.NONE) {
            page = memory.take();
        }
    }

    /** Sends what is on the page; one that waits to be written, since the caller reads slowly, is left until it is. */
    private void out(Function<Buffer, Future<Void>> send) {
        Page full = page;
        page = Page.NONE;
        Future<Void> written = send.apply(full.first(filled));
        if (written.isComplete()) {
            page = full;
        } else {
            // On this thread: an answer's futures are its event loop's.
            written.onComplete(done -> memory.give(full));
        }
    }
}
