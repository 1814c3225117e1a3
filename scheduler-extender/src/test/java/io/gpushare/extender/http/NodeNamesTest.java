package io.gpushare.extender.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Chars;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NodeNamesTest {
    private final NodeNames names = new NodeNames();

    @Test
    void aNameIsOneObjectWhicheverWayItCame() {
        QuotedName first = names.of("node-1");

        assertThat(names.of("node-1")).isSameAs(first);
        assertThat(read("[\"node-1\",\"node-12\",\"node-1\"]"))
                .satisfiesExactly(
                        one -> assertThat(one).isSameAs(first),
                        other -> assertThat(other.toString()).isEqualTo("node-12"),
                        again -> assertThat(again).isSameAs(first));
    }

    @Test
    void eachOfThousandsIsRememberedAndIsItself() {
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < NodeNames.MOST; i++) {
                String name = "gpu-node-" + i + ".example";
                QuotedName found = names.of(name);
                assertThat(found.toString()).isEqualTo(name);
                assertThat(names.of(name)).isSameAs(found);
            }
        }
    }

    @Test
    void namesBeyondTheMostAreRightToo() {
        for (int i = 0; i < 10 * NodeNames.MOST; i++) {
            assertThat(names.of("any-" + i).toString()).isEqualTo("any-" + i);
        }
    }

    /** Whatever it takes for an array of plain names, a parser takes for the same names. */
    @Property
    void whatItReadsIsWhatAParserReads(
            @ForAll @Size(max = 6)
                    List<
                                    @Chars({'a', 'b', '-', '"', '\\', 'n', ',', ']', '\u00e9', '\t'})
                                    @StringLength(max = 20) String>
                            parts)
            throws IOException {
        byte[] json = ("x[\"" + String.join("\",\"", parts) + "\"]}").getBytes(StandardCharsets.UTF_8);
        List<QuotedName> found = new ArrayList<>();

        int end = names.read(json, 1, found);

        if (end >= 0) {
            List<String> parsed = new ArrayList<>();
            try (JsonParser parser = JsonBody.FACTORY.createParser(json, 1, end - 1)) {
                assertThat(parser.nextToken()).isEqualTo(JsonToken.START_ARRAY);
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    parsed.add(parser.getText());
                }
            }
            assertThat(found).extracting(QuotedName::toString).isEqualTo(parsed);
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

        assertThat(names.read(bytes, 0, new ArrayList<>())).isEqualTo(-1);
    }

    @Test
    void halfACharacterCanBeWritten() {
        assertThat(json(names.of("node-\ud800x"))).isEqualTo("\"node-?x\"");
    }

    @Test
    void aNameIsWrittenAsJson() {
        assertThat(json(names.of("node-1"))).isEqualTo("\"node-1\"");
        assertThat(json(names.of("a\"b\\\u00e9\n"))).isEqualTo("\"a\\\"b\\\\\u00e9\\n\"");
    }

    /** In whatever order and with whatever gaps they come, and however often all was forgotten between. */
    @Property(tries = 50)
    void eachNameIsReadAsItself(@ForAll long seed) {
        Random random = new Random(seed);
        List<String> cluster = new ArrayList<>();
        for (int i = 0; i < NodeNames.MOST * 5 / 4; i++) {
            cluster.add("n" + random.nextInt(100) + "-" + i);
        }
        for (int request = 0; request < 4; request++) {
            List<String> asked = new ArrayList<>(cluster);
            asked.removeIf(name -> random.nextInt(10) == 0);
            if (random.nextBoolean()) {
                asked = mixed(asked, random);
            } else if (random.nextBoolean()) {
                Collections.rotate(asked, random.nextInt(asked.size()));
            } else if (random.nextBoolean()) {
                Collections.shuffle(asked, random);
            }
            assertThat(read("[\"" + String.join("\",\"", asked) + "\"]"))
                    .extracting(QuotedName::toString)
                    .isEqualTo(asked);
        }
    }

    /** As kube-scheduler's workers name them: each goes through a run of nodes, all at once. */
    private static List<String> mixed(List<String> names, Random random) {
        List<Deque<String>> runs = new ArrayList<>();
        for (int from = 0; from < names.size(); from += 71) {
            runs.add(new ArrayDeque<>(names.subList(from, Math.min(from + 71, names.size()))));
        }
        List<String> mixed = new ArrayList<>();
        while (!runs.isEmpty()) {
            int worker = random.nextInt(Math.min(8, runs.size()));
            mixed.add(runs.get(worker).poll());
            if (runs.get(worker).isEmpty()) {
                runs.remove(worker);
            }
        }
        return mixed;
    }

    @Test
    void aNameThatIsTooLongToBeRememberedIsItselfAndCostsNoOther() {
        QuotedName other = names.of("node-1");
        String name = "n".repeat(1_000_000);

        assertThat(names.of(name)).hasToString(name);
        assertThat(json(names.of(name))).hasSize(1_000_002);
        assertThat(names.of("node-1")).isSameAs(other);
    }

    private static String json(QuotedName name) {
        Pieces answer = new Pieces(1);
        name.addTo(answer);
        return answer.whole().toString(StandardCharsets.UTF_8);
    }

    @Test
    void anEmptyArrayHasNoNames() {
        assertThat(read("[]")).isEmpty();
        assertThat(read("[\"\"]")).extracting(QuotedName::toString).containsExactly("");
    }

    private List<QuotedName> read(String json) {
        List<QuotedName> found = new ArrayList<>();
        assertThat(names.read(json.getBytes(StandardCharsets.UTF_8), 0, found)).isEqualTo(json.length());
        return found;
    }
}
