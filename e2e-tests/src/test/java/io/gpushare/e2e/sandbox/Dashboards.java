package io.gpushare.e2e.sandbox;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Reads the Grafana dashboards of the checkout. */
record Dashboards(List<Dashboard> all) {
    private static final Path FOLDER =
            Path.of(System.getProperty("gpushare.root", "..")).resolve("deploy/monitoring/dashboards");

    record Dashboard(String file, JsonNode document) {
        List<JsonNode> panels() {
            List<JsonNode> panels = new ArrayList<>();
            document.path("panels").forEach(panel -> {
                if (!panel.path("type").asText().equals("row")) {
                    panels.add(panel);
                }
            });
            return panels;
        }

        List<JsonNode> variables() {
            List<JsonNode> variables = new ArrayList<>();
            document.path("templating").path("list").forEach(variables::add);
            return variables;
        }

        List<Query> queries() {
            List<Query> queries = new ArrayList<>();
            for (JsonNode panel : panels()) {
                String where = file + ": " + panel.path("title").asText();
                panel.path("targets")
                        .forEach(target ->
                                queries.add(new Query(where, target.path("expr").asText())));
            }
            return queries;
        }
    }

    record Query(String where, String expression) {}

    static Dashboards read() throws IOException {
        ObjectMapper json = new ObjectMapper();
        try (Stream<Path> files = Files.list(FOLDER)) {
            return new Dashboards(files.sorted()
                    .map(file -> new Dashboard(file.getFileName().toString(), tree(json, file)))
                    .toList());
        }
    }

    private static JsonNode tree(ObjectMapper json, Path file) {
        try {
            return json.readTree(file.toFile());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
