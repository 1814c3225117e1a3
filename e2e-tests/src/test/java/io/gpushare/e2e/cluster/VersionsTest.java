package io.gpushare.e2e.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What differs between the versions of Kubernetes: what scenarios say of it, and the tests that documents name. */
class VersionsTest {
    private static final Path ROOT = SharedCluster.ROOT;
    private static final Pattern TEST = Pattern.compile("\\b([A-Z]\\w+(?:Test|IT|Properties))(?:#(\\w+))?");

    /** A copy of the script whose Maven prints its arguments. */
    @TempDir
    private Path copy;

    @BeforeEach
    void copyScript() throws IOException {
        for (String file : List.of(
                "scenario",
                "jdk.bash",
                "version-features",
                "local-kubernetes/cluster.bash",
                "local-kubernetes/runtime.bash",
                "local-kubernetes/current")) {
            Path to = copy.resolve("e2e-tests").resolve(file);
            Files.createDirectories(Objects.requireNonNull(to.getParent()));
            Files.copy(ROOT.resolve("e2e-tests").resolve(file), to);
        }
        program("mvnw", "echo maven \"$@\"");
        program("kubernetes/server/bin/kubelet", "echo Kubernetes v1.29.3");
    }

    private void program(String name, String line) throws IOException {
        Path file = copy.resolve(name);
        Files.createDirectories(Objects.requireNonNull(file.getParent()));
        Files.writeString(file, "#!/bin/sh\n" + line + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private String scenario(String argument) throws IOException {
        return scenario(Map.of(), argument);
    }

    private String scenario(Map<String, String> environment, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(
                List.of("bash", copy.resolve("e2e-tests/scenario").toString(), "AnyIT"));
        command.addAll(List.of(arguments));
        ProcessBuilder script = new ProcessBuilder(command).redirectErrorStream(true);
        script.environment().remove("GPUSHARE_KUBERNETES");
        script.environment().put("XDG_CACHE_HOME", copy.resolve("cache").toString());
        script.environment().putAll(environment);
        return new String(script.start().getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    @Test
    void aScenarioSaysFirstWhatTheVersionOfTheFolderLacks() throws IOException {
        String folder = "-Dgpushare.kubernetes=" + copy.resolve("kubernetes");
        assertThat(scenario(folder).lines().toList())
                .startsWith(
                        "The programs of Kubernetes v1.29.3 are those in " + copy.resolve("kubernetes/server/bin")
                                + ".",
                        "The scenarios of what Kubernetes 1.29 lacks are skipped:")
                .anyMatch(line -> line.startsWith("  the legacy Policy file"))
                .anyMatch(line -> line.startsWith("  tokens bound to the node of a pod"))
                .noneMatch(line -> line.contains("sidecars"))
                .last()
                .asString()
                .contains("maven", "-Dit.test=AnyIT", folder);
        assertThat(scenario("-Dgpushare.cluster=local"))
                .contains("Kubernetes 1.20 lacks", "sidecars", "CDI devices")
                .doesNotContain("Policy file");
        assertThat(scenario("-Dgpushare.kind.image=kindest/node:v1.36.1@sha256:12"))
                .contains("Kubernetes 1.36 lacks", "Policy file")
                .doesNotContain("sidecars", "not supported");
    }

    @Test
    void aFolderWithoutProgramsAndAVersionThatIsTooNewAreSaid() throws IOException {
        assertThat(scenario("-Dgpushare.kubernetes=/nowhere"))
                .contains("there is no kubelet in /nowhere")
                .doesNotContain("maven");
        program("kubernetes/server/bin/kubelet", "echo Kubernetes v1.38.0");
        assertThat(scenario("-Dgpushare.kubernetes=" + copy.resolve("kubernetes")))
                .contains("It is not supported: the scenarios are for 1.20 to 1.36.");
    }

    @Test
    void withoutAFolderItIsTheOneOfTheVariableOrTheNewestInTheCache() throws IOException {
        assertThat(scenario(Map.of())).contains("maven").doesNotContain("-Dgpushare.kubernetes");
        for (String version : List.of("1.9.9", "1.35.6", "1.36.2", "empty")) {
            Files.createDirectories(copy.resolve("cache/gpushare/kubernetes/" + version));
        }
        program("cache/gpushare/kubernetes/1.9.9/kubelet", "echo Kubernetes v1.9.9");
        program("cache/gpushare/kubernetes/1.35.6/kubelet", "echo Kubernetes v1.35.6");
        program("cache/gpushare/kubernetes/1.36.2/kubelet", "echo Kubernetes v1.36.2");
        String cached = copy.resolve("cache/gpushare/kubernetes").toString();
        assertThat(scenario(Map.of()))
                .contains("The programs of Kubernetes v1.36.2 are those in " + cached + "/1.36.2.")
                .contains("-Dgpushare.kubernetes=" + cached + "/1.36.2");
        String other = copy.resolve("kubernetes").toString();
        assertThat(scenario(Map.of("GPUSHARE_KUBERNETES", other))).contains("-Dgpushare.kubernetes=" + other);
        assertThat(scenario(Map.of("GPUSHARE_KUBERNETES", other), "-Dgpushare.cluster=local"))
                .contains("maven")
                .doesNotContain("-Dgpushare.kubernetes");
        assertThat(scenario(Map.of("GPUSHARE_KUBERNETES", copy.resolve("cache").toString())))
                .contains("GPUSHARE_KUBERNETES: neither")
                .doesNotContain("maven");
    }

    /** v1beta1 is gone in 1.23, v1 came with 1.25. */
    @ParameterizedTest
    @CsvSource({"20,v1beta1", "21,v1beta1", "22,v1beta2", "23,v1beta2", "24,v1beta2", "25,v1", "36,v1"})
    void eachVersionGetsAConfigurationThatItsSchedulerReads(int minor, String version) {
        assertThat(LocalCluster.configuration(minor)).isEqualTo("config-" + version + ".yaml");
    }

    /** The table of versions names for each difference the test that shows it. */
    @ParameterizedTest
    @CsvSource({"deploy/docs/reference/support.md", "e2e-tests/version-features"})
    void theTestsThatDocumentsNameExist(String document) throws IOException {
        var missing = new TreeSet<String>();
        var named =
                TEST.matcher(Files.readString(ROOT.resolve(document))).results().toList();
        assertThat(named).isNotEmpty();
        for (MatchResult test : named) {
            if (!exists(test.group(1) + ".java", test.group(2))) {
                missing.add(test.group());
            }
        }
        assertThat(missing).as("tests that %s names and nobody has", document).isEmpty();
    }

    private static boolean exists(String file, @Nullable String method) throws IOException {
        try (Stream<Path> files = Files.find(
                ROOT, 16, (path, _) -> path.endsWith(file) && path.toString().contains("/src/test/java/"))) {
            for (Path each : files.toList()) {
                if (method == null || Files.readString(each).contains("void " + method + "(")) {
                    return true;
                }
            }
            return false;
        }
    }
}
