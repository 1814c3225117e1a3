package io.gpushare.e2e.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code deploy/release} says before it builds what is missing, and the version is written wherever it is named. */
class ReleaseTest {
    private static final String CHANGES = """
        # Changelog

        ## Unreleased
        - Next.

        ## 1.2.0-rc.1 - 2026-11-28
        - First.

        ## [1.1.0]

        """;

    @TempDir
    Path folder;

    private Path checkout;
    private Path out;

    @BeforeEach
    void checkout() throws Exception {
        checkout = Files.createDirectory(folder.resolve("checkout"));
        out = folder.resolve("out");
        Script.checkout(checkout, CHANGES);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.2", "v1.2.0", "1.2.0+build", "01.2.0", "1.2.0-", "latest", "1.2.0/..", ""})
    void versionsThatAreNotSemanticAreRefused(String version) throws Exception {
        assertRefused(version, "VERSION is <major>.<minor>.<patch>, or that with -<pre-release>, such as 1.2.0-rc.1");
    }

    @Test
    void aVersionWithoutChangesIsRefused() throws Exception {
        for (String version : List.of("1.2.0", "1.1.0")) {
            assertRefused(version, "CHANGELOG.md has no section '## " + version + "': give the changes");
        }
    }

    @Test
    void aCheckoutWithChangesIsRefused() throws Exception {
        Files.writeString(checkout.resolve("new"), "");
        assertRefused("1.2.0-rc.1", "the checkout has changes: commit them, or remove them");
    }

    @Test
    void afolderWithFilesIsRefusedAndKept() throws Exception {
        Path file = Files.writeString(Files.createDirectory(out).resolve("mine"), "mine");
        Script run = release("1.2.0-rc.1");
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.output()).contains("is not empty: name a folder that is new or empty");
        assertThat(file).hasContent("mine");
    }

    @Test
    void optionsThatCanNotBeRightAreRefused() throws Exception {
        assertRefused("1.2.0-rc.1", "-a is amd64 or arm64, not: riscv64", "-a", "riscv64");
        assertRefused("1.2.0-rc.1", "-u is an address that begins with https://", "-u", "http://example.com");
        assertRefused("1.2.0-rc.1", "GnuPG has no secret key nobody@example.com", "-s", "nobody@example.com");
    }

    @Test
    void theVersionIsWrittenWhereverItIsNamed() throws Exception {
        Script run = Script.run(checkout, "deploy/set-version", "1.2.0-rc.1");
        assertThat(run).isEqualTo(new Script(0, ""));
        assertThat(read("pom.xml")).contains("<revision>1.2.0-rc.1</revision>");
        assertThat(read("deploy/chart/Chart.yaml")).contains("\nversion: 1.2.0-rc.1\nappVersion: 1.2.0-rc.1\n");
        assertThat(read("deploy/kubectl/kubectl-gpushare")).contains("\nversion=1.2.0-rc.1 ");
        assertThat(read("deploy/images/build")).contains("\ntag=1.2.0-rc.1\n");
        for (String file : List.of("manifests/device-plugin.yaml", "isolation/mps.yaml")) {
            assertThat(read("deploy/" + file)).contains("image: gpushare/device-plugin:1.2.0-rc.1\n");
        }
        assertThat(read("deploy/manifests/scheduler-extender.yaml"))
                .contains("image: gpushare/scheduler-extender:1.2.0-rc.1\n");
        assertThat(Script.run(checkout, "git", "diff", "--shortstat").output())
                .contains("7 files changed, 8 insertions");
    }

    private void assertRefused(String version, String sentence, String... options) throws Exception {
        Script run = release(version, options);
        assertThat(run.code()).isNotZero();
        assertThat(run.output()).contains(sentence).doesNotContain("building");
        assertThat(out).doesNotExist();
    }

    private Script release(String version, String... options) throws Exception {
        return Script.run(
                checkout,
                Stream.of(Stream.of("deploy/release", "-a", "amd64"), Stream.of(options), Stream.of(version, "../out"))
                        .flatMap(words -> words)
                        .toArray(String[]::new));
    }

    private String read(String file) throws IOException {
        return Files.readString(checkout.resolve(file));
    }
}
