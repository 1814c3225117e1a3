import com.palantir.javaformat.java.Formatter;
import com.palantir.javaformat.java.FormatterException;
import com.palantir.javaformat.java.JavaFormatterOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Checks or applies the project's format: {@code Format check|apply <folder>}.
 *
 * <p>A program of its own, since the formatter parses with the javac of the JVM it runs in: inside Maven that may be JDK
 * 17, which can't read this project's Java. The build starts it with the toolchain's JDK.
 */
final class Format {
    public static void main(String[] args) throws IOException {
        boolean apply = args[0].equals("apply");
        Path root = Path.of(args[1]);
        List<Path> wrong = new ArrayList<>();
        for (Path file : sources(root)) {
            String text = Files.readString(file);
            String formatted = formatted(file, text);
            if (!formatted.equals(text)) {
                wrong.add(file);
                if (apply) {
                    Files.writeString(file, formatted);
                }
            }
        }
        wrong.forEach(file -> System.out.println((apply ? "formatted " : "not formatted: ") + file));
        if (!apply && !wrong.isEmpty()) {
            System.out.println("To format them: ./mvnw -q test-compile -Dformat=apply");
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
