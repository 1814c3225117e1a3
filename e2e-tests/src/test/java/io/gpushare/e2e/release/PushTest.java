package io.gpushare.e2e.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code deploy/push} pushes nothing that differs from the sums of the release. */
class PushTest {
    private static final String PUSH =
            Script.ROOT.resolve("deploy/push").toAbsolutePath().toString();

    @TempDir
    Path folder;

    @BeforeEach
    void release() throws Exception {
        Files.writeString(folder.resolve("gpushare-1.2.0.tgz"), "chart");
        Files.writeString(folder.resolve("gpushare-device-plugin-1.2.0-amd64.tar"), "image");
        assertThat(Script.run(folder, "bash", "-c", "sha256sum -- * >SHA256SUMS")
                        .code())
                .isZero();
    }

    @Test
    void aFileThatDiffersIsNamed() throws Exception {
        Files.writeString(folder.resolve("gpushare-device-plugin-1.2.0-amd64.tar"), "other");
        assertRefused("files differ from SHA256SUMS: gpushare-device-plugin-1.2.0-amd64.tar: FAILED", "127.0.0.1:1");
    }

    @Test
    void aFileThatIsMissingIsNamed() throws Exception {
        Files.delete(folder.resolve("gpushare-1.2.0.tgz"));
        assertRefused("gpushare-1.2.0.tgz: FAILED open or read", "127.0.0.1:1");
    }

    @Test
    void aFolderOfSomethingElseIsRefused() throws Exception {
        Files.delete(folder.resolve("SHA256SUMS"));
        assertRefused("has no SHA256SUMS: it is no folder of deploy/release", "127.0.0.1:1");
    }

    @Test
    void anAddressIsNoRegistry() throws Exception {
        assertRefused("REGISTRY is a host with or without a folder", "https://127.0.0.1:1/");
    }

    private void assertRefused(String sentence, String registry) throws Exception {
        Script run = Script.run(folder, PUSH, ".", registry);
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.output()).contains(sentence);
    }
}
