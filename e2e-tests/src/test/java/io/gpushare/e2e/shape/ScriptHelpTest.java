package io.gpushare.e2e.shape;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.simulated.patience.Patience;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every script says what it does when it is asked, at once, without a built project and without writing anything. */
class ScriptHelpTest {
    private static final Path ROOT =
            Path.of(System.getProperty("gpushare.root")).toAbsolutePath().normalize();
    // These hand their arguments over to another program, or answer a shell.
    private static final Set<String> OTHERS =
            Set.of("mvnw", "e2e-tests/local-kubernetes/kubectl", "deploy/kubectl/kubectl_complete-gpushare");

    @TempDir
    Path empty;

    static List<String> scripts() throws IOException {
        try (Stream<Path> files = Files.walk(ROOT)) {
            return files.filter(file ->
                            !(ROOT.relativize(file) + "/").matches("(.*/)?(target|\\.git|kind|src/main/java)/.*"))
                    .filter(Files::isExecutable)
                    .filter(Files::isRegularFile)
                    .filter(ScriptHelpTest::isScript)
                    .map(file -> ROOT.relativize(file).toString())
                    .filter(script -> !OTHERS.contains(script))
                    .sorted()
                    .toList();
        }
    }

    private static boolean isScript(Path file) {
        try {
            return Files.size(file) < 1 << 20 && Files.readString(file).startsWith("#!");
        } catch (IOException e) {
            return false;
        }
    }

    @ParameterizedTest
    @MethodSource("scripts")
    void aScriptPrintsItsHelpAtOnceAndWritesNothing(String script) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(ROOT.resolve(script).toString(), "--help")
                .directory(empty.toFile())
                .redirectErrorStream(true);
        builder.environment().clear();
        builder.environment().put("PATH", "/usr/bin:/bin");
        for (String folder : List.of("HOME", "TMPDIR", "XDG_CACHE_HOME")) {
            builder.environment().put(folder, empty.toString());
        }
        Process process = builder.start();
        process.getOutputStream().close();
        int code = Patience.exitCode(process);
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(code).as(printed).isZero();
        assertThat(printed.lines().filter(line -> !line.isBlank())).hasSizeGreaterThan(0);
        assertThat(printed).doesNotContain("#!", "set -");
        try (Stream<Path> written = Files.list(empty)) {
            assertThat(written).isEmpty();
        }
    }
}
