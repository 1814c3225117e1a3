package io.gpushare.extender.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.gpushare.extender.feasibility.Reason;
import io.gpushare.extender.http.JsonBody;
import io.gpushare.extender.http.ReceivedBodies;
import io.gpushare.extender.http.RequestBody;
import io.gpushare.extender.ledger.AnnotationObserver;
import io.gpushare.extender.ledger.FilterResult;
import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.ledger.NodeIndices;
import io.gpushare.extender.policy.Policies;
import io.gpushare.extender.policy.PolicyKind;
import io.gpushare.model.HostResources;
import io.gpushare.model.codec.DemandCodec;
import io.gpushare.model.codec.ResourceNames;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Chars;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.constraints.StringLength;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NodeNamesTest {
    private static final int MANY = 6000;

    private final Ledger ledger =
            new Ledger(new DemandCodec(ResourceNames.DEFAULT), new Policies(PolicyKind.WSP), AnnotationObserver.none());

    private void node(String name) {
        ledger.nodeSeen(name, Map.of(), HostResources.NONE);
    }

    private NodeNames names() {
        return new NodeNames(ledger.columns());
    }

    @Test
    void nodesOfTheLedgerHaveTheirNumbersAndOthersNone() {
        node("node-1");
        node("node-12");

        NamedNodes read = read(names(), "[\"node-12\",\"node-1\",\"node-\",\"node-123\",\"node-1\"]");

        assertThat(numbers(read)).containsExactly(1, 0, -1, -1, 0);
    }

    @Test
    void aNodeThatCameSinceHasItsNumberToo() {
        node("node-1");
        NodeNames names = names();
        node("node-2");

        assertThat(numbers(read(names, "[\"node-2\",\"node-1\"]"))).containsExactly(1, 0);
        assertThat(names.current(ledger.columns())).isSameAs(names);
    }

    @Test
    void theyBeginAnewWithManyNewNodesOrOtherColumns() {
        node("node-0");
        NodeNames names = names();
        for (int i = 1; i < MANY; i++) {
            node("node-" + i);
            names = names.current(ledger.columns());
            assertThat(names.nodes()).isSameAs(ledger.columns());
            assertThat(numbers(read(names, "[\"node-" + i + "\",\"node-0\"]"))).containsExactly(i, 0);
        }
    }

    /** Whatever it takes for an array of plain names, a parser takes for the same names. */
    @Property
    void whatItReadsIsWhatAParserReads(
            @ForAll @Size(max = 6)
                    List<
                                    @Chars({'a', 'b', '-', '"', '\\', 'n', ',', ']', '\u00e9', '\t'})
                                    @StringLength(max = 20) String>
                            parts,
            @ForAll boolean known)
            throws IOException {
        if (known) {
            parts.forEach(this::node);
        }
        byte[] json = ("x[\"" + String.join("\",\"", parts) + "\"]}").getBytes(StandardCharsets.UTF_8);

        NamedNodes found = names().read(RequestBody.of(json), 1);

        if (found != null) {
            List<String> parsed = new ArrayList<>();
            try (JsonParser parser = JsonBody.FACTORY.createParser(json, 1, found.end() - 1)) {
                assertThat(parser.nextToken()).isEqualTo(JsonToken.START_ARRAY);
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    parsed.add(parser.getText());
                }
            }
            assertThat(each(found))
                    .isEqualTo(parsed.stream().map(name -> '"' + name + '"').toList());
            assertThat(numbers(found)).isEqualTo(ledger.columns().numbers(parsed));
        } else {
            assertThat(String.join("", parts)).containsAnyOf("\"", "\\", "\u00e9", "\t");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[",
                "[\"",
                "[\"a",
                "[\"a\"",
                "[\"a\",",
                "[\"a\",]",
                "[\"a\" ]",
                "[ \"a\"]",
                "[,\"a\"]",
                "[\"a\"\"b\"]",
                "[1]",
                "[null]",
                "[\"abcdefghijklmnop",
                "[\"abcdefgh",
                "[\"a\\\"b\"]",
                "[\"\u00e9\"]"
            })
    void whatIsNotPlainIsLeftToAParser(String json) {
        byte[] bytes = json.getBytes(StandardCharsets.UTF_8);

        assertThat(names().read(RequestBody.of(bytes), 0)).isNull();
    }

    @Test
    void namesThatAParserReadAreWrittenAsJson() {
        NamedNodes read = NamedNodes.of(List.of("node-\ud800x", "node-1", "a\"b\\\u00e9\n"), ledger.columns());

        assertThat(each(read)).containsExactly("\"node-?x\"", "\"node-1\"", "\"a\\\"b\\\\\u00e9\\n\"");
        assertThat(json(read, 0, 2)).isEqualTo("\"node-?x\",\"node-1\"");
    }

    /** In whatever order and with whatever gaps they come. */
    @Property(tries = 50)
    void eachNameIsReadAsItself(@ForAll long seed) {
        Random random = new Random(seed);
        List<String> cluster = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            cluster.add("n" + random.nextInt(100) + "-" + i);
            if (random.nextInt(20) > 0) {
                node(cluster.getLast());
            }
        }
        NodeNames names = names();
        for (int request = 0; request < 4; request++) {
            List<String> asked = new ArrayList<>(cluster);
            asked.removeIf(name -> random.nextInt(10) == 0);
            if (random.nextBoolean()) {
                asked = WorkersOrder.of(asked, random);
            } else if (random.nextBoolean()) {
                Collections.rotate(asked, random.nextInt(asked.size()));
            } else if (random.nextBoolean()) {
                Collections.shuffle(asked, random);
            }
            String json = "[\"" + String.join("\",\"", asked) + "\"]";
            NamedNodes read = read(names, json);
            assertThat(numbers(read)).isEqualTo(ledger.columns().numbers(asked));
            assertThat("[" + json(read, 0, asked.size()) + "]").isEqualTo(json);
        }
    }

    @Test
    void aNameMayBeLong() {
        String name = "n".repeat(1_000_000);
        node("node-1");
        node(name);

        assertThat(numbers(read(names(), "[\"" + name + "\",\"node-1\",\"" + name + "n\"]")))
                .containsExactly(1, 0, -1);
    }

    @Test
    void anEmptyArrayHasNoNames() {
        assertThat(read(names(), "[]").size()).isZero();
        node("");
        assertThat(numbers(read(names(), "[\"\"]"))).containsExactly(0);
    }

    /** The names of those that passed the filter are known again, and nothing else is taken for them. */
    @Property(tries = 200)
    void whatPassedIsReadAsIfItWereRead(@ForAll long seed) {
        Random random = new Random(seed);
        List<String> asked = new ArrayList<>();
        for (int i = random.nextInt(30); i >= 0; i--) {
            asked.add("n" + random.nextInt(50));
            if (random.nextInt(10) > 0) {
                node(asked.getLast());
            }
        }
        NodeNames names = names();
        NamedNodes named = read(names, array(asked));
        @Nullable Reason[] why = new @Nullable Reason[asked.size()];
        for (int i = 0; i < why.length; i++) {
            why[i] = random.nextInt(3) == 0 ? Reason.UNKNOWN_NODE : null;
        }
        FilterResult filtered = FilterResult.of(why);
        List<String> passed = filtered.feasible(asked);
        byte[] again = (array(passed) + "}").getBytes(StandardCharsets.UTF_8);

        @Nullable NamedNodes found = named.passed(filtered, RequestBody.of(again));

        int[] expected = ledger.columns().numbers(passed);
        if (found == null) {
            assertThat(passed.isEmpty() || IntStream.of(expected).anyMatch(number -> number < 0))
                    .isTrue();
            return;
        }
        assertThat(found.end()).isEqualTo(again.length - 1);
        assertThat(numbers(found)).isEqualTo(expected).doesNotContain(-1);
        assertThat(each(found))
                .isEqualTo(passed.stream().map(name -> '"' + name + '"').toList());
        List<String> others = new ArrayList<>(passed);
        switch (random.nextInt(3)) {
            case 0 -> others.add("n1");
            case 1 -> others.remove(random.nextInt(others.size()));
            default -> others.set(random.nextInt(others.size()), "n77");
        }
        assertThat(named.passed(filtered, RequestBody.of(array(others).getBytes(StandardCharsets.UTF_8))))
                .isNull();
        assertThat(named.passed(filtered, RequestBody.of(Arrays.copyOf(again, random.nextInt(again.length - 1)))))
                .isNull();
    }

    /** What prioritize reads of the body of a filter before it. */
    @Test
    void whatPassedIsUsedForTheSameNodesAlone() throws Exception {
        node("n1");
        node("n2");
        NodeNames names = names();
        byte[] body = body("n1", "n2", "n3");
        ExtenderArgs asked = ExtenderArgs.read(RequestBody.of(body), names);
        FilterResult filtered = FilterResult.of(new @Nullable Reason[] {null, null, Reason.UNKNOWN_NODE});
        // Of numbers that are not the ledger's: what is read of it shows.
        NamedNodes marked = new NamedNodes(body, begins(body), new NodeIndices(ledger.columns(), new int[] {7, 8, -1}));
        ExtenderArgs.Passed.remember(RequestBody.of(body), new ExtenderArgs(asked.pod(), marked, null), filtered);

        assertThat(numbers(ExtenderArgs.readPassed(RequestBody.of(body("n1", "n2")), names)
                        .named()))
                .containsExactly(7, 8);
        assertThat(numbers(ExtenderArgs.readPassed(RequestBody.of(body("n1", "n1")), names)
                        .named()))
                .containsExactly(0, 0);
        byte[] ofAnother = new String(body("n1", "n2"), StandardCharsets.UTF_8)
                .replace("\"one\"", "\"two\"")
                .getBytes(StandardCharsets.UTF_8);
        assertThat(ExtenderArgs.readPassed(RequestBody.of(ofAnother), names)
                        .pod()
                        .ref()
                        .name())
                .isEqualTo("two");
        for (int i = 0; i < MANY; i++) {
            node("node-" + i);
        }
        NodeNames renewed = names.current(ledger.columns());
        assertThat(renewed.nodes()).isNotSameAs(names.nodes());
        assertThat(numbers(ExtenderArgs.readPassed(RequestBody.of(body("n1", "n2")), renewed)
                        .named()))
                .containsExactly(0, 1);
    }

    private static int[] begins(byte[] body) {
        int at = new String(body, StandardCharsets.UTF_8).indexOf("\"n1\"");
        return new int[] {at, at + 5, at + 10, at + 15};
    }

    private static byte[] body(String... names) {
        return ("{\"Pod\":{\"metadata\":{\"name\":\"one\"}},\"NodeNames\":" + array(List.of(names)) + "}")
                .getBytes(StandardCharsets.UTF_8);
    }

    private static String array(List<String> names) {
        return names.isEmpty() ? "[]" : "[\"" + String.join("\",\"", names) + "\"]";
    }

    private static NamedNodes read(NodeNames names, String json) {
        NamedNodes read = Objects.requireNonNull(names.read(RequestBody.of(json.getBytes(StandardCharsets.UTF_8)), 0));
        assertThat(read.end()).isEqualTo(json.length());
        return read;
    }

    private static int[] numbers(NamedNodes read) {
        NodeIndices nodes = read.nodes();
        return IntStream.range(0, nodes.size()).map(nodes::number).toArray();
    }

    private static List<String> each(NamedNodes read) {
        return IntStream.range(0, read.size())
                .mapToObj(place -> json(read, place, place + 1))
                .toList();
    }

    private static String json(NamedNodes read, int from, int to) {
        return ReceivedBodies.text(answer -> read.addTo(answer, from, to));
    }
}
