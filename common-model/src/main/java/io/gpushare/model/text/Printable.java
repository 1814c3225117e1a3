package io.gpushare.model.text;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/**
 * Text from outside the program, such as a value in an annotation, made safe to show: nothing in it ends a line or
 * controls a terminal, and it has a limited length.
 */
public final class Printable {
    private static final Pattern CONTROL = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}&&[^\n]]");
    private static final int QUOTED = 64;
    private static final String CUT = "…";
    private static final int CUT_BYTES = utf8(CUT);

    private Printable() {}

    /** The beginning of the text in quotes, for a sentence about it. */
    public static String quoted(String text) {
        return "'" + (text.length() <= QUOTED ? escaped(text) : escaped(beginning(text, QUOTED)) + CUT) + "'";
    }

    /** The text as one line of at most that many bytes in UTF-8. */
    public static String line(String text, int bytes) {
        String line = escaped(beginning(text, bytes));
        return line.length() < text.length() || utf8(line) > bytes ? cut(line, bytes - CUT_BYTES) + CUT : line;
    }

    /**
     * The text with its line breaks. What else ends a line or controls a terminal is a question mark, as in logs; an
     * answer of JSON or YAML stays one.
     */
    public static String lines(String text) {
        return CONTROL.matcher(text).replaceAll("?");
    }

    /** Writes control and format characters as {@code \n} or {@code \u001b}. */
    private static String escaped(String text) {
        if (text.chars().allMatch(each -> each >= ' ' && each < 0x7f)) {
            return text;
        }
        StringBuilder escaped = new StringBuilder();
        text.codePoints().forEach(point -> {
            switch (Character.getType(point)) {
                case Character.CONTROL,
                        Character.FORMAT,
                        Character.LINE_SEPARATOR,
                        Character.PARAGRAPH_SEPARATOR,
                        Character.SURROGATE -> escaped.append(point == '\n' ? "\\n" : String.format("\\u%04x", point));
                default -> escaped.appendCodePoint(point);
            }
        });
        return escaped.toString();
    }

    /** At most that many characters, without half of a surrogate pair at the end. */
    private static String beginning(String text, int length) {
        if (text.length() <= length) {
            return text;
        }
        return text.substring(0, Character.isHighSurrogate(text.charAt(length - 1)) ? length - 1 : length);
    }

    private static String cut(String text, int bytes) {
        String cut = beginning(text, bytes);
        while (utf8(cut) > bytes) {
            cut = beginning(cut, cut.length() - 1);
        }
        return cut;
    }

    private static int utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }
}
