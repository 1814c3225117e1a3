package io.gpushare.e2e.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpushare.simulated.pages.MetricTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Checks of the rules and dashboards as files. */
class MonitoringTest {
    private static final Path ROOT = Path.of(System.getProperty("gpushare.root", ".."));
    private static final Path MONITORING = ROOT.resolve("deploy/monitoring");
    private static final Path NOTHING = Path.of("/dev/null");
    private static final Pattern NAME = Pattern.compile("(?<![:a-z_])gpushare_[a-z_]+");

    @Test
    void promtoolFindsTheRulesRightAndTheirTestsPass() throws Exception {
        Prometheus.requireInstalled();
        assertThat(Prometheus.promtool(MONITORING, NOTHING, "check", "rules", "rules.yaml"))
                .contains("SUCCESS");
        assertThat(Prometheus.promtool(MONITORING, NOTHING, "test", "rules", "rules-test.yaml"))
                .contains("SUCCESS");
        String tested = Files.readString(MONITORING.resolve("rules-test.yaml"));
        for (String alert : named("(?<=alert: )\\w+", Files.readString(MONITORING.resolve("rules.yaml")))) {
            assertThat(tested).contains("alertname: " + alert + "\n");
        }
    }

    @Test
    void everyPanelSaysWhatItIsAndInWhichUnit() throws IOException {
        Set<String> uids = new TreeSet<>();
        for (Dashboards.Dashboard dashboard : Dashboards.read().all()) {
            assertThat(uids.add(dashboard.document().path("uid").asText())).isTrue();
            for (JsonNode panel : dashboard.panels()) {
                String where = dashboard.file() + ": " + panel.path("title").asText();
                assertThat(panel.path("description").asText()).as(where).endsWith(".");
                assertThat(panel.path("fieldConfig")
                                .path("defaults")
                                .path("unit")
                                .asText())
                        .as(where)
                        .isNotEmpty();
                for (JsonNode target : panel.path("targets")) {
                    boolean manySeries = panel.path("type").asText().equals("timeseries");
                    assertThat(target.path("legendFormat").asText().isEmpty())
                            .as(where + ": legend")
                            .isEqualTo(
                                    !manySeries && !panel.path("type").asText().equals("bargauge"));
                }
            }
        }
        assertThat(uids).containsExactly("gpushare-card", "gpushare-cluster", "gpushare-node", "gpushare-workload");
    }

    @Test
    void panelsFillTheirRowsAndNoneCoversAnother() throws IOException {
        for (Dashboards.Dashboard dashboard : Dashboards.read().all()) {
            int height = dashboard.document().path("panels").findValues("y").stream()
                    .mapToInt(JsonNode::asInt)
                    .max()
                    .orElseThrow();
            boolean[][] taken = new boolean[height + 20][24];
            for (JsonNode panel : dashboard.document().path("panels")) {
                JsonNode at = panel.path("gridPos");
                for (int y = 0; y < at.path("h").asInt(); y++) {
                    for (int x = 0; x < at.path("w").asInt(); x++) {
                        boolean[] row = taken[at.path("y").asInt() + y];
                        assertThat(row[at.path("x").asInt() + x])
                                .as(dashboard.file() + ": "
                                        + panel.path("title").asText())
                                .isFalse();
                        row[at.path("x").asInt() + x] = true;
                    }
                }
            }
            for (int y = 0; y <= height; y++) {
                assertThat(taken[y]).as(dashboard.file() + " row " + y).doesNotContain(false);
            }
        }
    }

    @Test
    void onlyMetricsThatAreDocumentedAreAskedFor() throws IOException {
        Set<String> queried = new TreeSet<>(named(NAME.pattern(), Files.readString(MONITORING.resolve("rules.yaml"))));
        for (Dashboards.Dashboard dashboard : Dashboards.read().all()) {
            dashboard.queries().forEach(query -> queried.addAll(named(NAME.pattern(), query.expression())));
        }
        Set<String> documented = MetricTable.all().keySet();
        assertThat(queried).hasSizeGreaterThan(30);
        assertThat(queried)
                .allSatisfy(metric -> assertThat(documented).contains(metric.replaceFirst("_(bucket|count|sum)$", "")));
    }

    static List<String> named(String pattern, String text) {
        List<String> names = new ArrayList<>();
        Matcher matcher = Pattern.compile(pattern).matcher(text);
        while (matcher.find()) {
            names.add(matcher.group());
        }
        return names;
    }
}
