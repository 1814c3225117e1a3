package io.gpushare.e2e.chart;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.simulated.patience.Patience;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code e2e-tests/run-all} on a machine that lacks everything says so at once, before it builds anything. */
class RunAllTest {
    private static final Path SCRIPT =
            Chart.FOLDER.resolveSibling("../e2e-tests/run-all").normalize();
    private static final List<String> TOOLS = List.of("bash", "dirname", "uname", "rm", "mkdir", "find", "grep");

    @TempDir
    Path folder;

    private Path bin;

    private record Run(int code, String output) {}

    @BeforeEach
    void bareMachine() throws IOException {
        bin = Files.createDirectory(folder.resolve("bin"));
        for (String tool : TOOLS) {
            Files.createSymbolicLink(bin.resolve(tool), Path.of("/usr/bin", tool));
        }
        program("id", "echo 1000");
    }

    @Test
    void allMissingPackagesAreNamedWithOneCommand() throws Exception {
        program("apt-get", "exit 99");
        program("apt-cache", "exit 0");
        Run run = run(Map.of());
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.output())
                .containsOnlyOnce("Run as root: apt-get update && apt-get install -y --no-install-recommends")
                .contains("gcc", "chromium chromium-driver git kubernetes-client", "prometheus", "mmdebstrap")
                .doesNotContain("Scanning for projects");
    }

    @Test
    void whereThereIsNoAptEachProgramIsNamed() throws Exception {
        assertThat(run(Map.of()).output()).contains("promtool is missing", "kubectl is missing", "chromium is missing");
    }

    @Test
    void foldersThatCantBeWrittenAreNamed() throws Exception {
        assertThat(run(Map.of("TMPDIR", "/proc/1")).output()).contains("/proc/1 can't be written");
        assertThat(run(Map.of("HOME", "/proc/1")).output()).contains("/proc/1/.m2 can't be written");
    }

    private void program(String name, String line) throws IOException {
        Path file = Files.writeString(bin.resolve(name), "#!/usr/bin/bash\n" + line + "\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    private Run run(Map<String, String> environment) throws Exception {
        ProcessBuilder builder = new ProcessBuilder("/usr/bin/bash", SCRIPT.toString()).redirectErrorStream(true);
        builder.environment().clear();
        builder.environment().putAll(Map.of("PATH", bin.toString(), "HOME", folder.toString()));
        builder.environment().putAll(environment);
        Process process = builder.start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Run(Patience.exitCode(process), output);
    }
}
