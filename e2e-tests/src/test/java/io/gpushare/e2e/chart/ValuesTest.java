package io.gpushare.e2e.chart;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

/** values.yaml, its schema and the templates have the same values; the comments of values.yaml describe them. */
class ValuesTest {
    private static final String VALUES = ".Values";
    private static final Pattern USE = Pattern.compile("\\" + VALUES + "(?:\\.\\w+)+");
    /** Helm's own, for charts that have this one inside. */
    private static final String OF_HELM = "global";

    @Test
    void theSchemaHasTheValuesOfTheFileAndTheTemplatesUseThem() throws IOException {
        List<String> values = new ArrayList<>();
        compare(VALUES, yaml("values.schema.json"), yaml("values.yaml"), values);
        Set<String> used = used();
        assertThat(used.stream()
                        .filter(use ->
                                values.stream().noneMatch(value -> contains(use, value) || contains(value, use))))
                .as("of templates, and no values")
                .isEmpty();
        assertThat(values.stream().filter(value -> used.stream().noneMatch(use -> contains(use, value))))
                .as("values that no template uses")
                .isEmpty();
    }

    /** Collects the values that have no others in them, or any that users write. */
    private static void compare(String path, Map<String, Object> schema, @Nullable Object inFile, List<String> values) {
        Map<String, Object> declared = new HashMap<>(Chart.map(schema.get("properties")));
        declared.remove(OF_HELM);
        if (declared.isEmpty()) {
            values.add(path);
            return;
        }
        Map<String, Object> written = Chart.map(inFile);
        assertThat(written.keySet())
                .as("values.yaml has what values.schema.json has in " + path)
                .containsExactlyInAnyOrderElementsOf(declared.keySet());
        declared.forEach((name, inner) -> compare(path + "." + name, Chart.map(inner), written.get(name), values));
    }

    private static boolean contains(String outer, String inner) {
        return (inner + ".").startsWith(outer + ".");
    }

    private static Set<String> used() throws IOException {
        Set<String> used = new TreeSet<>();
        try (Stream<Path> templates = Files.list(Chart.FOLDER.resolve("templates"))) {
            for (Path template : templates.toList()) {
                USE.matcher(Files.readString(template))
                        .results()
                        .map(MatchResult::group)
                        .forEach(used::add);
            }
        }
        return used;
    }

    /** JSON is YAML. */
    private static Map<String, Object> yaml(String file) throws IOException {
        return Chart.map(new Yaml().load(Files.readString(Chart.FOLDER.resolve(file))));
    }
}
