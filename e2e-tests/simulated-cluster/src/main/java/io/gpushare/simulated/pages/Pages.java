package io.gpushare.simulated.pages;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Plain text, as programs print it, in the Markdown of a page. */
final class Pages {
    private static final Path ROOT = Path.of(System.getProperty("gpushare.root", ".."));
    /**
     * A page with or without a heading of it; what is in quotes; a flag, a variable, a path, an assignment and the
     * like.
     */
    private static final Pattern MARKED = Pattern.compile("(?<page>[\\w/.-]+\\.md)(?:#(?<anchor>[\\w-]+))?"
            + "|\"(?<quoted>[^\"]+)\""
            + "|(?<![^ (])(?<code>(?!\\()(?:--|[A-Z]{8}|[^ ]*[<*_=/])[^ ]*?)(?=[.,;:)]*(?: |$))");

    private Pages() {}

    static Path file(String page) {
        return ROOT.resolve(page);
    }

    /** The text in a cell of a table of that page. */
    static String cell(String page, String text) {
        return MARKED.matcher(text)
                .replaceAll(found -> Matcher.quoteReplacement(marked(page, found)))
                .replace("|", "\\|");
    }

    static String code(String text) {
        return "`" + text + "`";
    }

    private static String marked(String page, MatchResult found) {
        @Nullable String target = found.group("page");
        if (target == null) {
            @Nullable String quoted = found.group("quoted");
            return code(quoted == null ? found.group("code") : quoted);
        }
        @Nullable String anchor = found.group("anchor");
        Path link = Objects.requireNonNull(file(page).getParent()).relativize(file(target));
        return "[" + heading(target, anchor) + "](" + link + (anchor == null ? "" : "#" + anchor) + ")";
    }

    /** The title of a page, or the heading to which the anchor leads. */
    private static String heading(String page, @Nullable String anchor) {
        try {
            return Files.readAllLines(file(page)).stream()
                    .filter(line -> line.startsWith("#"))
                    .map(line -> line.replaceFirst("^#+ ", ""))
                    .filter(heading -> anchor == null || anchor.equals(anchor(heading)))
                    .findFirst()
                    .orElseThrow(() -> new IllegalStateException(page + " has no heading #" + anchor));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** As GitHub makes it. */
    private static String anchor(String heading) {
        return heading.toLowerCase(Locale.ROOT).replaceAll("[^\\w -]", "").replace(' ', '-');
    }
}
