package io.gpushare.e2e.card;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The report, written again after each part, so that a run that is killed leaves what it found. */
final class Report {
    /**
     * The result of a part.
     *
     * @param outcome {@code passed}, {@code failed} (a check), {@code ended} (by an exception or its time limit) or
     *     {@code skipped}
     */
    record Result(String part, String outcome, String reason, double seconds, List<Findings.Line> lines) {}

    private static final ObjectMapper MAPPER = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    private final Path folder;
    private final Map<String, String> machine = new LinkedHashMap<>();
    private final List<Result> results = new ArrayList<>();

    Report(Path folder) throws IOException {
        this.folder = Files.createDirectories(folder);
    }

    synchronized void machine(Map<String, String> facts) throws IOException {
        machine.putAll(facts);
        write();
    }

    synchronized void add(Result result) throws IOException {
        results.add(result);
        write();
    }

    synchronized boolean passed() {
        return results.stream()
                .noneMatch(each ->
                        each.outcome().equals("failed") || each.outcome().equals("ended"));
    }

    private void write() throws IOException {
        MAPPER.writeValue(folder.resolve("report.json").toFile(), Map.of("machine", machine, "parts", results));
        Files.writeString(folder.resolve("report.md"), markdown());
    }

    private String markdown() {
        StringBuilder text = new StringBuilder("# GPU Share on a card\n\n| the machine | |\n|---|---|\n");
        machine.forEach((fact, value) -> row(text, fact, value));
        text.append("\n| part | outcome | seconds |\n|---|---|---|\n");
        for (Result result : results) {
            String reason = result.reason().isEmpty() ? "" : ": " + result.reason();
            row(text, result.part(), result.outcome() + reason, String.valueOf(result.seconds()));
        }
        for (Result result : results) {
            text.append("\n## ").append(result.part()).append("\n\n");
            for (Findings.Line line : result.lines()) {
                String mark = line.kind().equals("check") ? (line.holds() ? "[x] " : "[ ] ") : "";
                text.append("- ").append(mark).append(line.what());
                text.append(line.seen().isEmpty() ? "\n" : ": " + line.seen() + "\n");
            }
        }
        return text.toString();
    }

    private static void row(StringBuilder text, String... cells) {
        for (String cell : cells) {
            text.append("| ")
                    .append(cell.replace("|", "\\|").replace("\n", " "))
                    .append(' ');
        }
        text.append("|\n");
    }
}
