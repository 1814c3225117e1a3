package io.gpushare.e2e.release;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.yaml.snakeyaml.Yaml;

/** Workflows name the commits of the actions that they use, and only call what contributors can call too. */
class WorkflowsTest {
    private static final Path FOLDER = Script.ROOT.resolve(".github/workflows");
    private static final List<String> TOOLS = List.of("apt-get", "npx", "skopeo");

    static List<Path> workflows() throws IOException {
        try (Stream<Path> files = Files.list(FOLDER)) {
            return files.toList();
        }
    }

    @ParameterizedTest
    @MethodSource("workflows")
    void actionsAreNamedByTheirCommit(Path workflow) throws IOException {
        assertThat(Files.readAllLines(workflow))
                .filteredOn(line -> line.contains("uses:"))
                .isNotEmpty()
                .allMatch(line -> line.matches(" *- uses: [a-z/-]+@[0-9a-f]{40} # v[0-9.]+"));
    }

    @ParameterizedTest
    @MethodSource("workflows")
    void aStepIsOneCommandOfTheProjectOrInstallsWhatItNeeds(Path workflow) throws IOException {
        Map<?, ?> jobs =
                (Map<?, ?>) requireNonNull(((Map<?, ?>) new Yaml().load(Files.readString(workflow))).get("jobs"));
        List<String> commands = jobs.values().stream()
                .flatMap(job -> ((List<?>) requireNonNull(((Map<?, ?>) job).get("steps"))).stream())
                .map(step -> ((Map<?, ?>) step).get("run"))
                .filter(run -> run != null)
                .map(String::valueOf)
                .toList();
        assertThat(commands).isNotEmpty().allSatisfy(command -> {
            String program = command.split(" ", 2)[0];
            assertThat(command).doesNotContain("\n", ";", "|", "`", "$(");
            assertThat(TOOLS.contains(program) || Files.isExecutable(Script.ROOT.resolve(program)))
                    .as(command)
                    .isTrue();
        });
    }
}
