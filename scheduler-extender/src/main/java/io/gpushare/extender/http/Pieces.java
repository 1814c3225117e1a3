package io.gpushare.extender.http;

import io.netty.buffer.Unpooled;
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

/**
 * An answer put together of thousands of pieces that are JSON already, or signs between them. It goes out page by page, in
 * memory that is used again: what has just been written is in the nearest caches, and fresh memory never is. One that fits
 * on a page, as those for 5,000 nodes do, goes out whole. A thread puts together one at a time.
 */
final class Pieces {
    static final int PAGE = 512 << 10;
    // Memory for as much to begin with: most clusters' answers are no longer.
    private static final int FIRST = 32 << 10;
    // Most pieces are no longer: to copy them word by word is faster than to call for it.
    private static final int SHORT = 64;
    private static final VarHandle WORD = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());
    private static final ThreadLocal<Memory> MEMORY = ThreadLocal.withInitial(Memory::new);

    private final WriteStream<Buffer> to;
    private final Memory memory = MEMORY.get();
    private int filled;

    /** An answer, or a part of one. */
    interface Content {
        void write(Pieces into);

        /** That JSON as it is. */
        static Content of(Buffer json) {
            return into -> into.add(json.getBytes(), 0, json.length());
        }
    }

    private static final class Memory {
        // Outside the heap: the kernel takes it from there, what is in the heap would be copied once more.
        private ByteBuffer page = page(FIRST);

        /** What may stand on the page. */
        int room() {
            return page.capacity() - SHORT;
        }

        private static ByteBuffer page(int room) {
            return ByteBuffer.allocateDirect(room + SHORT).order(ByteOrder.nativeOrder());
        }
    }

    /** A piece that is in many answers, or many times in one. */
    static final class Piece {
        private final byte[] bytes;
        private final int length;

        Piece(String text) {
            byte[] plain = text.getBytes(StandardCharsets.UTF_8);
            bytes = Arrays.copyOf(plain, plain.length + SHORT);
            length = plain.length;
        }
    }

    private Pieces(WriteStream<Buffer> to) {
        this.to = to;
    }

    /** Sends that as the stream's whole content, and ends it. */
    static void send(Content content, WriteStream<Buffer> to) {
        Pieces pieces = new Pieces(to);
        content.write(pieces);
        pieces.keep(to.end(pieces.page()));
    }

    void add(Piece piece) {
        add(piece.bytes, 0, piece.length);
    }

    void add(byte[] in, int from, int to) {
        int length = to - from;
        if (length > memory.room() - filled && !grown(length)) {
            inParts(in, from, length);
            return;
        }
        ByteBuffer page = memory.page;
        if (length > SHORT || from + SHORT > in.length) {
            page.put(filled, in, from, length);
        } else {
            // Some bytes too many, which what comes next overwrites; without a loop, which would cost more than these.
            words(in, from, page, filled);
            if (length > SHORT / 4) {
                words(in, from + SHORT / 4, page, filled + SHORT / 4);
            }
            if (length > SHORT / 2) {
                words(in, from + SHORT / 2, page, filled + SHORT / 2);
                words(in, from + SHORT * 3 / 4, page, filled + SHORT * 3 / 4);
            }
        }
        filled += length;
    }

    private static void words(byte[] in, int from, ByteBuffer page, int at) {
        page.putLong(at, (long) WORD.get(in, from));
        page.putLong(at + Long.BYTES, (long) WORD.get(in, from + Long.BYTES));
    }

    private void inParts(byte[] in, int from, int length) {
        for (int done = 0; done < length; ) {
            if (filled == PAGE) {
                turn();
            }
            grown(PAGE - filled);
            int part = Math.min(length - done, PAGE - filled);
            memory.page.put(filled, in, from + done, part);
            filled += part;
            done += part;
        }
    }

    void add(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        add(bytes, 0, bytes.length);
    }

    /** One character of ASCII. */
    void add(char sign) {
        if (filled == memory.room() && !grown(1)) {
            turn();
        }
        memory.page.put(filled++, (byte) sign);
    }

    /** Whether so many more bytes fit on the page, which has as much room then. */
    private boolean grown(int more) {
        if (more > PAGE - filled) {
            return false;
        }
        int room = memory.room();
        while (room < filled + more) {
            room *= 2;
        }
        if (room > memory.room()) {
            memory.page = Memory.page(room).put(0, memory.page, 0, filled);
        }
        return true;
    }

    private void turn() {
        keep(to.write(page()));
        filled = 0;
    }

    /** What is on the page, where it is: Vert.x' public buffers copy. */
    private Buffer page() {
        return BufferInternal.buffer(Unpooled.unreleasableBuffer(Unpooled.wrappedBuffer(memory.page.slice(0, filled))));
    }

    /** A page that still waits to be written, since the caller reads slowly, is left to whom it waits for. */
    private void keep(Future<Void> written) {
        if (!written.isComplete()) {
            memory.page = Memory.page(memory.room());
        }
    }
}
