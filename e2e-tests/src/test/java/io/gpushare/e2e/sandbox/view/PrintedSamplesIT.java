package io.gpushare.e2e.sandbox.view;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.simulated.patience.Patience;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What README.md and the guides show of {@code kubectl gpushare} is what it prints, line by line, but for {@code …}.
 */
class PrintedSamplesIT {
    private static final Path ROOT = Path.of(System.getProperty("gpushare.root", ".."));
    private static final List<String> PAGES = List.of("README.md", "deploy/docs/operate/allocations.md");
    /** A command, a comment, and the lines until the next command or the end of the block. */
    private static final Pattern SAMPLE =
            Pattern.compile("(?ms)^\\$ kubectl gpushare ?([^\\n#]*?) *(?:#[^\\n]*)?\\n(.*?)(?=^\\$ |^```)");

    private static final Duration SOON = Duration.ofSeconds(30);

    @TempDir
    Path folder;

    @Test
    void theSamplesAreWhatTheCommandsPrint() throws Exception {
        int commands = 0;
        try (DisplayedCluster _ = new DisplayedCluster(4, folder)) {
            KubectlGpushare gpushare = new KubectlGpushare(folder);
            for (String page : PAGES) {
                Matcher sample = SAMPLE.matcher(Files.readString(ROOT.resolve(page)));
                while (sample.find()) {
                    String[] arguments = sample.group(1).split(" ");
                    List<String> shown = sample.group(2)
                            .lines()
                            .filter(line -> !line.isBlank() && !line.strip().equals("…"))
                            .toList();
                    // The measured usage of a node arrives after its first view.
                    Patience.await(SOON)
                            .untilAsserted(
                                    () -> assertThat(gpushare.print(arguments).lines())
                                            .as(page + ": kubectl gpushare " + sample.group(1))
                                            .containsSubsequence(shown));
                    commands++;
                }
            }
        }
        assertThat(commands).isGreaterThan(4);
    }
}
