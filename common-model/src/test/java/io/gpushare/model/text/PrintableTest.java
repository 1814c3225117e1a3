package io.gpushare.model.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class PrintableTest {
    @Test
    void ordinaryTextIsUnchanged() {
        assertThat(Printable.quoted("a ≥ b, 日本, 😀")).isEqualTo("'a ≥ b, 日本, 😀'");
        assertThat(Printable.line("pod default/p: 'x'", 100)).isEqualTo("pod default/p: 'x'");
    }

    @Test
    void whatEndsALineOrControlsATerminalIsEscaped() {
        assertThat(Printable.quoted("a\nb\r\u001b[31m")).isEqualTo("'a\\nb\\u000d\\u001b[31m'");
        assertThat(Printable.line("\u0085\u2028\u2029\u202e\ud800", 100))
                .isEqualTo("\\u0085\\u2028\\u2029\\u202e\\ud800");
    }

    @Test
    void linesKeepTheirEndsAndNothingElseThatControlsATerminal() {
        assertThat(Printable.lines("a\nb ≥ 日😀\n")).isEqualTo("a\nb ≥ 日😀\n");
        assertThat(Printable.lines("\u001b[2J\r\n\u009b1m\u202e\u2028x\t")).isEqualTo("?[2J?\n?1m??x?");
    }

    @Test
    void aQuoteIsShort() {
        assertThat(Printable.quoted("x".repeat(64))).hasSize(66);
        assertThat(Printable.quoted("x".repeat(250_000))).isEqualTo("'" + "x".repeat(64) + "…'");
        assertThat(Printable.quoted("😀".repeat(1000))).isEqualTo("'" + "😀".repeat(32) + "…'");
    }

    @Test
    void aLineIsCutByItsBytes() {
        for (String each : new String[] {"x", "é", "日", "😀", "\n", "a\n😀é"}) {
            String cut = Printable.line(each.repeat(100_000), 1024);
            assertThat(cut).endsWith("…").doesNotContain("\n");
            assertThat(cut.getBytes(StandardCharsets.UTF_8)).hasSizeBetween(1012, 1024);
            assertThat(new String(cut.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8))
                    .isEqualTo(cut);
        }
        assertThat(Printable.line("x".repeat(1024), 1024)).hasSize(1024).doesNotContain("…");
        assertThat(Printable.line("é".repeat(512), 1024)).doesNotContain("…");
        assertThat(Printable.line("é".repeat(513), 1024)).endsWith("…");
    }
}
