package io.gpushare.extender.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class ResponseWriterTest {
    private static final int LONGEST = 1_500_000;

    /** Fragments of all lengths. */
    private record Sample(List<String> fragments, List<byte[]> bytes) {
        static Sample of(long seed) {
            Random random = new Random(seed);
            Sample sample = new Sample(new ArrayList<>(), new ArrayList<>());
            int longest = 1 << random.nextInt(20);
            for (int left = random.nextInt(LONGEST);
                    left > 0;
                    left -= sample.fragments.getLast().length()) {
                String fragment = String.valueOf((char) ('a' + random.nextInt(26)))
                        .repeat(Math.min(left, 1 + random.nextInt(longest)));
                sample.fragments.add(fragment);
                // With other bytes behind it, as a name in a body has, or without.
                sample.bytes.add((fragment + "!".repeat(random.nextInt(2) * 100)).getBytes(StandardCharsets.UTF_8));
            }
            return sample;
        }

        void write(ResponseWriter into) {
            for (int i = 0; i < fragments.size(); i++) {
                String fragment = fragments.get(i);
                switch (i % 3) {
                    case 0 -> into.add(bytes.get(i), 0, fragment.length());
                    case 1 -> into.add(fragment.getBytes(StandardCharsets.UTF_8));
                    default -> into.add(fragment);
                }
                into.add(',');
            }
        }

        String whole() {
            return String.join(",", fragments) + (fragments.isEmpty() ? "" : ",");
        }
    }

    @Property(tries = 100)
    void theFragmentsAreSentInOrder(@ForAll long seed) {
        Sample sample = Sample.of(seed);

        assertThat(ReceivedBodies.text(sample::write)).isEqualTo(sample.whole());
    }

    /** A slow caller's chunks wait, while the same thread writes other responses. */
    @Property(tries = 100)
    void chunksThatWaitAreNotOverwritten(@ForAll long seed) {
        Sample first = Sample.of(seed);
        Sample second = Sample.of(seed + 1);
        List<Buffer> waiting = new ArrayList<>();
        List<Buffer> alsoWaiting = new ArrayList<>();

        ResponseWriter.send(first::write, waits(waiting), failure -> {});
        ResponseWriter.send(second::write, waits(alsoWaiting), failure -> {});

        assertThat(joined(waiting)).isEqualTo(first.whole());
        assertThat(joined(alsoWaiting)).isEqualTo(second.whole());
    }

    private static ReceivedBodies waits(List<Buffer> chunks) {
        return new ReceivedBodies(chunk -> {
            chunks.add(chunk);
            return Promise.<Void>promise().future();
        });
    }

    private static String joined(List<Buffer> chunks) {
        Buffer all = Buffer.buffer();
        chunks.forEach(all::appendBuffer);
        return all.toString(StandardCharsets.UTF_8);
    }

    @Test
    void aResponseThatFitsIsOneChunk() {
        assertThat(ReceivedBodies.chunks(into -> into.add("[]"))).containsExactly(Buffer.buffer("[]"));
        assertThat(ReceivedBodies.chunks(into -> {})).containsExactly(Buffer.buffer());
        assertThat(ReceivedBodies.chunks(into -> into.add("x".repeat(ResponseWriter.CHUNK))))
                .hasSize(1);
        assertThat(ReceivedBodies.chunks(into -> into.add("x".repeat(ResponseWriter.CHUNK + 1))))
                .hasSize(2);
        assertThat(ReceivedBodies.chunks(into -> {
                    into.add("x".repeat(ResponseWriter.CHUNK));
                    into.add(',');
                }))
                .hasSize(2);
    }

    @Test
    void aChunkThatCannotBeWrittenIsReported() {
        List<Throwable> failures = new ArrayList<>();
        IllegalStateException full = new IllegalStateException("no memory");
        Buffer[] refused = new Buffer[1];

        ResponseWriter.send(
                into -> into.add("x".repeat(ResponseWriter.CHUNK + 1)),
                new ReceivedBodies(chunk -> {
                    boolean first = refused[0] == null;
                    refused[0] = chunk;
                    return first ? Future.failedFuture(full) : Future.succeededFuture();
                }),
                failures::add);

        assertThat(failures).containsExactly(full);
    }
}
