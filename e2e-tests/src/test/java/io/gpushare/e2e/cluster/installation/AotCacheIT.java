package io.gpushare.e2e.cluster.installation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.gpushare.e2e.cluster.Command;
import io.gpushare.e2e.cluster.SharedCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The image files of {@code deploy/images/build -c}, without a cluster. */
@Tag("cluster")
@Tag("release")
class AotCacheIT {
    private static final Duration BUILD = Duration.ofMinutes(15);
    private static final Duration START = Duration.ofMinutes(2);
    private static final Path IMAGES = SharedCluster.ROOT.resolve("deploy/images");

    @TempDir
    static Path folder;

    @BeforeAll
    static void build() {
        Command.output(BUILD, List.of(IMAGES.resolve("build").toString(), "-k", "-c", "-o", folder.toString()));
    }

    @ParameterizedTest
    @CsvSource({
        "device-plugin, io.gpushare.plugin.PluginMain",
        "scheduler-extender, io.gpushare.extender.program.ExtenderMain"
    })
    void theProgramLoadsItsClassesFromTheCache(String program, String main) {
        assertThat(help(program, "-Xlog:class+load").lines())
                .anyMatch(line -> line.endsWith(main + " source: shared objects file"))
                .noneMatch(line -> line.contains(main + " source: file:"));
    }

    @ParameterizedTest
    @CsvSource({"device-plugin", "scheduler-extender"})
    void theCacheHasNoMachineCode(String program) {
        assertThat(help(program, "-Xlog:aot").lines().filter(line -> line.contains("Mapped static")))
                .anyMatch(line -> line.contains("region #0"))
                .noneMatch(line -> line.contains("(Code)"));
    }

    @Test
    void anotherArchitectureIsRefused() {
        String other = System.getProperty("os.arch").equals("amd64") ? "arm64" : "amd64";
        assertThatThrownBy(() ->
                        Command.output(START, List.of(IMAGES.resolve("build").toString(), "-k", "-c", "-a", other)))
                .hasMessageContaining("-c runs the programs")
                .hasMessageContaining("not for " + other);
    }

    private static String help(String program, String option) {
        return Command.output(
                START,
                List.of(
                        IMAGES.resolve("try").toString(),
                        "-s",
                        "60",
                        "-e",
                        "JAVA_TOOL_OPTIONS=" + option,
                        folder.resolve("gpushare-" + program + ".tar").toString(),
                        "--help"));
    }
}
