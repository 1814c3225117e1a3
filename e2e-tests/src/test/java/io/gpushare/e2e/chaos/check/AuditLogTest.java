package io.gpushare.e2e.chaos.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AuditLogTest {
    private static final Instant EARLY = Instant.parse("2026-11-25T01:00:00Z");

    @TempDir
    private Path folder = Path.of("");

    @Test
    void onlySuccessfulDeletionsSinceThenCount() throws Exception {
        AuditLog log = new AuditLog(Files.writeString(
                folder.resolve("audit.log"),
                line("a", "system:kube-scheduler", 200)
                        + line("b", "admin", 200)
                        + line("c", "system:serviceaccount:kube-system:gpu-share-scheduler-extender", 201)
                        + line("d", "system:kube-scheduler", 409)
                        + "{\"objectRef\":{\"name\":\"a\""));
        assertThat(log.deleters("a", EARLY)).containsExactly("system:kube-scheduler");
        assertThat(AuditLog.preempted(log.deleters("a", EARLY))).isTrue();
        assertThat(log.deleters("a", EARLY.plusSeconds(60))).isEmpty();
        assertThat(log.deleters("b", EARLY)).containsExactly("admin");
        assertThat(AuditLog.preempted(log.deleters("b", EARLY))).isFalse();
        assertThat(AuditLog.preempted(log.deleters("c", EARLY))).isTrue();
        assertThat(log.deleters("d", EARLY)).isEmpty();
    }

    /** As kube-controller-manager 1.36.3 did with pods that were made again under their names. */
    @Test
    void theNodeControllerIsNobodysPreemption() throws Exception {
        AuditLog log = new AuditLog(Files.writeString(
                folder.resolve("audit.log"),
                line("a", "system:serviceaccount:kube-system:node-controller", 200)
                        + line("b", "system:node:gpushare-e2e", 200)));
        assertThat(AuditLog.nodeWasNotReady(log.deleters("a", EARLY))).isTrue();
        assertThat(AuditLog.preempted(log.deleters("a", EARLY))).isFalse();
        assertThat(AuditLog.nodeWasNotReady(log.deleters("b", EARLY))).isFalse();
    }

    @Test
    void aBindingIsNoDeletion() throws Exception {
        AuditLog log = new AuditLog(Files.writeString(
                folder.resolve("audit.log"),
                line("a", "system:kube-scheduler", 201)
                        .replace("\"resource\":\"pods\"", "\"resource\":\"pods\",\"subresource\":\"binding\"")));
        assertThat(log.bound("a", EARLY)).isTrue();
        assertThat(log.bound("a", EARLY.plusSeconds(60))).isFalse();
        assertThat(log.bound("b", EARLY)).isFalse();
        assertThat(log.deleters("a", EARLY)).isEmpty();
    }

    private static String line(String pod, String user, int code) {
        return """
            {"kind":"Event","verb":"delete","user":{"username":"%s"},"objectRef":{"resource":"pods","name":"%s"},\
            "responseStatus":{"code":%d},"stageTimestamp":"2026-11-25T01:00:30.000000Z"}
            """.formatted(user, pod, code);
    }
}
