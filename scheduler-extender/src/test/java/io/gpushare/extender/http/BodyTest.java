package io.gpushare.extender.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.placement.Policies;
import io.gpushare.extender.placement.PolicyKind;
import io.gpushare.extender.scheduling.Ledger;
import io.gpushare.extender.scheduling.Witness;
import io.gpushare.model.codec.DemandCodec;
import io.gpushare.model.codec.ResourceNames;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class BodyTest {
    private static final int MOST = 700_000;

    /** In pieces, announced rightly, wrongly, or not, on memory that others had before. */
    @Property(tries = 200)
    void whatCameIsThere(@ForAll long seed) {
        Random random = new Random(seed);
        byte[] sent = new byte[random.nextInt(1 << random.nextInt(4, 20))];
        random.nextBytes(sent);
        Body body = Body.announced(
                switch (random.nextInt(4)) {
                    case 0 -> 0;
                    case 1 -> random.nextInt(MOST);
                    default -> sent.length;
                });
        int most = 1 + random.nextInt(100_000);
        for (int at = 0; at < sent.length; ) {
            int length = Math.min(1 + random.nextInt(most), sent.length - at);
            int memory = body.memory(length);
            body.add(Buffer.buffer(Arrays.copyOfRange(sent, at, at + length)));
            assertThat(body.memory()).isEqualTo(memory);
            at += length;
        }

        assertThat(body.size()).isEqualTo(sent.length);
        assertThat(body.copy()).isEqualTo(sent);
        assertThat(body.bytes()).startsWith(sent);
        body.end();
    }

    @Test
    void memoryIsUsedAgainOnceItsBodyIsOver() {
        Body first = body("a".repeat(100_000));
        byte[] memory = first.bytes();
        Body beside = body("b".repeat(100_000));
        assertThat(beside.bytes()).isNotSameAs(memory);

        first.end();
        Body kept = body("c".repeat(90_000));
        assertThat(kept.bytes()).isSameAs(memory);
        kept.keep();
        kept.end();
        assertThat(body("d".repeat(100_000)).bytes()).isNotSameAs(memory);
        assertThat(kept.copy()).isEqualTo("c".repeat(90_000).getBytes(StandardCharsets.UTF_8));

        kept.free();
        assertThat(body("e".repeat(100_000)).bytes()).isSameAs(memory);
    }

    @Test
    void smallOnesHaveMemoryOfTheirOwn() {
        Body body = body("a".repeat(1000));
        body.end();
        assertThat(body.bytes()).hasSize(1000);
        assertThat(body("b".repeat(1000)).bytes()).isNotSameAs(body.bytes());
    }

    /** What another body has left behind its end is none of it. */
    @Test
    void nothingIsReadBehindTheEnd() throws Exception {
        Ledger ledger =
                new Ledger(new DemandCodec(ResourceNames.DEFAULT), new Policies(PolicyKind.WSP), Witness.none());
        NodeNames names = new NodeNames(ledger.columns());
        String name = "\"" + "n".repeat(30) + "\"";
        String array = "[" + name + ("," + name).repeat(1999) + "]";
        for (int cut = 1; cut < 40; cut++) {
            Body before = body(array + "}");
            before.end();
            Body body = body(array.substring(0, array.length() - cut));
            assertThat(body.bytes()).isSameAs(before.bytes());
            assertThat(names.read(body, 0)).isNull();
            body.end();
        }
    }

    private static Body body(String text) {
        Body body = Body.announced(text.length());
        body.add(Buffer.buffer(text));
        return body;
    }
}
