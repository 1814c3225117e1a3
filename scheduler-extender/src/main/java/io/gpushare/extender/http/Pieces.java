package io.gpushare.extender.http;

import io.vertx.core.buffer.Buffer;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** An answer put together of thousands of pieces that are JSON already, or signs between them. */
final class Pieces {
    // What the nearest cache holds: each piece goes there, and from there on in one go.
    private static final int NEAR = 8 << 10;
    // Most pieces are no longer: to copy them word by word is faster than to call for it.
    private static final int SHORT = 64;
    private static final VarHandle WORD = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private final byte[] near = new byte[NEAR + SHORT];
    private final Buffer answer;
    private int size;

    /** A piece that is in many answers, or many times in one. */
    static final class Piece {
        private final byte[] bytes;
        private final int length;

        Piece(String text) {
            byte[] plain = text.getBytes(StandardCharsets.UTF_8);
            bytes = Arrays.copyOf(plain, plain.length + SHORT);
            length = plain.length;
        }

        int length() {
            return length;
        }
    }

    /** @param expected about how many bytes it will be */
    Pieces(int expected) {
        answer = Buffer.buffer(expected);
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
            answer.appendBytes(in, from, length);
            return;
        }
        if (length <= SHORT && from + SHORT <= in.length) {
            // A few bytes too many, which what comes next overwrites.
            for (int i = 0; i < length; i += Long.BYTES) {
                WORD.set(near, size + i, (long) WORD.get(in, from + i));
            }
        } else {
            System.arraycopy(in, from, near, size, length);
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
        near[size++] = (byte) sign;
    }

    private void pass() {
        answer.appendBytes(near, 0, size);
        size = 0;
    }

    /** The answer; nothing is added to it afterwards. */
    Buffer whole() {
        pass();
        return answer;
    }
}
