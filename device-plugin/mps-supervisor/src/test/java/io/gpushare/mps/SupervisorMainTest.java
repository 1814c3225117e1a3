package io.gpushare.mps;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class SupervisorMainTest {
    @Test
    @Timeout(60)
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

    private static void cards(Path folder, String lines) throws IOException {
        Path next = Files.writeString(folder.resolve("next"), lines + "\n");
        Files.move(next, folder.resolve("cards"), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    @Test
    @Timeout(60)
    void aDriverOfAnotherVersionThanTheLibraryEndsTheProgramOnlyIfItFittedBefore(@TempDir Path folder)
            throws Exception {
        String card = "card kind=T4 uuid=GPU-00000000-0000-4000-8000-00000000000a";
        String mismatch = "driver fails=nvmlInit_v2:18,nvmlDeviceGetCount_v2:18\n" + card;
        cards(folder, mismatch);
        ProcessBuilder command = new ProcessBuilder(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        SupervisorMain.class.getName(),
                        "--mps-dir=" + folder.resolve("mps"),
                        "--nvml-library=" + System.getProperty("gpushare.simulated.driver"),
                        "--mps-control-program=/nowhere/control")
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("log").toFile());
        command.environment()
                .put("GPUSHARE_SIMULATED_CARDS", folder.resolve("cards").toString());
        Process supervisor = command.start();
        try {
            assertThat(supervisor.waitFor(8, TimeUnit.SECONDS))
                    .as("the next container may get the same library")
                    .isFalse();
            cards(folder, card);
            Path report = folder.resolve("mps/GPU-00000000-0000-4000-8000-00000000000a/state");
            while (!Files.exists(report)) {
                assertThat(supervisor.waitFor(100, TimeUnit.MILLISECONDS)).isFalse();
            }
            cards(folder, mismatch);
            assertThat(supervisor.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(supervisor.exitValue()).isEqualTo(1);
            assertThat(folder.resolve("log"))
                    .content()
                    .contains("only a new container gets the library of the loaded driver", "NVML code 18");
        } finally {
            supervisor.destroyForcibly();
        }
    }
}
