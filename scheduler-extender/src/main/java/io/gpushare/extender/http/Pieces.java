package io.gpushare.extender.http;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.streams.WriteStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * An answer put together of thousands of pieces that are JSON already, or signs between them. It goes out page by page, in
 * memory that is used again: what has just been written is in the nearest caches, and fresh memory never is. One that fits
 * on a page, as those for most of 5,000 nodes do, goes out whole. A thread puts together one at a time.
 */
final class Pieces {
    // What the nearest cache holds: each piece goes there, and from there on in one go.
    private static final int NEAR = 8 << 10;
    static final int PAGE = 256 << 10;
    // Most pieces are no longer: to copy them word by word is faster than to call for it.
    private static final int SHORT = 64;
    private static final VarHandle WORD = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());
    private static final ThreadLocal<Memory> MEMORY = ThreadLocal.withInitial(Memory::new);

    private final WriteStream<Buffer> to;
    private final Memory memory = MEMORY.get();
    private int size;
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
        private final byte[] near = new byte[NEAR + SHORT];
        private Buffer page = Buffer.buffer(new byte[PAGE]);
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
        pieces.pass();
        pieces.keep(to.end(pieces.page()));
    }

    void add(Piece piece) {
        add(piece.bytes, 0, piece.length);
    }

    void add(byte[] in, int from, int to) {
        int length = to - from;
        if (length > NEAR - size) {
            pass();
        }
        if (length > NEAR) {
            page(in, from, length);
            return;
        }
        if (length <= SHORT && from + SHORT <= in.length) {
            // A few bytes too many, which what comes next overwrites.
            for (int i = 0; i < length; i += Long.BYTES) {
                WORD.set(memory.near, size + i, (long) WORD.get(in, from + i));
            }
        } else {
            System.arraycopy(in, from, memory.near, size, length);
        }
        size += length;
    }

    void add(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        add(bytes, 0, bytes.length);
    }

    /** One character of ASCII. */
    void add(char sign) {
        if (size == NEAR) {
            pass();
        }
        memory.near[size++] = (byte) sign;
    }

    private void pass() {
        page(memory.near, 0, size);
        size = 0;
    }

    private void page(byte[] in, int from, int length) {
        for (int done = 0; done < length; ) {
            if (filled == PAGE) {
                keep(to.write(page()));
                filled = 0;
            }
            int part = Math.min(length - done, PAGE - filled);
            memory.page.setBytes(filled, in, from + done, part);
            filled += part;
            done += part;
        }
    }

    private Buffer page() {
        return memory.page.slice(0, filled);
    }

    /** A page that still waits to be written, since the caller reads slowly, is left to whom it waits for. */
    private void keep(Future<Void> written) {
        if (!written.isComplete()) {
            memory.page = Buffer.buffer(new byte[PAGE]);
        }
    }
}
