package io.gpushare.e2e.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the notes of a release and of the chart say is what the guides say. */
class NotesTest {
    private static final Path GUIDES = Script.ROOT.resolve("deploy/docs");

    @Test
    void theNotesOfAReleaseHaveTheGuidesCommandsAndNoLinkThatLeadsNowhere() throws Exception {
        Script run = Script.run(Script.ROOT, "bash", "-c", """
            echo '- [A guide](deploy/docs/use/README.md#use) is new.' | deploy/release-files/notes . 1.2.0 amd64\
            """);
        assertThat(run.code()).isZero();
        assertThat(run.output())
                .startsWith("# GPU Share for Kubernetes 1.2.0\n\n## Install\nRun these commands in the folder with")
                .contains("helm install gpushare gpushare-1.2.0.tgz -n kube-system --set image.registry=<registry>")
                .contains("Configure kube-scheduler (`gpushare-1.2.0/", "## Files", "amd64.tgz")
                .endsWith("- A guide (`deploy/docs/use/README.md`) is new.\n")
                .doesNotContain("](", "@INSTALL@", "<version>");
    }

    /** Without what depends on values: the guides have the commands of an installation with the chart's own. */
    @Test
    void theGuidesHaveTheCommandsOfTheChartsNotes() throws IOException {
        String guides = guides();
        List<String> commands = Files.readAllLines(Script.ROOT.resolve("deploy/chart/templates/NOTES.txt")).stream()
                .filter(line -> line.startsWith("  "))
                .map(line -> line.replaceAll("\\{\\{-? if .*?\\{\\{-? end }}", "")
                        .replace("{{ .Release.Namespace }}", "kube-system")
                        .strip())
                .toList();
        assertThat(commands)
                .hasSizeGreaterThan(3)
                .allSatisfy(command -> assertThat(guides).contains(command));
    }

    private static String guides() throws IOException {
        try (Stream<Path> files = Files.walk(GUIDES)) {
            List<Path> pages =
                    files.filter(file -> file.toString().endsWith(".md")).toList();
            StringBuilder text = new StringBuilder();
            for (Path page : pages) {
                text.append(Files.readString(page));
            }
            return text.toString();
        }
    }
}
