package io.gpushare.extender.http;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.streams.WriteStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A stream that passes each chunk to a function, whose future says when the chunk is written. */
public record ReceivedBodies(Function<Buffer, Future<Void>> then) implements WriteStream<Buffer> {
    /** The content in the chunks in which it is sent. */
    static List<Buffer> chunks(ResponseWriter.Content content) {
        List<Buffer> chunks = new ArrayList<>();
        ResponseWriter.send(
                content,
                new ReceivedBodies(chunk -> {
                    chunks.add(chunk);
                    return Future.succeededFuture();
                }),
                failure -> {
                    throw new AssertionError(failure);
                });
        return chunks;
    }

    /** The content as text. */
    public static String text(ResponseWriter.Content content) {
        Buffer all = Buffer.buffer();
        chunks(content).forEach(all::appendBuffer);
        return all.toString(StandardCharsets.UTF_8);
    }

    @Override
    public Future<Void> write(Buffer chunk) {
        return then.apply(chunk);
    }

    @Override
    public Future<Void> end(Buffer last) {
        return write(last);
    }

    @Override
    public Future<Void> end() {
        return Future.succeededFuture();
    }

    @Override
    public WriteStream<Buffer> exceptionHandler(@Nullable Handler<Throwable> handler) {
        return this;
    }

    @Override
    public WriteStream<Buffer> setWriteQueueMaxSize(int size) {
        return this;
    }

    @Override
    public boolean writeQueueFull() {
        return false;
    }

    @Override
    public WriteStream<Buffer> drainHandler(@Nullable Handler<Void> handler) {
        return this;
    }
}
