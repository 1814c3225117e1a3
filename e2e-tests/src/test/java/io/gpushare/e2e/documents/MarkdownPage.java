package io.gpushare.e2e.documents;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A Markdown page: its links, and the anchors that GitHub makes of its headings. */
final class MarkdownPage {
    private static final Pattern FENCE = Pattern.compile("\\s*(?:[-*>]\\s+)*(`{3,}|~{3,})(.*)");
    private static final Pattern CODE = Pattern.compile("(`+)(.+?)(?<!`)\\1(?!`)");
    private static final Pattern LINK = Pattern.compile("]\\(<?([^)\\s>]+)>?(?:\\s+\"[^\"]*\")?\\)"
            + "|^\\s{0,3}\\[[^]]+]:\\s+(\\S+)|\\b(?:href|src)=\"([^\"]+)\"");
    private static final Pattern ELSEWHERE = Pattern.compile("[a-z][a-z0-9+.-]*:.*");
    private static final Pattern HEADING = Pattern.compile("\\s{0,3}#{1,6}\\s+(.*?)(?:\\s+#+)?\\s*");
    private static final Pattern TAG_ANCHOR = Pattern.compile("<[a-z]+\\b[^>]*\\b(?:id|name)=\"([^\"]+)\"");
    private static final Pattern LINK_IN_HEADING = Pattern.compile("\\[([^]]*)]\\([^)]*\\)");

    private final Path file;
    // The lines of fenced examples are empty.
    private final List<String> lines;

    private MarkdownPage(Path file, List<String> lines) {
        this.file = file;
        this.lines = lines;
    }

    static MarkdownPage read(Path file) throws IOException {
        List<String> lines = new ArrayList<>();
        String fence = "";
        for (String line : Files.readAllLines(file)) {
            Matcher mark = FENCE.matcher(line);
            boolean marked = mark.matches();
            if (fence.isEmpty()) {
                // An info string has no backtick: such a line is a code span.
                fence = marked && mark.group(2).indexOf('`') < 0 ? mark.group(1) : "";
                lines.add(fence.isEmpty() ? line : "");
            } else {
                lines.add("");
                if (marked && mark.group(1).startsWith(fence) && mark.group(2).isBlank()) {
                    fence = "";
                }
            }
        }
        return new MarkdownPage(file, lines);
    }

    /** The links to files and headings of the repository, in the order of the page. */
    List<Reference> links() {
        List<Reference> links = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            String line = CODE.matcher(lines.get(i)).replaceAll("code");
            int number = i + 1;
            LINK.matcher(line)
                    .results()
                    .map(MarkdownPage::target)
                    .filter(target -> !ELSEWHERE.matcher(target).matches())
                    .forEach(target -> links.add(new Reference(file, number, target)));
        }
        return links;
    }

    /** The text of a line, without what its links lead to. */
    static String withoutLinks(String line) {
        return LINK.matcher(line).replaceAll("]");
    }

    private static String target(MatchResult link) {
        return Stream.of(1, 2, 3)
                .flatMap(group -> Stream.ofNullable(link.group(group)))
                .findFirst()
                .orElseThrow();
    }

    /** The anchors: a heading that is there again has {@code -1}, {@code -2} and so on at its end. */
    Set<String> anchors() {
        Set<String> anchors = new HashSet<>();
        Map<String, Integer> times = new HashMap<>();
        for (String line : lines) {
            Matcher heading = HEADING.matcher(line);
            if (heading.matches()) {
                String anchor = anchor(heading.group(1));
                int before = times.merge(anchor, 1, Integer::sum) - 1;
                anchors.add(before == 0 ? anchor : anchor + "-" + before);
            }
            TAG_ANCHOR.matcher(line).results().map(tag -> tag.group(1)).forEach(anchors::add);
        }
        return anchors;
    }

    private static String anchor(String heading) {
        return LINK_IN_HEADING
                .matcher(heading)
                .replaceAll("$1")
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^\\p{L}\\p{M}\\p{N} _-]", "")
                .replace(' ', '-');
    }
}
