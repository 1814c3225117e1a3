package io.gpushare.extender.http;

import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;

/** An answer put together of thousands of pieces that are JSON already, or signs between them. */
final class Pieces {
    // What the nearest cache holds: each piece goes there, and from there on in one go.
    private static final int NEAR = 8 << 10;

    private final byte[] near = new byte[NEAR];
    private final Buffer answer;
    private int size;

    /** @param expected about how many bytes it will be */
    Pieces(int expected) {
        answer = Buffer.buffer(expected);
    }

    void add(byte[] piece) {
        add(piece, 0, piece.length);
    }

    void add(byte[] in, int from, int to) {
        if (to - from > NEAR - size) {
            pass();
        }
        if (to - from > NEAR) {
            answer.appendBytes(in, from, to - from);
        } else {
            System.arraycopy(in, from, near, size, to - from);
            size += to - from;
        }
    }

    void add(String text) {
        add(text.getBytes(StandardCharsets.UTF_8));
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
