package io.gpushare.e2e.documents;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every link and every path of a page in this repository leads to it; and what is found in made-up ones. */
class PageReferencesTest {
    private static final Path ROOT = Path.of(System.getProperty("gpushare.root", ".."));

    @TempDir
    Path madeUp;

    @Test
    void everyLinkLeadsToAFileAndItsHeading() throws Exception {
        PageReferences repository = PageReferences.under(ROOT);
        assertThat(repository.brokenLinks()).isEmpty();
        assertThat(repository.links()).isGreaterThan(400);
    }

    @Test
    void everyPageThatAFileNamesIsThere() throws Exception {
        PageReferences repository = PageReferences.under(ROOT);
        assertThat(repository.brokenMentions()).isEmpty();
        assertThat(repository.mentions()).isGreaterThan(100);
    }

    @Test
    void brokenLinksAreListedTogetherWithFileAndLine() throws Exception {
        write(
                "README.md",
                "# Start\n\n[a](docs/a.md) [b](docs/b.md), [`c`](docs/a.md#not-there) [d](#start)\n[e](#end)\n");
        write("docs/a.md", "# A\n[back](../README.md#start) [out](../../elsewhere.md)\n");
        assertThat(PageReferences.under(madeUp).brokenLinks())
                .containsExactly(
                        "README.md:3: docs/b.md: no such file",
                        "README.md:3: docs/a.md#not-there: no such heading",
                        "README.md:4: #end: no such heading",
                        "docs/a.md:2: ../../elsewhere.md: no such file");
    }

    @Test
    void anAnchorFollowsGitHubsRules() throws Exception {
        write("a.md", """
            ## 1. `nvidia-smi` shows _all_: [why](b.md)?
            ## Twice
            ## Twice ##
            ## Über a – b
            <a id="own"></a>
            ```
            # a comment
            ```
            """);
        assertThat(MarkdownPage.read(madeUp.resolve("a.md")).anchors())
                .containsExactlyInAnyOrder("1-nvidia-smi-shows-_all_-why", "twice", "twice-1", "über-a--b", "own");
    }

    @Test
    void linksInExamplesAndToOtherSitesAreNotFollowed() throws Exception {
        write("a.md", """
            `[a](missing.md)` [b](https://example.com/missing.md) [c](mailto:a@example.com)
            1. x
               ```
               [d](missing.md)
               ```
            """);
        PageReferences references = PageReferences.under(madeUp);
        assertThat(references.links()).isZero();
        assertThat(references.brokenLinks()).isEmpty();
    }

    @Test
    void aLinkToAFolderReadsItsReadme() throws Exception {
        write("a.md", "[a](docs) [b](docs/) [c](docs#one) [d](docs#two)\n");
        write("docs/README.md", "# One\n");
        assertThat(PageReferences.under(madeUp).brokenLinks()).containsExactly("a.md:1: docs#two: no such heading");
    }

    @Test
    void aMissingPageInSourcesIsListedWithFileAndLine() throws Exception {
        write("module/DESIGN.md", "# Design\n");
        write("deploy/docs/use/claims.md", "# Claims\n");
        write("module/src/A.java", """
            /** DESIGN.md; deploy/docs/use/claims.md#claims. */
            String a = "serves claims (deploy/docs/use/claim.md): write";
            String b = "https://example.com/SPEC.md" + folder + ".md"; // deploy/docs/install
            """);
        write("deploy/rules.yaml", "text: see deploy/docs/use/claims.md#quotas, $folder/a.md or report.md.\n");
        write("page.html", "<a title='SECURITY.md'>");
        write(
                "README.md",
                "`deploy/CLAIMS.md`, [`docs/c.md`](deploy/docs/use/claims.md), the `DESIGN.md` of a module\n");
        assertThat(PageReferences.under(madeUp).brokenMentions())
                .containsExactly(
                        "README.md:1: deploy/CLAIMS.md: no such file",
                        "README.md:1: docs/c.md: no such file",
                        "deploy/rules.yaml:1: deploy/docs/use/claims.md#quotas: no such heading",
                        "module/src/A.java:2: deploy/docs/use/claim.md: no such file",
                        "module/src/A.java:3: deploy/docs/install: no such file",
                        "page.html:1: SECURITY.md: no such file");
    }

    private void write(String name, String text) throws IOException {
        Path file = madeUp.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }
}
