package io.gpushare.e2e.documents;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.simulated.pages.MetricTable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The pages of deploy/docs/reference name what the programs and their manifests have, and nothing else. */
class ReferencePagesTest {
    private static final Path ROOT = Path.of(System.getProperty("gpushare.root", ".."));
    /** PreemptionByScheduler is the reason of a condition that kube-scheduler has as well. */
    private static final String REASON = "(Gpu[A-Z][A-Za-z]+|Preempt(?!ionByScheduler)[A-Za-z]+)";

    private static final Pattern EVENT = Pattern.compile("\"" + REASON + "\"");
    private static final Pattern EVENT_OF_PAGE = Pattern.compile("`" + REASON + "`");
    private static final Pattern KEY =
            Pattern.compile("[\"`]((?:gpushare\\.io|hami\\.io|nvidia\\.com)/[A-Za-z0-9-]*[a-z])(?:=[^`]*)?[\"`]");
    private static final Pattern KEY_OF_CHART = Pattern.compile("(?<![./])(gpushare\\.io/[A-Za-z0-9-]+)(?=[\":=\\s])");
    /** Those of the cards in slices. */
    private static final Pattern TAINT = Pattern.compile("keys\\.add\\(\"([a-z-]+)\"\\)");
    /** Neither annotations nor labels: what pods request in HAMi's words. */
    private static final Set<String> RESOURCES = Set.of(
            "nvidia.com/gpu",
            "nvidia.com/gpumem",
            "nvidia.com/gpumem-percentage",
            "nvidia.com/gpucores",
            "nvidia.com/priority");
    /** Operators write it for HAMi alone. */
    private static final String OF_HAMI = "hami.io/webhook";

    private static final Pattern METRIC = Pattern.compile("\"(gpushare_[a-z_]+[a-z])\"");

    @Test
    void theEventsAreThoseOfThePrograms() throws Exception {
        assertSame(found(EVENT_OF_PAGE, page("deploy/docs/reference/events.md")), found(EVENT, programs()));
    }

    @Test
    void theAnnotationsAndLabelsAreThoseOfTheProgramsAndTheChart() throws Exception {
        Set<String> known = found(KEY, programs());
        known.removeAll(RESOURCES);
        known.add(OF_HAMI);
        known.addAll(found(KEY_OF_CHART, chart()));
        found(TAINT, programs()).forEach(taint -> known.add("gpushare.io/" + taint));
        assertSame(found(KEY, page("deploy/docs/reference/annotations-and-labels.md")), known);
    }

    /** Tests that read the metrics of a program compare types and labels as well. */
    @Test
    void theMetricsAreThoseOfThePrograms() throws Exception {
        Set<String> known = found(METRIC, programs());
        known.add("gpushare_card_cores_allocated_percent"); // by the name of the kind of share
        assertSame(MetricTable.all().keySet(), known);
    }

    /** Name, severity and time of each. */
    @Test
    void theAlertsAreThoseOfTheRules() throws Exception {
        String rules = Files.readString(ROOT.resolve("deploy/chart/files/rules.yaml"));
        Set<String> alerts = Stream.of(rules.split("- alert: "))
                .skip(1)
                .map(rule -> "| `" + rule.split("\n", 2)[0] + "` | " + value(rule, "severity", "") + ", "
                        + value(rule, "for", "at once") + " |")
                .collect(Collectors.toSet());
        Set<String> rows = Files.readAllLines(ROOT.resolve("deploy/docs/reference/alerts.md")).stream()
                .filter(line -> line.startsWith("| `GpuShare"))
                .map(line -> line.replaceFirst("^(\\|[^|]*\\|[^|]*\\|).*", "$1"))
                .collect(Collectors.toSet());
        assertSame(rows, alerts);
    }

    private static void assertSame(Set<String> onPage, Set<String> declared) {
        assertThat(without(declared, onPage))
                .as("declared, and not on the page: describe it there")
                .isEmpty();
        assertThat(without(onPage, declared))
                .as("on the page, and nowhere declared: remove it there")
                .isEmpty();
    }

    private static Set<String> without(Set<String> some, Set<String> others) {
        Set<String> rest = new TreeSet<>(some);
        rest.removeAll(others);
        return rest;
    }

    private static String value(String rule, String key, String otherwise) {
        Matcher value = Pattern.compile("(?m)^ +" + key + ": (\\w+)$").matcher(rule);
        return value.find() ? value.group(1) : otherwise;
    }

    private static Set<String> found(Pattern pattern, Stream<String> texts) {
        try (texts) {
            return texts.flatMap(text -> pattern.matcher(text).results().map(match -> match.group(1)))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    private static Stream<String> page(String name) throws IOException {
        return Stream.of(Files.readString(ROOT.resolve(name)));
    }

    /** The main code of both programs, and of what they share. */
    private static Stream<String> programs() throws IOException {
        return Stream.of("common-model", "device-plugin", "scheduler-extender")
                .flatMap(module -> texts(ROOT.resolve(module), "src/main/java", ".java"));
    }

    private static Stream<String> chart() throws IOException {
        return texts(ROOT.resolve("deploy/chart"), "deploy/chart", "");
    }

    private static Stream<String> texts(Path folder, String within, String ending) {
        try (Stream<Path> files = Files.walk(folder)) {
            List<String> texts = new ArrayList<>();
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                if (file.toString().contains(within) && file.toString().endsWith(ending)) {
                    texts.add(Files.readString(file));
                }
            }
            return texts.stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
