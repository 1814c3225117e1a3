package io.gpushare.extender.http;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.extender.ledger.AnnotationObserver;
import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.pod.SchedulingPod;
import io.gpushare.extender.policy.Policies;
import io.gpushare.extender.policy.PolicyKind;
import io.gpushare.extender.protocol.NamedNodes;
import io.gpushare.extender.protocol.NodeNames;
import io.gpushare.extender.scheduling.NodeSelection;
import io.gpushare.model.HostResources;
import io.gpushare.model.PodRef;
import io.gpushare.model.codec.DemandCodec;
import io.gpushare.model.codec.ResourceNames;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RequestBodyTest {
    private static final int MOST = 700_000;
    private static final SchedulingPod POD =
            new SchedulingPod(new PodRef("uid", "default", "pod"), 0, Map.of(), List.of());

    /** In pieces, announced rightly, wrongly, or not, on memory that others had before. */
    @Property(tries = 200)
    void whatCameIsThere(@ForAll long seed) {
        Random random = new Random(seed);
        byte[] sent = new byte[random.nextInt(1 << random.nextInt(4, 20))];
        random.nextBytes(sent);
        RequestBody body = RequestBody.announced(
                switch (random.nextInt(4)) {
                    case 0 -> 0;
                    case 1 -> random.nextInt(MOST);
                    default -> sent.length;
                });
        int most = 1 + random.nextInt(100_000);
        for (int at = 0; at < sent.length; ) {
            int length = random.nextInt(4) == 0 ? 0 : Math.min(1 + random.nextInt(most), sent.length - at);
            int memory = body.memory(length);
            body.add(Buffer.buffer(Arrays.copyOfRange(sent, at, at + length)));
            assertThat(body.memory()).isEqualTo(memory);
            assertThat(body.bytes().length).isBetween(memory, Math.max(2 * memory, RequestBody.AT_ONCE));
            at += length;
        }

        assertThat(body.size()).isEqualTo(sent.length);
        assertThat(body.copy()).isEqualTo(sent);
        assertThat(body.bytes()).startsWith(sent);
        body.end();
    }

    @Test
    void memoryIsUsedAgainOnceItsBodyIsOver() {
        RequestBody first = body("a".repeat(100_000));
        byte[] memory = first.bytes();
        RequestBody beside = body("b".repeat(100_000));
        assertThat(beside.bytes()).isNotSameAs(memory);

        first.end();
        RequestBody kept = body("c".repeat(90_000));
        assertThat(kept.bytes()).isSameAs(memory);
        kept.keep();
        kept.end();
        assertThat(body("d".repeat(100_000)).bytes()).isNotSameAs(memory);
        assertThat(kept.copy()).isEqualTo("c".repeat(90_000).getBytes(StandardCharsets.UTF_8));

        kept.free();
        assertThat(body("e".repeat(100_000)).bytes()).isSameAs(memory);
    }

    /** So is what stands beside them; a request of fewer names, or of more, finds no name of the one before. */
    @Test
    void roomForNamesIsUsedAgainToo() throws Exception {
        Ledger ledger = new Ledger(
                new DemandCodec(ResourceNames.DEFAULT), new Policies(PolicyKind.WSP), AnnotationObserver.none());
        for (int n = 0; n < 4000; n++) {
            ledger.nodeSeen(name(n), Map.of(), HostResources.NONE);
        }
        NodeNames names = new NodeNames(ledger.columns());
        NodeSelection choice = new NodeSelection(ledger, false);
        int @Nullable [] room = null;
        for (int count : new int[] {3000, 1500, 3100, 1000, 4000, 3000}) {
            int first = count % 7;
            RequestBody body = body(IntStream.range(first, count)
                            .mapToObj(RequestBodyTest::name)
                            .collect(joining("\",\"", "[\"", "\"]"))
                    + "}");
            NamedNodes named = Objects.requireNonNull(names.read(body, 0));

            assertThat(named.size()).isEqualTo(count - first);
            for (int place = 0; place < named.size(); place++) {
                assertThat(named.nodes().number(place)).isEqualTo(first + place);
            }
            assertThat(named.end()).isEqualTo(body.size() - 1);
            assertThat(choice.prioritize(POD, named.nodes())).hasSize(named.size());
            if (room != null && room.length >= named.size()) {
                assertThat(body.names().numbers).isSameAs(room);
            }
            room = body.names().numbers;
            body.end();
        }
    }

    private static String name(int number) {
        return "n".repeat(30) + number;
    }

    @Test
    void smallOnesHaveMemoryOfTheirOwn() {
        RequestBody body = body("a".repeat(1000));
        body.end();
        assertThat(body.bytes()).hasSize(1000);
        assertThat(body("b".repeat(1000)).bytes()).isNotSameAs(body.bytes());
    }

    /** What another body has left behind its end is none of it. */
    @Test
    void nothingIsReadBehindTheEnd() throws Exception {
        Ledger ledger = new Ledger(
                new DemandCodec(ResourceNames.DEFAULT), new Policies(PolicyKind.WSP), AnnotationObserver.none());
        ledger.nodeSeen("n".repeat(30), Map.of(), HostResources.NONE);
        NodeNames names = new NodeNames(ledger.columns());
        String name = "\"" + "n".repeat(30) + "\"";
        String array = "[" + name + ("," + name).repeat(1999) + "]";
        for (int cut = 1; cut < 40; cut++) {
            RequestBody before = body(array + "}");
            before.end();
            RequestBody body = body(array.substring(0, array.length() - cut));
            assertThat(body.bytes()).isSameAs(before.bytes());
            assertThat(names.read(body, 0)).isNull();
            body.end();
        }
    }

    private static RequestBody body(String text) {
        RequestBody body = RequestBody.announced(text.length());
        body.add(Buffer.buffer(text));
        return body;
    }
}
