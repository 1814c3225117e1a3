package io.gpushare.extender.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Chars;
import net.jqwik.api.constraints.StringLength;
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

    /** One thread writes one response after the other into the same memory. */
    @Property(tries = 100)
    void theFragmentsAreInOrder(@ForAll long seed) {
        Sample first = Sample.of(seed);
        Sample second = Sample.of(seed + 1);

        Buffer one = ResponseWriter.of(first::write);
        Buffer other = ResponseWriter.of(second::write);

        assertThat(one.toString()).isEqualTo(first.whole());
        assertThat(other.toString()).isEqualTo(second.whole());
    }

    @Test
    void aTextIsWrittenAsJson() {
        assertThat(quoted("node-1.example")).isEqualTo("\"node-1.example\"");
        assertThat(quoted("")).isEqualTo("\"\"");
        assertThat(quoted("a\"b\\\u00e9\n")).isEqualTo("\"a\\\"b\\\\\u00e9\\n\"");
        assertThat(quoted("node-\ud800x")).isEqualTo("\"node-?x\"");
        assertThat(quoted("n".repeat(LONGEST))).hasSize(LONGEST + 2);
    }

    /** As a parser reads it. */
    @Property
    void everyTextIsReadAsItWas(
            @ForAll
                    @Chars({'a', 'Z', '-', '"', '\\', '\u00e9', '\t', '\u0000', '\u007f', '\u4e2d'})
                    @StringLength(max = 40)
                    String text) {
        assertThat(new JsonArray("[" + quoted(text) + "]").getString(0)).isEqualTo(text);
    }

    private static String quoted(String text) {
        return ResponseWriter.of(into -> into.addQuoted(text)).toString();
    }
}
