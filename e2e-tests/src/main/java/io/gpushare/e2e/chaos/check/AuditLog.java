package io.gpushare.e2e.chaos.check;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Who deleted, evicted or bound pods, by the API server's audit log. Events of it can be lost. */
public record AuditLog(Path file) {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Set<String> EVICTORS =
            Set.of("system:kube-scheduler", "system:serviceaccount:kube-system:gpu-share-scheduler-extender");
    /**
     * Evicts the pods of a node that is not ready for five minutes. It decides by name: a pod that was made again
     * meanwhile goes too, even if its node is ready since long.
     */
    private static final String NODE_CONTROLLER = "system:serviceaccount:kube-system:node-controller";

    /** Who deleted or evicted a pod of that name since then. */
    public Set<String> deleters(String pod, Instant since) throws IOException {
        return entries(pod, since).stream()
                .filter(entry -> !binds(entry))
                .map(entry -> entry.at("/user/username").asText())
                .collect(Collectors.toSet());
    }

    /** Whether a pod of that name was bound since then. */
    public boolean bound(String pod, Instant since) throws IOException {
        return entries(pod, since).stream().anyMatch(AuditLog::binds);
    }

    private static boolean binds(JsonNode entry) {
        return entry.at("/objectRef/subresource").asText().equals("binding");
    }

    private List<JsonNode> entries(String pod, Instant since) throws IOException {
        try (Stream<String> lines = Files.lines(file)) {
            // A last line that is still being written lacks its end.
            return lines.filter(line -> line.contains('"' + pod + '"') && line.endsWith("}"))
                    .map(AuditLog::entry)
                    .filter(entry -> entry.at("/objectRef/name").asText().equals(pod)
                            && entry.at("/responseStatus/code").asInt() / 100 == 2
                            && !Instant.parse(entry.path("stageTimestamp").asText())
                                    .isBefore(since))
                    .toList();
        }
    }

    /** Whether one of these is kube-scheduler or the extender. */
    public static boolean preempted(Set<String> deleters) {
        return deleters.stream().anyMatch(EVICTORS::contains);
    }

    /** Whether one of these is the controller that evicts pods of nodes that are not ready. */
    public static boolean nodeWasNotReady(Set<String> deleters) {
        return deleters.contains(NODE_CONTROLLER);
    }

    private static JsonNode entry(String line) {
        try {
            return JSON.readTree(line);
        } catch (IOException e) {
            throw new IllegalStateException("a line of the audit log is no JSON: " + line, e);
        }
    }
}
