package io.gpushare.claims.templates;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The annotations that select cards as parts of a name: a letter for the annotation, its text in small letters, and the
 * letter again, such as {@code .t-a100zcv100-t}. What names can't have is written as {@code z} and a letter. Case is
 * lost: it matters in units of memory only, of which there is one reading.
 */
final class SelectorText {
    /** The annotations by their letters, in the order in which they are written. */
    static final Map<String, String> KEYS = new LinkedHashMap<>();

    /** What stands for a character. */
    static final Map<String, String> ESCAPES = new LinkedHashMap<>();

    private static final Pattern PART = Pattern.compile("([a-y])-((?:[a-y0-9-]|z[a-z])+)-\\1");
    private static final Pattern MEMORY = Pattern.compile("\\b([0-9]{1,6})([mgt])(i?)(b?)\\b");

    static {
        KEYS.put("s", "gpushare.io/select");
        KEYS.put("t", "nvidia.com/use-gputype");
        KEYS.put("n", "nvidia.com/nouse-gputype");
        KEYS.put("u", "nvidia.com/use-gpuuuid");
        KEYS.put("v", "nvidia.com/nouse-gpuuuid");
        KEYS.put("i", "nvidia.com/use-gpuindexes");
        KEYS.put("j", "nvidia.com/nouse-gpuindexes");
        ESCAPES.put("z", "zz");
        ESCAPES.put(" ", "zs");
        ESCAPES.put(".", "zd");
        ESCAPES.put(",", "zc");
        ESCAPES.put("(", "zo");
        ESCAPES.put(")", "zp");
        ESCAPES.put("=", "ze");
        ESCAPES.put("<", "zl");
        ESCAPES.put(">", "zg");
        ESCAPES.put("!", "zn");
        ESCAPES.put("_", "zu");
        ESCAPES.put("+", "zt");
        ESCAPES.put("/", "zf");
    }

    private SelectorText() {}

    /** The parts of a name for these annotations, each after a dot. */
    static String encode(Map<String, String> selectors) {
        StringBuilder parts = new StringBuilder();
        KEYS.forEach((letter, key) -> {
            String text = selectors.getOrDefault(key, "");
            if (!text.isEmpty()) {
                for (var escape : ESCAPES.entrySet()) {
                    text = text.replace(escape.getKey(), escape.getValue());
                }
                parts.append('.')
                        .append(letter)
                        .append('-')
                        .append(text)
                        .append('-')
                        .append(letter);
            }
        });
        return parts.toString();
    }

    /** Adds the annotation that the part of a name is; nothing for another text. */
    static void decodeInto(String part, Map<String, String> selectors) {
        var matcher = PART.matcher(part);
        if (matcher.matches() && KEYS.containsKey(matcher.group(1))) {
            selectors.put(KEYS.getOrDefault(matcher.group(1), ""), unescaped(matcher.group(2)));
        }
    }

    private static String unescaped(String text) {
        StringBuilder plain = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) == 'z') {
                plain.append(character(text.substring(i, i + 2)));
                i++;
            } else {
                plain.append(text.charAt(i));
            }
        }
        return plain.toString();
    }

    private static String character(String escape) {
        return ESCAPES.entrySet().stream()
                .filter(each -> each.getValue().equals(escape))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse("");
    }

    /** The text as its parser reads it: the units of memory in their case. */
    static String written(String text) {
        return MEMORY.matcher(text)
                .replaceAll(amount -> amount.group(1)
                        + amount.group(2).toUpperCase(Locale.ROOT)
                        + amount.group(3)
                        + amount.group(4).toUpperCase(Locale.ROOT));
    }
}
