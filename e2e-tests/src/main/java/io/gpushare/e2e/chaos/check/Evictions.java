package io.gpushare.e2e.chaos.check;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Set;
import java.util.stream.Stream;

/** Which pods kube-scheduler or the extender evicted, by the API server's audit log. Events of it can be lost. */
public record Evictions(Path auditLog) {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Set<String> EVICTORS =
            Set.of("system:kube-scheduler", "system:serviceaccount:kube-system:gpu-share-scheduler-extender");

    /** Whether one of them evicted a pod of that name since then. */
    public boolean contains(String pod, Instant since) throws IOException {
        try (Stream<String> lines = Files.lines(auditLog)) {
            // A last line that is still being written lacks its end.
            return lines.filter(line -> line.contains('"' + pod + '"') && line.endsWith("}"))
                    .anyMatch(line -> evicts(line, pod, since));
        }
    }

    private static boolean evicts(String line, String pod, Instant since) {
        try {
            JsonNode entry = JSON.readTree(line);
            return entry.at("/objectRef/name").asText().equals(pod)
                    && EVICTORS.contains(entry.at("/user/username").asText())
                    && entry.at("/responseStatus/code").asInt() / 100 == 2
                    && !Instant.parse(entry.path("stageTimestamp").asText()).isBefore(since);
        } catch (IOException e) {
            throw new IllegalStateException("a line of the audit log is no JSON: " + line, e);
        }
    }
}
