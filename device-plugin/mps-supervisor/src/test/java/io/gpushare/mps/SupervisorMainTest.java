package io.gpushare.mps;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.program.RunningProgram;
import io.gpushare.simulated.program.Ends;
import io.gpushare.simulated.program.StartedProgram;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class SupervisorMainTest {
    @Test
    @Timeout(300)
    void anUncaughtExceptionEndsTheProgramWithAFailure() throws Exception {
        Process failing = new ProcessBuilder(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        FailingSupervisor.class.getName())
                .redirectErrorStream(true)
                .start();
        String output = new String(failing.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(failing.waitFor()).as(output).isEqualTo(1);
        assertThat(output).contains("the failure of a test", "stopped");
    }

    @Test
    @Timeout(600)
    void aDriverOfAnotherVersionThanTheLibraryEndsTheProgramOnlyIfItFittedBefore(@TempDir Path folder)
            throws Exception {
        String card = "card kind=H100-80 uuid=GPU-00000000-0000-4000-8000-00000000000a";
        String mismatch = "driver fails=nvmlInit_v2:18,nvmlDeviceGetCount_v2:18\n" + card;
        Path library = Files.copy(
                Path.of(System.getProperty("gpushare.simulated.driver")), folder.resolve("libnvidia-ml.so.1"));
        cards(folder, mismatch);
        List<String> arguments = List.of(
                "--mps-dir=" + folder.resolve("mps"),
                "--nvml-library=" + library,
                "--mps-control-program=/nowhere/control");
        Path log = folder.resolve("log");
        try (StartedProgram supervisor = StartedProgram.inThisJvm(log, () -> {
            RunningProgram program = SupervisorProgram.start(arguments, Map.of());
            return new Ends(program.exit(), program::terminate, program::fail);
        })) {
            for (int look = 0; look < 4; look++) {
                awaitLook(folder, mismatch + " # " + look);
            }
            assertThat(supervisor.isAlive())
                    .as("the next container may get the same library")
                    .isTrue();
            cards(folder, card);
            await().until(() -> Files.exists(folder.resolve("mps/GPU-00000000-0000-4000-8000-00000000000a/state")));
            assertThat(supervisor.isAlive()).isTrue();
            cards(folder, mismatch);
            assertThat(supervisor.exitCode()).isEqualTo(1);
            assertThat(log)
                    .content()
                    .contains("only a new container gets the library of the loaded driver", "NVML code 18");
        }
    }

    /** Replaces the cards, and waits until the supervisor has read them: then the driver writes the minor numbers. */
    private static void awaitLook(Path folder, String lines) throws IOException {
        Path minors = folder.resolve("cards.mig-minors");
        Files.deleteIfExists(minors);
        cards(folder, lines);
        await().until(() -> Files.exists(minors));
    }

    private static void cards(Path folder, String lines) throws IOException {
        Path next = Files.writeString(folder.resolve("next"), lines + "\n");
        Files.move(next, folder.resolve("cards"), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
}
