package io.gpushare.plugin.allocate.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.model.request.ResourceNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the kubelet's record of the devices says of other plugins. */
class PrecedenceTest {
    private static final String MEMORY = ResourceNames.DEFAULT.memory();
    private static final Set<String> FORMER = Set.of("GPU-a::0", "GPU-b::0");
    private static final Set<String> NOW = Set.of("GPU-a::0");

    @TempDir
    Path dir;

    private Instant now = Instant.EPOCH;

    private Precedence precedence() {
        return new Precedence(
                new OtherPlugins(dir, ResourceNames.DEFAULT),
                new CheckpointReader(dir, ResourceNames.DEFAULT),
                () -> Map.of(MEMORY, "1"));
    }

    private void record(Set<String> devices) throws IOException {
        String list = devices.stream().map(id -> '"' + id + '"').collect(Collectors.joining(","));
        Path next = Files.writeString(
                dir.resolve("next"),
                "{\"Data\":{\"PodDeviceEntries\":null,\"RegisteredDevices\":{\"" + MEMORY + "\":[" + list + "]}}}");
        Files.move(next, dir.resolve("kubelet_internal_checkpoint"), StandardCopyOption.REPLACE_EXISTING);
    }

    /** The turn after a minute with that list. */
    private Precedence.Turn after(Precedence precedence, Set<String> offered) {
        Precedence.Turn turn = precedence.turn(Set.of(), Map.of(MEMORY, offered), now);
        for (int i = 0; i < 12 && turn instanceof Precedence.Turn.Ours; i++) {
            now = now.plus(Duration.ofSeconds(6));
            turn = precedence.turn(Set.of(), Map.of(MEMORY, offered), now);
        }
        return turn;
    }

    @Test
    void aRecordOfAFormerListOfThisPluginIsOfNoOther() throws IOException {
        Precedence precedence = precedence();
        record(FORMER);
        assertThat(after(precedence, FORMER)).isEqualTo(new Precedence.Turn.Ours());
        // The kubelet can't write: its disk is full.
        assertThat(after(precedence, NOW)).isEqualTo(new Precedence.Turn.Renew(Set.of(MEMORY)));
        assertThat(after(precedence, NOW)).isEqualTo(new Precedence.Turn.Ours());
    }

    @Test
    void aRecordWithDevicesThatWereNeverOfferedIsOfAnother() throws IOException {
        Precedence precedence = precedence();
        record(FORMER);
        assertThat(after(precedence, FORMER)).isEqualTo(new Precedence.Turn.Ours());
        record(Set.of("GPU-a::0", "their-1"));
        assertThat(after(precedence, NOW)).isInstanceOf(Precedence.Turn.Others.class);
    }

    @Test
    void aFormerListIsForgottenOnceTheKubeletRecordedALaterOne() throws IOException {
        Precedence precedence = precedence();
        record(FORMER);
        assertThat(after(precedence, FORMER)).isEqualTo(new Precedence.Turn.Ours());
        record(NOW);
        assertThat(after(precedence, NOW)).isEqualTo(new Precedence.Turn.Ours());
        record(FORMER);
        assertThat(after(precedence, NOW)).isInstanceOf(Precedence.Turn.Others.class);
    }
}
