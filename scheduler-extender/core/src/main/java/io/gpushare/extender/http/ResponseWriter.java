package io.gpushare.extender.http;

import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Consumer;

/** Writes a response from thousands of fragments of JSON into one array per thread, which every response reuses. */
public final class ResponseWriter {
    private static final int INITIAL = 32 << 10;
    // A longer array is not kept for the next response.
    private static final int LONGEST_KEPT = 1 << 20;
    private static final ThreadLocal<byte[]> REUSED = ThreadLocal.withInitial(() -> new byte[INITIAL]);

    private byte[] bytes = REUSED.get();
    private int size;

    private ResponseWriter() {}

    /** What the content writes. */
    public static Buffer of(Consumer<ResponseWriter> content) {
        ResponseWriter writer = new ResponseWriter();
        content.accept(writer);
        return Buffer.buffer(writer.size).appendBytes(writer.bytes, 0, writer.size);
    }

    public void add(byte[] fragment) {
        add(fragment, 0, fragment.length);
    }

    public void add(String fragment) {
        add(fragment.getBytes(StandardCharsets.UTF_8));
    }

    /** Adds the bytes from that position up to the other. */
    public void add(byte[] fragment, int from, int to) {
        reserve(to - from);
        System.arraycopy(fragment, from, bytes, size, to - from);
        size += to - from;
    }

    /** Adds one character of ASCII. */
    public void add(char character) {
        reserve(1);
        bytes[size++] = (byte) character;
    }

    /** Adds the text as a JSON string. */
    public void addQuoted(String text) {
        if (!isPlain(text)) {
            add(JsonWriter.quoted(text));
            return;
        }
        int length = text.length();
        reserve(length + 2);
        bytes[size++] = '"';
        for (int i = 0; i < length; i++) {
            bytes[size++] = (byte) text.charAt(i);
        }
        bytes[size++] = '"';
    }

    /** Whether it is printable ASCII that needs no escape, as names of nodes are. */
    private static boolean isPlain(String text) {
        for (int i = 0; i < text.length(); i++) {
            char character = text.charAt(i);
            if (character < ' ' || character > '~' || character == '"' || character == '\\') {
                return false;
            }
        }
        return true;
    }

    private void reserve(int more) {
        if (more > bytes.length - size) {
            bytes = Arrays.copyOf(bytes, Math.addExact(size, Math.max(more, bytes.length)));
            if (bytes.length <= LONGEST_KEPT) {
                REUSED.set(bytes);
            }
        }
    }
}
