package io.gpushare.e2e.sandbox.view;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Why a node has no cards: the page in a real browser, the command line and {@code why} say the same. */
class NoCardsPageIT {
    private static final Path SCREENSHOTS = Path.of("target/screenshots");
    private static final Duration SOON = Duration.ofSeconds(30);

    /** What the driver reports for each reason; nothing where the plugin looks itself. */
    private static final Map<String, String> DETAILS = new TreeMap<>(Map.ofEntries(
            Map.entry(
                    "library_missing", "libnvidia-ml.so.1: cannot open shared object file: No such file or directory"),
            Map.entry("driver_not_loaded", "Driver Not Loaded (NVML code 9)"),
            Map.entry("driver_version_mismatch", "Driver/library version mismatch (NVML code 18)"),
            Map.entry("no_access", "Insufficient Permissions (NVML code 4)"),
            Map.entry("driver_error", "Unknown Error (NVML code 999)"),
            Map.entry("no_card_found", ""),
            Map.entry("no_device_file", ""),
            Map.entry("mig_enabled", ""),
            Map.entry("other_way", "pod research/train-1"),
            Map.entry("paused", "nvidia.com/gpu.deploy.client=paused-for-driver-upgrade"),
            Map.entry("plugin_restarting", ""),
            Map.entry("of_a_newer_plugin", "more pay")));

    @TempDir
    Path folder;

    @Test
    void pageCommandLineAndWhySayTheSameOfEachReason() throws Exception {
        try (DisplayedCluster cluster = new DisplayedCluster(4, folder);
                Browser browser = Browser.start()) {
            DETAILS.forEach((reason, detail) -> cluster.addWithoutCards(node(reason), reason, detail));
            browser.look(1440, 2400, false); // tiles out of sight are not in the document
            browser.open(cluster.pageThroughApiServer().toString());
            browser.await("document.querySelectorAll('.tile .none').length === " + DETAILS.size(), SOON);
            KubectlGpushare gpushare = new KubectlGpushare(folder);
            String why = gpushare.print("why", "tuning-sweep-41", "-n", "research");
            List<String> sentences = new ArrayList<>();
            for (Map.Entry<String, String> each : DETAILS.entrySet()) {
                String node = node(each.getKey());
                String sentence = onPage(browser, node);
                System.out.println(node + " on the page:     " + sentence);
                assertThat(sentence).startsWith("no cards to offer: ").contains(each.getValue());
                assertThat(printed(gpushare.print(node), node)).isEqualTo(sentence);
                assertThat(printed(why, node)).isEqualTo(sentence);
                sentences.add(sentence.substring(0, sentence.indexOf(". ")));
            }
            assertThat(sentences).doesNotHaveDuplicates();
            assertThat(sentences)
                    .filteredOn(text -> text.contains("does not know"))
                    .hasSize(1);
            browser.shoot(SCREENSHOTS.resolve("no-cards.png"));
            assertThat(browser.axe()).isEmpty();
            assertThat(browser.complaints()).isEmpty();
        }
    }

    private static String node(String reason) {
        return "without-" + reason.replace('_', '-');
    }

    /** The sentence in the node's tile; asserts that its dialog has the same. */
    private static String onPage(Browser browser, String node) throws Exception {
        String tile = "document.querySelector('[data-tile=" + node + "]')";
        String sentence = browser.value(tile + ".querySelector('.kind').innerText", String.class);
        browser.run(tile + ".querySelector('.name').click()");
        browser.await("document.querySelector('#more-title')?.textContent === '" + node + "'", SOON);
        assertThat(browser.value("document.querySelector('#more .facts b').innerText", String.class))
                .isEqualTo(sentence);
        browser.run("document.querySelector('#more .close').click()");
        return sentence;
    }

    /** The line of that node, without its name; also prints it. */
    private static String printed(String output, String node) {
        String line = output.lines()
                .filter(each -> each.startsWith(node + ": "))
                .findFirst()
                .orElseThrow(() -> new AssertionError("nothing of " + node + " in: " + output));
        System.out.println(line);
        return line.substring(node.length() + 2);
    }
}
