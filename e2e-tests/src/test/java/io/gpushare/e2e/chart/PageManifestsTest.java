package io.gpushare.e2e.chart;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.e2e.chart.Chart.Rendered;
import io.gpushare.e2e.cluster.admission.AdmissionPolicies;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

/** The YAML of README.md and the guides: users copy it. */
class PageManifestsTest {
    private static final Path ROOT = Chart.FOLDER.resolve("../..").normalize();
    /** A block, or a document that a command of a page writes. */
    private static final Pattern BLOCK = Pattern.compile("(?ms)^( *)```yaml\\n(.*?)^\\1```|<<'([A-Z]+)'\\n(.*?)^\\3$");

    private static final Pattern QUANTITY = Pattern.compile("\\d+");
    /** The resource names that the chart and HAMi's requests have. */
    private static final Pattern OFFERED =
            Pattern.compile("(?:requests\\.)?(?:aliyun\\.com/gpu-(?:mem|count|core\\.percentage)"
                    + "|nvidia\\.com/gpu(?:mem|mem-percentage|cores)?)");

    /** By page and number. */
    private static final Map<String, String> BLOCKS = new TreeMap<>();

    private static final List<Rendered> OBJECTS = new ArrayList<>();

    @BeforeAll
    static void read() throws IOException {
        try (Stream<Path> guides = Files.walk(ROOT.resolve("deploy/docs"))) {
            Stream<Path> pages = Stream.concat(Stream.of(ROOT.resolve("README.md")), guides);
            for (Path page :
                    pages.filter(file -> file.toString().endsWith(".md")).toList()) {
                Matcher block = BLOCK.matcher(Files.readString(page));
                while (block.find()) {
                    String text = block.group(2) == null ? block.group(4) : block.group(2);
                    BLOCKS.put(ROOT.relativize(page) + ", at character " + block.start(), text);
                }
            }
        }
        BLOCKS.values().stream()
                .filter(text -> text.startsWith("apiVersion: "))
                .forEach(text -> new Yaml().loadAll(text).forEach(each -> OBJECTS.add(new Rendered(Chart.map(each)))));
    }

    @Test
    void everyBlockIsYaml() {
        assertThat(BLOCKS)
                .hasSizeGreaterThan(10)
                .allSatisfy((_, text) ->
                        assertThat(new Yaml().loadAll(text).iterator().next()).isNotNull());
    }

    /** As the API server reads it, with no field that Kubernetes does not have. */
    @Test
    void everyObjectHasTheFieldsOfItsKind() {
        assertThat(OBJECTS)
                .extracting(Rendered::kind)
                .contains("Pod", "ResourceClaimTemplate")
                .hasSizeGreaterThan(4);
        OBJECTS.stream()
                .filter(object -> !object.kind().equals("DeviceTaintRule"))
                .forEach(ObjectSchema::check);
    }

    @Test
    void everyPodIsAdmittedAndRequestsWhatIsOffered() throws Exception {
        AdmissionPolicies policies = new AdmissionPolicies(ROOT.resolve("deploy/admission"));
        for (Rendered pod :
                OBJECTS.stream().filter(each -> each.kind().equals("Pod")).toList()) {
            assertOffered(Chart.map(pod.at("spec", "containers", "0", "resources", "limits")));
            assertThat(policies.refusals(
                            new AdmissionPolicies.Request("alice", "CREATE", "pods", pod.content(), null, Map.of())))
                    .as(pod.toString())
                    .isEmpty();
        }
    }

    @Test
    void everyQuotaCountsWhatIsOffered() {
        List<Map<String, Object>> quotas = BLOCKS.values().stream()
                .filter(text -> text.startsWith("spec:\n  hard:"))
                .map(text -> Chart.map(new Rendered(Chart.map(new Yaml().load(text))).at("spec", "hard")))
                .toList();
        assertThat(quotas).hasSizeGreaterThan(1).allSatisfy(PageManifestsTest::assertOffered);
    }

    private static void assertOffered(Map<String, Object> amounts) {
        assertThat(amounts).allSatisfy((name, amount) -> {
            assertThat(name).matches(OFFERED);
            assertThat(String.valueOf(amount)).matches(QUANTITY);
        });
    }
}
