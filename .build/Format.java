import com.palantir.javaformat.java.Formatter;
import com.palantir.javaformat.java.FormatterException;
import com.palantir.javaformat.java.JavaFormatterOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Checks or applies the project's format: {@code Format check|apply <folder>}.
 *
 * <p>A program of its own, since the formatter parses with the javac of the JVM it runs in: inside Maven that may be JDK
 * 17, which can't read this project's Java. The build starts it with the toolchain's JDK.
 */
final class Format {
    private static final int COLUMNS = 120;
    private static final String INDENT = "    ";
    private static final Pattern COMMENT = Pattern.compile("( *(?:\\*|//) )(.*)");
    private static final Pattern ONE_LINE = Pattern.compile("( *)/\\*\\* (.*) \\*/");
    /** The start of a line of a comment that does not continue the sentence before it. */
    private static final Pattern OWN_LINE = Pattern.compile("$|[<@|\\-*\\s].*");

    public static void main(String[] args) throws IOException {
        boolean apply = args[0].equals("apply");
        Path root = Path.of(args[1]);
        List<Path> wrong = new ArrayList<>();
        for (Path file : sources(root)) {
            String text = Files.readString(file);
            String formatted = wrapped(formatted(file, text));
            if (!formatted.equals(text)) {
                wrong.add(file);
                if (apply) {
                    Files.writeString(file, formatted);
                }
            }
        }
        wrong.forEach(file -> System.out.println((apply ? "formatted " : "not formatted: ") + file));
        if (!apply && !wrong.isEmpty()) {
            System.out.println("To format them: ./mvnw test-compile -Dformat=apply");
            System.exit(1);
        }
    }

    private static List<Path> sources(Path root) throws IOException {
        if (!Files.isDirectory(root)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(file -> file.toString().endsWith(".java")).sorted().toList();
        }
    }

    /** Wraps comments, which the formatter leaves as they are. */
    private static String wrapped(String text) {
        List<String> lines = new ArrayList<>(text.lines().toList());
        boolean block = false;
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            // In a block of text, and in <pre>, lines stay as they are.
            block ^= line.split("\"\"\"", -1).length % 2 == 0 || line.contains("<pre>") != line.contains("</pre>");
            Matcher one = ONE_LINE.matcher(line);
            if (line.length() <= COLUMNS || block) {
                continue;
            }
            if (one.matches()) {
                lines.remove(i);
                lines.addAll(i, List.of(one.group(1) + "/**", one.group(1) + " * " + one.group(2), one.group(1) + " */"));
            } else {
                wrap(lines, i);
            }
        }
        return String.join("\n", lines) + "\n";
    }

    /** Moves the words of that line that are too far to the right to the next one. */
    private static void wrap(List<String> lines, int i) {
        Matcher comment = COMMENT.matcher(lines.get(i));
        int end = lines.get(i).lastIndexOf(' ', COLUMNS);
        if (!comment.matches() || end < comment.end(1)) {
            return;
        }
        String rest = lines.get(i).substring(end + 1);
        lines.set(i, lines.get(i).substring(0, end));
        // The lines after the first one of a tag are indented.
        boolean tag = comment.group(2).startsWith("@") || comment.group(2).startsWith(INDENT);
        String start = comment.group(1) + (tag ? INDENT : "");
        String next = i + 1 < lines.size() ? lines.get(i + 1) : "";
        if (next.startsWith(start) && !OWN_LINE.matcher(next.substring(start.length())).matches()) {
            lines.set(i + 1, start + rest + " " + next.substring(start.length()));
        } else {
            lines.add(i + 1, start + rest);
        }
    }

    private static String formatted(Path file, String text) {
        JavaFormatterOptions options = JavaFormatterOptions.builder()
                .style(JavaFormatterOptions.Style.PALANTIR)
                .formatJavadoc(false)
                .build();
        try {
            return Formatter.createFormatter(options).formatSourceAndFixImports(text);
        } catch (FormatterException e) {
            throw new IllegalArgumentException(file + ": " + e.getMessage(), e);
        }
    }
}
