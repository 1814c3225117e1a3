package io.gpushare.simulated.pages;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The metrics of both programs, as the tables of their pages have them. */
public final class MetricTable {
    private static final List<String> PAGES =
            List.of("deploy/docs/reference/metrics-device-plugin.md", "deploy/docs/reference/metrics-extender.md");
    /** The names of a row, then type and labels. */
    private static final Pattern ROW = Pattern.compile("\\| (`gpushare_[^|]+`) \\| ([a-z]+) \\| ([a-z, ]*?) ?\\|.*");

    private static final Pattern TYPE = Pattern.compile("# TYPE (\\w+) (\\w+)");
    private static final Pattern LABEL = Pattern.compile("[{,](\\w+)=\"((?:[^\"\\\\]|\\\\.)*)\"");
    /** A value of a label that the programs declare: their other labels are names of the cluster. */
    private static final Pattern DECLARED = Pattern.compile("[{,](?:call|kind|outcome|phase|provider|reason|remedy"
            + "|resource|standing|state|type|verb|way|why)=\"([a-z_]+)\"");
    /** The page describes it once, for all the values that may end with it. */
    private static final String EVEN_EMPTY = "_even_empty";
    /** Of the buckets of a histogram. */
    private static final String BOUND = "le";

    private MetricTable() {}

    /** Type and labels of a metric. */
    public record Shape(String type, Set<String> labels) {
        public Shape {
            labels = Collections.unmodifiableSet(new TreeSet<>(labels));
        }

        private Shape with(Set<String> more) {
            return labels.containsAll(more)
                    ? this
                    : new Shape(
                            type, Stream.concat(labels.stream(), more.stream()).collect(Collectors.toSet()));
        }

        @Override
        public String toString() {
            return type + " with the labels " + labels;
        }
    }

    /** Each metric of both pages. */
    public static Map<String, Shape> all() throws IOException {
        Map<String, Shape> metrics = new TreeMap<>();
        for (String page : PAGES) {
            for (String line : Files.readAllLines(Pages.file(page))) {
                Matcher row = ROW.matcher(line);
                if (row.matches()) {
                    Shape shape = new Shape(row.group(2), labels(row.group(3)));
                    for (String name : row.group(1).split(", ")) {
                        metrics.put(name.replace("`", ""), shape);
                    }
                }
            }
        }
        return metrics;
    }

    private static Set<String> labels(String listed) {
        return listed.isEmpty() ? Set.of() : Set.of(listed.split(", "));
    }

    /**
     * What a program exposes otherwise than the pages say: a sentence for each metric, and for each value of a label
     * that they don't name.
     *
     * @param text in Prometheus' text format
     */
    public static List<String> differences(String text) throws IOException {
        Map<String, Shape> documented = all();
        List<String> differences = new ArrayList<>();
        exposed(text).forEach((name, shape) -> {
            @Nullable Shape row = documented.get(name);
            if (!shape.equals(row)) {
                differences.add(name + " is exposed as a " + shape + ", and deploy/docs/reference has "
                        + (row == null ? "no row of it" : "a " + row));
            }
        });
        differences.addAll(unnamedValues(text));
        return differences;
    }

    /** Each value of a label that the page of its metric does not name. */
    private static List<String> unnamedValues(String text) throws IOException {
        List<String> pages = new ArrayList<>();
        for (String page : PAGES) {
            pages.add(Files.readString(Pages.file(page)));
        }
        Set<String> unnamed = new TreeSet<>();
        for (String series : text.lines().filter(line -> !line.startsWith("#")).toList()) {
            String name = series.split("[{ ]", 2)[0].replaceFirst("_(bucket|count|sum)$", "");
            DECLARED.matcher(series)
                    .results()
                    .map(found -> found.group(1))
                    .filter(value -> pages.stream()
                            .filter(page -> page.contains(Pages.code(name)))
                            .noneMatch(page -> page.contains(Pages.code(value.replace(EVEN_EMPTY, "")))))
                    .forEach(value -> unnamed.add(name + " has a series with the value " + value
                            + ", which deploy/docs/reference does not name"));
        }
        return List.copyOf(unnamed);
    }

    /** The series of a metric follow its type. */
    private static Map<String, Shape> exposed(String text) {
        Map<String, Shape> metrics = new TreeMap<>();
        String name = "";
        for (String line : text.lines().toList()) {
            Matcher type = TYPE.matcher(line);
            if (type.matches()) {
                name = type.group(1);
                metrics.put(name, new Shape(type.group(2), Set.of()));
            } else if (!line.startsWith("#")) {
                metrics.computeIfPresent(name, (_, shape) -> shape.with(labelsOf(line)));
            }
        }
        return metrics;
    }

    private static Set<String> labelsOf(String series) {
        return LABEL.matcher(series)
                .results()
                .map(label -> label.group(1))
                .filter(label -> !label.equals(BOUND))
                .collect(Collectors.toSet());
    }
}
