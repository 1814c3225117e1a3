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

/** Takes what is written; the answer says when that is done. */
public record ReceivedBodies(Function<Buffer, Future<Void>> then) implements WriteStream<Buffer> {
    /** That content, in the pages that it is sent in. */
    static List<Buffer> pages(ResponseWriter.Content content) {
        List<Buffer> pages = new ArrayList<>();
        ResponseWriter.send(content, new ReceivedBodies(page -> {
            pages.add(Buffer.buffer(page.getBytes()));
            return Future.succeededFuture();
        }));
        return pages;
    }

    public static String text(ResponseWriter.Content content) {
        Buffer all = Buffer.buffer();
        pages(content).forEach(all::appendBuffer);
        return all.toString(StandardCharsets.UTF_8);
    }

    @Override
    public Future<Void> write(Buffer page) {
        return then.apply(page);
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
