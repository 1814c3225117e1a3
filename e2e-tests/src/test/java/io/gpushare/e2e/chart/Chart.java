package io.gpushare.e2e.chart;

import com.marcnuri.helm.Helm;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.Yaml;

/** The chart of the repository, rendered by Helm. */
public final class Chart {
    public static final Path FOLDER =
            Path.of(System.getProperty("gpushare.root", "..")).resolve("deploy/chart");
    static final String NAMESPACE = "kube-system";
    private static final Pattern SOURCE = Pattern.compile("(?m)^---\n# Source: ");

    private Chart() {}

    /** The objects, for a cluster of that version. */
    static List<Rendered> objects(String values, String version) {
        List<Rendered> objects = new ArrayList<>();
        templates(values, version)
                .values()
                .forEach(text -> StreamSupport.stream(new Yaml().loadAll(text).spliterator(), false)
                        .filter(document -> document != null)
                        .map(document -> new Rendered(map(document)))
                        .forEach(objects::add));
        return objects;
    }

    /** The object of that kind and name, for a cluster of version 1.36.2. */
    static Rendered object(String values, String kind, String name) {
        return object(objects(values, "1.36.2"), kind, name);
    }

    static Rendered object(List<Rendered> objects, String kind, String name) {
        return objects.stream()
                .filter(object -> object.kind().equals(kind) && object.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no " + kind + " " + name));
    }

    /** The output by template, without Helm's comments. */
    public static Map<String, String> templates(String values, String version) {
        Map<String, String> templates = new LinkedHashMap<>();
        for (String part : SOURCE.split(render(values, version))) {
            int end = part.indexOf('\n');
            String document = part.substring(end + 1).strip();
            if (!document.isEmpty()) {
                String template = part.substring(part.lastIndexOf('/', end) + 1, end);
                templates.merge(template, document + "\n", (before, next) -> before + "---\n" + next);
            }
        }
        return templates;
    }

    private static String render(String values, String version) {
        try {
            Path file = Files.createTempFile("values", ".yaml");
            try {
                Files.writeString(file, values);
                return new Helm(FOLDER)
                        .template()
                        .withName("gpushare")
                        .withNamespace(NAMESPACE)
                        .withKubeVersion(version)
                        .withValuesFile(file)
                        .call();
            } finally {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @SuppressWarnings("unchecked") // YAML's objects have names as keys
    static Map<String, Object> map(@Nullable Object value) {
        return value == null ? Map.of() : (Map<String, Object>) value;
    }

    /** A rendered object. */
    record Rendered(Map<String, Object> content) {
        String kind() {
            return text("kind");
        }

        String name() {
            return text("metadata", "name");
        }

        /** The value at that path; null if there is none. */
        @Nullable
        Object at(String... path) {
            @Nullable Object value = content;
            for (String key : path) {
                value = value instanceof List<?> list
                        ? list.get(Integer.parseInt(key))
                        : map(value).get(key);
            }
            return value;
        }

        /** A field of the only container of a workload. */
        String container(String field) {
            return text("spec", "template", "spec", "containers", "0", field);
        }

        String text(String... path) {
            return String.valueOf(at(path));
        }

        @Override
        public String toString() {
            return kind() + " " + text("metadata", "namespace") + "/" + name();
        }
    }
}
