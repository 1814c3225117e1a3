package io.gpushare.e2e.chaos.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EvictionsTest {
    private static final Instant EARLY = Instant.parse("2026-11-25T01:00:00Z");

    @TempDir
    private Path folder = Path.of("");

    @Test
    void onlySuccessfulDeletionsSinceThenCount() throws Exception {
        Evictions evictions = new Evictions(Files.writeString(
                folder.resolve("audit.log"),
                line("a", "system:kube-scheduler", 200)
                        + line("b", "admin", 200)
                        + line("c", "system:serviceaccount:kube-system:gpu-share-scheduler-extender", 201)
                        + line("d", "system:kube-scheduler", 409)
                        + "{\"objectRef\":{\"name\":\"a\""));
        assertThat(evictions.deleters("a", EARLY)).containsExactly("system:kube-scheduler");
        assertThat(Evictions.preempted(evictions.deleters("a", EARLY))).isTrue();
        assertThat(evictions.deleters("a", EARLY.plusSeconds(60))).isEmpty();
        assertThat(evictions.deleters("b", EARLY)).containsExactly("admin");
        assertThat(Evictions.preempted(evictions.deleters("b", EARLY))).isFalse();
        assertThat(Evictions.preempted(evictions.deleters("c", EARLY))).isTrue();
        assertThat(evictions.deleters("d", EARLY)).isEmpty();
    }

    private static String line(String pod, String user, int code) {
        return """
            {"kind":"Event","verb":"delete","user":{"username":"%s"},"objectRef":{"resource":"pods","name":"%s"},\
            "responseStatus":{"code":%d},"stageTimestamp":"2026-11-25T01:00:30.000000Z"}
            """.formatted(user, pod, code);
    }
}
