package io.gpushare.histories.world;

import io.gpushare.time.Machine;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/** The body of a watch: lines as they arrive. One thread reads it. */
final class EventStream extends InputStream {
    private final Deque<byte[]> arrived = new ArrayDeque<>();
    private final Semaphore something = new Semaphore(0);
    private final Machine reader;
    private final long until;
    private @Nullable IOException broken;
    private boolean over;
    private int read;

    /** @param longest the deadline of the whole response */
    EventStream(Machine reader, Duration longest) {
        this.reader = reader;
        until = reader.nanos() + longest.toNanos();
    }

    void arrive(byte[] line) {
        arrived.add(line);
        something.release();
    }

    /** It ends as it should. */
    void end() {
        over = true;
        something.release();
    }

    /** Its connection breaks; what has arrived can be read. */
    void breaks() {
        broken = new IOException("connection reset");
        end();
    }

    boolean over() {
        return over;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        while (arrived.isEmpty()) {
            if (over) {
                if (broken != null) {
                    throw broken;
                }
                return -1;
            }
            await();
        }
        byte[] line = arrived.getFirst();
        int some = Math.min(length, line.length - read);
        System.arraycopy(line, read, into, offset, some);
        read += some;
        if (read == line.length) {
            arrived.removeFirst();
            read = 0;
        }
        return some;
    }

    private void await() throws IOException {
        try {
            if (!reader.acquire(something, Duration.ofNanos(until - reader.nanos()))) {
                throw new SocketTimeoutException("timeout");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }

    @Override
    public void close() {
        over = true;
        arrived.clear();
    }
}
