package io.gpushare.extender.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.buffer.Buffer;
import java.util.Arrays;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class RequestBodyTest {
    private static final int LIMIT = 700_000;

    /** Bodies in pieces, with a right, a wrong or no Content-Length. */
    @Property(tries = 200)
    void theBodyIsWhatArrived(@ForAll long seed) {
        Random random = new Random(seed);
        byte[] sent = new byte[random.nextInt(1 << random.nextInt(4, 20))];
        sent = sent.length > LIMIT ? new byte[LIMIT] : sent;
        random.nextBytes(sent);
        RequestBody body = RequestBody.announced(
                switch (random.nextInt(4)) {
                    case 0 -> 0;
                    case 1 -> random.nextInt(LIMIT);
                    default -> sent.length;
                },
                LIMIT);
        int most = 1 + random.nextInt(100_000);
        for (int at = 0; at < sent.length; ) {
            int length = random.nextInt(4) == 0 ? 0 : Math.min(1 + random.nextInt(most), sent.length - at);
            int capacity = body.capacityAfter(length);
            body.add(Buffer.buffer(Arrays.copyOfRange(sent, at, at + length)));
            assertThat(body.capacity()).isEqualTo(capacity).isLessThanOrEqualTo(LIMIT);
            at += length;
        }

        assertThat(body.size()).isEqualTo(sent.length);
        assertThat(body.copy()).isEqualTo(sent);
        assertThat(body.bytes()).startsWith(sent);
    }

    @Test
    void aBodyOfItsAnnouncedLengthTakesNoMoreMemory() {
        RequestBody body = RequestBody.announced(LIMIT - 1, LIMIT);
        body.add(Buffer.buffer(new byte[1]));
        assertThat(body.capacity()).isEqualTo(RequestBody.ALLOCATED_AHEAD);
        body.add(Buffer.buffer(new byte[LIMIT - 2]));
        assertThat(body.capacity()).isEqualTo(LIMIT - 1);
    }
}
