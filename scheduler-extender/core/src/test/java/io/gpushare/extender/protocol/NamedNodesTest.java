package io.gpushare.extender.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.gpushare.extender.http.JsonBody;
import io.gpushare.extender.http.ResponseWriter;
import io.gpushare.extender.ledger.Ledger;
import io.gpushare.extender.placement.ClusterNodes;
import io.gpushare.extender.placement.NodeIndices;
import io.gpushare.extender.placement.Placer;
import io.gpushare.extender.pod.AnnotationObserver;
import io.gpushare.extender.policy.Policies;
import io.gpushare.extender.policy.PolicyKind;
import io.gpushare.model.HostResources;
import io.gpushare.model.request.DemandCodec;
import io.gpushare.model.request.ResourceNames;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NamedNodesTest {
    private static final int MANY = 6000;

    private final Placer placer = new Placer(
            new Ledger(new DemandCodec(ResourceNames.DEFAULT), AnnotationObserver.none()),
            new Policies(PolicyKind.WSP));

    private final Ledger ledger = placer.ledger();

    private void node(String name) {
        ledger.updateNode(name, Map.of(), HostResources.NONE);
    }

    private ClusterNodes known() {
        return placer.nodes();
    }

    @Test
    void nodesOfTheLedgerHaveAnIndexAndOthersNone() {
        node("node-1");
        node("node-12");

        NamedNodes read = read(known(), "[\"node-12\",\"node-1\",\"node-\",\"node-123\",\"node-1\"]");

        assertThat(indices(read)).containsExactly(1, 0, -1, -1, 0);
    }

    @Test
    void aNodeIsFoundAsSoonAsItIsAdded() {
        node("node-0");
        ClusterNodes few = known();
        for (int i = 1; i < MANY; i++) {
            node("node-" + i);
            assertThat(indices(read(known(), "[\"node-" + i + "\",\"node-0\"]")))
                    .containsExactly(i, 0);
        }
        assertThat(known()).as("full, and replaced").isNotSameAs(few);
    }

    /** An array that is read in place has the names that a parser reads. */
    @Property
    void namesAreReadAsAParserReadsThem(
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

        NamedNodes found = NamedNodes.read(json, 1, known());

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
            assertThat(indices(found)).isEqualTo(indices(known().named(parsed)));
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
    void anyOtherArrayIsLeftToAParser(String json) {
        byte[] bytes = json.getBytes(StandardCharsets.UTF_8);

        assertThat(NamedNodes.read(bytes, 0, known())).isNull();
    }

    @Test
    void namesFromAParserAreWrittenAsJson() {
        NamedNodes read = NamedNodes.of(List.of("node-\ud800x", "node-1", "a\"b\\\u00e9\n"), known());

        assertThat(each(read)).containsExactly("\"node-?x\"", "\"node-1\"", "\"a\\\"b\\\\\u00e9\\n\"");
        assertThat(json(read, 0, 2)).isEqualTo("\"node-?x\",\"node-1\"");
    }

    /** In any order, and with any of them left out. */
    @Property(tries = 50)
    void eachNameHasTheIndexOfItsNode(@ForAll long seed) {
        Random random = new Random(seed);
        List<String> cluster = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            cluster.add("n" + random.nextInt(100) + "-" + i);
            if (random.nextInt(20) > 0) {
                node(cluster.getLast());
            }
        }
        for (int request = 0; request < 4; request++) {
            List<String> named = new ArrayList<>(cluster);
            named.removeIf(name -> random.nextInt(10) == 0);
            if (random.nextBoolean()) {
                named = WorkersOrder.of(named, random);
            } else if (random.nextBoolean()) {
                Collections.rotate(named, random.nextInt(named.size()));
            } else if (random.nextBoolean()) {
                Collections.shuffle(named, random);
            }
            String json = "[\"" + String.join("\",\"", named) + "\"]";
            NamedNodes read = read(known(), json);
            assertThat(indices(read)).isEqualTo(indices(known().named(named)));
            assertThat("[" + json(read, 0, named.size()) + "]").isEqualTo(json);
        }
    }

    @Test
    void aNameMayBeLong() {
        String name = "n".repeat(1_000_000);
        node("node-1");
        node(name);

        assertThat(indices(read(known(), "[\"" + name + "\",\"node-1\",\"" + name + "n\"]")))
                .containsExactly(1, 0, -1);
    }

    @Test
    void anEmptyArrayHasNoNames() {
        assertThat(read(known(), "[]").size()).isZero();
        node("");
        assertThat(indices(read(known(), "[\"\"]"))).containsExactly(0);
    }

    @Test
    void anIncompleteArrayIsLeftToAParser() {
        node("node-1");
        byte[] array = "[\"node-1\",\"node-2\"]".getBytes(StandardCharsets.UTF_8);
        for (int length = 1; length < array.length; length++) {
            byte[] cut = Arrays.copyOf(array, length);
            assertThat(NamedNodes.read(cut, 0, known()))
                    .as(new String(cut, StandardCharsets.UTF_8))
                    .isNull();
        }
    }

    private static NamedNodes read(ClusterNodes known, String json) {
        NamedNodes read = Objects.requireNonNull(NamedNodes.read(json.getBytes(StandardCharsets.UTF_8), 0, known));
        assertThat(read.end()).isEqualTo(json.length());
        return read;
    }

    private static int[] indices(NamedNodes read) {
        return indices(read.nodes());
    }

    private static int[] indices(NodeIndices nodes) {
        return IntStream.range(0, nodes.size()).map(nodes::index).toArray();
    }

    private static List<String> each(NamedNodes read) {
        return IntStream.range(0, read.size())
                .mapToObj(place -> json(read, place, place + 1))
                .toList();
    }

    private static String json(NamedNodes read, int from, int to) {
        return ResponseWriter.of(response -> read.addTo(response, from, to)).toString();
    }
}
