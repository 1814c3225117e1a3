package io.gpushare.e2e.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
    private static final Pattern FENCED = Pattern.compile("(?ms)^```.*?^```$");

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
            for (Path document : documents(archive)) {
                Matcher link = LINK.matcher(withoutExamples(document));
                while (link.find()) {
                    if (!link.group(1).matches("[a-z]+:.*")) {
                        followed++;
                        if (!leads(document, link.group(1))) {
                            broken.add(folder.relativize(document) + " → " + link.group(1));
                        }
                    }
                }
            }
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

    private static boolean leads(Path document, String link) throws IOException {
        String[] parts = link.split("#", 2);
        Path target = parts[0].isEmpty()
                ? document
                : document.resolveSibling(parts[0]).normalize();
        return Files.exists(target) && (parts.length == 1 || headings(target).contains(parts[1]));
    }

    /** The anchors that GitHub makes of a document's headings. */
    private static List<String> headings(Path document) throws IOException {
        return withoutExamples(document)
                .lines()
                .filter(line -> line.matches("#+ .*"))
                .map(line -> line.replaceFirst("#+ ", "")
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\p{L}\\p{N} _-]", "")
                        .replace(' ', '-'))
                .toList();
    }

    private static String withoutExamples(Path document) throws IOException {
        return FENCED.matcher(Files.readString(document)).replaceAll("");
    }
}
