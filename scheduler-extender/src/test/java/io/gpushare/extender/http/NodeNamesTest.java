package io.gpushare.extender.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.SerializableString;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
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
        SerializableString first = names.of("node-1");

        assertThat(names.of("node-1")).isSameAs(first);
        assertThat(read("[\"node-1\",\"node-12\",\"node-1\"]"))
                .satisfiesExactly(
                        one -> assertThat(one).isSameAs(first),
                        other -> assertThat(other.getValue()).isEqualTo("node-12"),
                        again -> assertThat(again).isSameAs(first));
    }

    @Test
    void eachOfThousandsIsRememberedAndIsItself() {
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < NodeNames.MOST; i++) {
                String name = "gpu-node-" + i + ".example";
                SerializableString found = names.of(name);
                assertThat(found.getValue()).isEqualTo(name);
                assertThat(names.of(name)).isSameAs(found);
            }
        }
    }

    @Test
    void namesBeyondTheMostAreRightToo() {
        for (int i = 0; i < 10 * NodeNames.MOST; i++) {
            assertThat(names.of("any-" + i).getValue()).isEqualTo("any-" + i);
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
        List<SerializableString> found = new ArrayList<>();

        int end = names.read(json, 1, found);

        if (end >= 0) {
            List<String> parsed = new ArrayList<>();
            try (JsonParser parser = JsonBody.FACTORY.createParser(json, 1, end - 1)) {
                assertThat(parser.nextToken()).isEqualTo(JsonToken.START_ARRAY);
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    parsed.add(parser.getText());
                }
            }
            assertThat(found).extracting(SerializableString::getValue).isEqualTo(parsed);
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
        assertThat(names.of("node-\ud800x").asQuotedUTF8())
                .asString(StandardCharsets.UTF_8)
                .isEqualTo("node-?x");
    }

    @Test
    void anEmptyArrayHasNoNames() {
        assertThat(read("[]")).isEmpty();
        assertThat(read("[\"\"]")).extracting(SerializableString::getValue).containsExactly("");
    }

    private List<SerializableString> read(String json) {
        List<SerializableString> found = new ArrayList<>();
        assertThat(names.read(json.getBytes(StandardCharsets.UTF_8), 0, found)).isEqualTo(json.length());
        return found;
    }
}
