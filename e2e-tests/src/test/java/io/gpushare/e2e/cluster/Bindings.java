package io.gpushare.e2e.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * When pods were bound, by the API server's audit log, of which each look reads what is new. A watch would take
 * processor time of the cluster that is measured, and an API server without any ends it.
 */
final class Bindings {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Path log;
    private final Map<String, Instant> moments = new HashMap<>();
    private long position;

    Bindings(Path log) {
        this.log = log;
    }

    /** The times at which pods with this name prefix were bound, in order. */
    List<Instant> of(String prefix) {
        try {
            readOn();
        } catch (IOException e) {
            throw new UncheckedIOException("the audit log can't be read", e);
        }
        return moments.entrySet().stream()
                .filter(moment -> moment.getKey().startsWith(prefix))
                .map(Map.Entry::getValue)
                .sorted()
                .toList();
    }

    private void readOn() throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "r")) {
            file.seek(position);
            byte[] next = new byte[Math.toIntExact(file.length() - position)];
            file.readFully(next);
            String text = new String(next, StandardCharsets.UTF_8);
            // A last line may be unfinished.
            String lines = text.substring(0, text.lastIndexOf('\n') + 1);
            position += lines.getBytes(StandardCharsets.UTF_8).length;
            for (String line : lines.lines().toList()) {
                add(JSON.readTree(line));
            }
        }
    }

    private void add(JsonNode entry) {
        if (entry.at("/objectRef/subresource").asText().equals("binding")
                && entry.at("/responseStatus/code").asInt() / 100 == 2) {
            moments.putIfAbsent(
                    entry.at("/objectRef/name").asText(),
                    Instant.parse(entry.path("stageTimestamp").asText()));
        }
    }
}
