package io.gpushare.mps.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MpsDirectoryTest {
    @Test
    void eachProgramReadsWhatTheOtherWrote(@TempDir Path dir) throws Exception {
        MpsDirectory directory = new MpsDirectory(dir);
        directory.create("GPU-a");
        assertThat(directory.want("GPU-a")).isEmpty();
        CardWant want = new CardWant(3, 4096, List.of(17L));
        CardReport report = new CardReport(3, Phase.READY, 4096, "it's ready", 7, 2, 1, List.of(8L), true, List.of(9L));

        directory.write("GPU-a", want);
        directory.write("GPU-a", report);

        assertThat(directory.want("GPU-a")).contains(want);
        assertThat(directory.report("GPU-a")).contains(report);
    }

    @Test
    void aDirectoryWhoseSocketsHaveTooLongPathsIsRefused() {
        Path longest = Path.of("/" + "d".repeat(39));
        String socket = new MpsDirectory(longest)
                .daemon("GPU-8f6d0c3e-0000-4000-8000-000000000001")
                .resolve("control_privileged")
                .toString();
        assertThat(socket).hasSize(107);
        assertThat(new MpsDirectory(longest).problem()).isEmpty();
        assertThat(new MpsDirectory(Path.of(longest + "é")).problem())
                .hasValueSatisfying(problem -> assertThat(problem)
                        .contains("of 109 bytes, and at most 107 are possible")
                        .endsWith("2 bytes shorter"));
        assertThat(new MpsDirectory(Path.of("/run/gpushare/mps")).problem()).isEmpty();
    }

    @Test
    void aFieldOfAnotherVersionIsIgnoredOrHasItsDefault(@TempDir Path dir) throws Exception {
        MpsDirectory directory = new MpsDirectory(dir);
        directory.create("GPU-a");
        Files.writeString(dir.resolve("GPU-a").resolve("state"), "{\"phase\": \"READY\", \"later\": 1}");

        assertThat(directory.report("GPU-a"))
                .contains(new CardReport(0, Phase.READY, 0, "", 0, 0, 0, List.of(), false, List.of()));
    }

    @Test
    void aMalformedFileIsAnError(@TempDir Path dir) throws Exception {
        MpsDirectory directory = new MpsDirectory(dir);
        directory.create("GPU-a");
        Files.writeString(dir.resolve("GPU-a").resolve("want"), "on=true");

        assertThatThrownBy(() -> directory.want("GPU-a")).isInstanceOf(IOException.class);
    }

    @Test
    void severalThreadsMayLookForASupervisorAtOnce(@TempDir Path dir) throws Exception {
        MpsDirectory directory = new MpsDirectory(dir);
        Files.createFile(directory.lock());
        Callable<Boolean> often = () -> {
            boolean supervised = false;
            for (int i = 0; i < 2000; i++) {
                supervised |= directory.supervised();
            }
            return supervised;
        };
        List<Boolean> seen = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
            for (Future<Boolean> each : threads.invokeAll(List.of(often, often))) {
                seen.add(each.get());
            }
        }
        assertThat(seen).containsExactly(false, false);
    }
}
