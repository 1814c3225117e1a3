package io.gpushare.e2e.release;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.e2e.documents.PageReferences;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The archives of a release that users unpack, each alone: what they link to is there, and what they say is true there.
 */
class ArchivesTest {
    private static final String VERSION = "1.2.0";
    private static final List<String> ARCHIVES = List.of(
            "gpushare-" + VERSION + ".tgz",
            "gpushare-deploy-" + VERSION + ".tar.gz",
            "kubectl-gpushare-" + VERSION + ".tar.gz");

    @TempDir
    private static Path folder;

    @BeforeAll
    static void unpacked() throws Exception {
        Path files = Files.createDirectory(folder.resolve("files"));
        assertThat(Script.run(
                        Script.ROOT.toAbsolutePath().normalize(),
                        "deploy/release-files/archives",
                        ".",
                        VERSION,
                        "0",
                        files.toString()))
                .isEqualTo(new Script(0, ""));
        try (Stream<Path> all = Files.list(files)) {
            assertThat(all.map(file -> file.getFileName().toString())).containsExactlyInAnyOrderElementsOf(ARCHIVES);
        }
        for (String archive : ARCHIVES) {
            Path alone = Files.createDirectory(folder.resolve(archive));
            assertThat(Script.run(alone, "tar", "-xzf", files.resolve(archive).toString()))
                    .isEqualTo(new Script(0, ""));
        }
    }

    @Test
    void everyLinkLeadsToAFileAndAHeadingOfTheSameArchive() throws Exception {
        int followed = 0;
        List<String> broken = new ArrayList<>();
        for (String archive : ARCHIVES) {
            PageReferences references = PageReferences.under(folder.resolve(archive));
            followed += references.links();
            references.brokenLinks().forEach(link -> broken.add(archive + "/" + link));
        }
        assertThat(broken).isEmpty();
        assertThat(followed).isGreaterThan(200);
    }

    @Test
    void noDocumentSaysThatTheVersionIsNotReleased() throws Exception {
        for (String archive : ARCHIVES) {
            for (Path document : documents(archive)) {
                assertThat(Files.readString(document).toLowerCase(Locale.ROOT))
                        .as(document.toString())
                        .doesNotContain("not released yet", "nothing was released", "not yet released");
            }
        }
    }

    @Test
    void thePackForACardIsNamedByTheOnlyArchitectureThatItIsBuiltFor() throws Exception {
        String release = Files.readString(Script.ROOT.resolve("deploy/release"));
        assertThat(release).contains("gpushare-on-a-card-$version-$(host_arch).tgz", "gpushare-on-a-card-$version-run");
        assertThat(Files.readString(Script.ROOT.resolve("deploy/release-files/notes.md")))
                .contains("`gpushare-on-a-card-@VERSION@-@HOST@.tgz`, `gpushare-on-a-card-@VERSION@-run`")
                .doesNotContain("on-a-card-@VERSION@-<architecture>");
    }

    private static List<Path> documents(String archive) throws IOException {
        try (Stream<Path> files = Files.walk(folder.resolve(archive))) {
            return files.filter(file -> file.toString().endsWith(".md")).toList();
        }
    }
}
