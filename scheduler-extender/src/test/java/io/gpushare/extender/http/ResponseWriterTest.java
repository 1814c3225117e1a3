package io.gpushare.extender.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class ResponseWriterTest {
    private static final int MOST = 1_500_000;

    /** Pieces of all lengths, and what they come to. */
    private record Sample(List<String> pieces, List<byte[]> texts) {
        static Sample of(long seed) {
            Random random = new Random(seed);
            Sample sample = new Sample(new ArrayList<>(), new ArrayList<>());
            int most = 1 << random.nextInt(20);
            for (int left = random.nextInt(MOST);
                    left > 0;
                    left -= sample.pieces.getLast().length()) {
                String piece = String.valueOf((char) ('a' + random.nextInt(26)))
                        .repeat(Math.min(left, 1 + random.nextInt(most)));
                sample.pieces.add(piece);
                // With bytes behind it, as a name in a body has them, or without.
                sample.texts.add((piece + "!".repeat(random.nextInt(2) * 100)).getBytes(StandardCharsets.UTF_8));
            }
            return sample;
        }

        void write(ResponseWriter into) {
            for (int i = 0; i < pieces.size(); i++) {
                String piece = pieces.get(i);
                switch (i % 3) {
                    case 0 -> into.add(texts.get(i), 0, piece.length());
                    case 1 -> into.add(new ResponseWriter.Piece(piece));
                    default -> into.add(piece);
                }
                into.add(',');
            }
        }

        String whole() {
            return String.join(",", pieces) + (pieces.isEmpty() ? "" : ",");
        }
    }

    @Property(tries = 100)
    void whatComesOutIsWhatWentIn(@ForAll long seed) {
        Sample sample = Sample.of(seed);

        assertThat(ReceivedBodies.text(sample::write)).isEqualTo(sample.whole());
    }

    /** Where a page waits to be written, the next ones are written elsewhere, those of the next answer too. */
    @Property(tries = 100)
    void pagesThatWaitStayAsTheyAre(@ForAll long seed) {
        Sample first = Sample.of(seed);
        Sample second = Sample.of(seed + 1);
        List<Buffer> waiting = new ArrayList<>();
        List<Buffer> alsoWaiting = new ArrayList<>();
        List<Promise<Void>> written = new ArrayList<>();

        ResponseWriter.send(first::write, waits(waiting, written));
        ResponseWriter.send(second::write, waits(alsoWaiting, written));

        assertThat(joined(waiting)).isEqualTo(first.whole());
        assertThat(joined(alsoWaiting)).isEqualTo(second.whole());
        List<ByteBuf> pages = Stream.concat(waiting.stream(), alsoWaiting.stream())
                .map(page -> ((BufferInternal) page).getByteBuf())
                .filter(ByteBuf::isReadable)
                .toList();
        written.forEach(promise -> promise.tryFail("given up"));
        assertThat(pages.stream().filter(page -> page.refCnt() > 0))
                .as("all are freed but one, which is used again")
                .hasSizeLessThanOrEqualTo(1);
    }

    private static ReceivedBodies waits(List<Buffer> pages, List<Promise<Void>> written) {
        return new ReceivedBodies(page -> {
            pages.add(page);
            written.add(Promise.promise());
            return written.getLast().future();
        });
    }

    private static String joined(List<Buffer> pages) {
        Buffer all = Buffer.buffer();
        pages.forEach(all::appendBuffer);
        return all.toString(StandardCharsets.UTF_8);
    }

    @Test
    void anAnswerThatFitsOnAPageIsOne() {
        assertThat(ReceivedBodies.pages(into -> into.add("[]"))).containsExactly(Buffer.buffer("[]"));
        assertThat(ReceivedBodies.pages(into -> {})).containsExactly(Buffer.buffer());
        assertThat(ReceivedBodies.pages(into -> into.add("x".repeat(ResponseWriter.PAGE))))
                .hasSize(1);
        assertThat(ReceivedBodies.pages(into -> into.add("x".repeat(ResponseWriter.PAGE + 1))))
                .hasSize(2);
    }

    @Test
    void memoryIsUsedAgainOnceItIsWritten() {
        List<Buffer> pages = new ArrayList<>();
        for (String text : List.of("one", "two")) {
            ResponseWriter.send(into -> into.add(text), new ReceivedBodies(page -> {
                pages.add(page);
                return Future.succeededFuture();
            }));
        }

        assertThat(pages).containsExactly(Buffer.buffer("two"), Buffer.buffer("two"));
    }
}
