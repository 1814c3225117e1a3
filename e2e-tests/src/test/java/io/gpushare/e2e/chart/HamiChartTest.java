package io.gpushare.e2e.chart;

import static io.gpushare.e2e.chart.Chart.object;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.gpushare.e2e.chart.Chart.Rendered;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.Yaml;

/** HAMi's requests in the chart, and in the configuration files of kube-scheduler for those who do not use it. */
class HamiChartTest {
    private static final String PLUGIN = "gpu-share-device-plugin";
    private static final String EXTENDER = "gpu-share-scheduler-extender";
    private static final String SCHEDULER = "gpushare-scheduler";
    private static final String VALUES = """
        hami: {enabled: true, slots: 7}
        devicePlugin: {memoryUnit: 256MiB}
        scheduler: {enabled: true, furtherNames: [hami-scheduler]}
        admission: {pods: true}
        """;
    private static final List<Map<String, Object>> MANAGED = List.of(
            managed("aliyun.com/gpu-mem", false),
            managed("aliyun.com/gpu-count", false),
            managed("nvidia.com/gpu", false),
            managed("nvidia.com/gpumem", true),
            managed("nvidia.com/gpumem-percentage", true),
            managed("nvidia.com/gpucores", true),
            managed("nvidia.com/priority", true));
    private static final Pattern COMMENTED =
            Pattern.compile("(?m)^( *)# ( *(- name|ignoredByScheduler|profiles|- schedulerName):)");

    @Test
    void bothProgramsGetTheSameSettings() {
        assertThat(object(VALUES, "DaemonSet", PLUGIN).container("args"))
                .contains("--hami]", "--hami-slots=7", "--memory-unit=256MiB")
                .doesNotContain("--memory-unit=GiB");
        assertThat(object(VALUES, "Deployment", EXTENDER).container("args"))
                .contains("--hami]", "--memory-unit=256MiB")
                .doesNotContain("--hami-slots");
    }

    @Test
    void withoutItNeitherProgramNorSchedulerKnowsTheWord() {
        String values = "hami: {slots: 7}\nscheduler: {enabled: true}\nadmission: {pods: true}";
        assertThat(object(values, "DaemonSet", PLUGIN).container("args")).doesNotContain("--hami");
        assertThat(object(values, "Deployment", EXTENDER).container("args")).doesNotContain("--hami", "--memory-unit");
        assertThat(configuration(values).content().toString()).doesNotContain("nvidia.com", "hami");
        assertThat(matchConditions(values)).doesNotContain("nvidia.com");
        assertThat(variablesOfPolicies(values))
                .allMatch(variables -> variables.contains("{name=hami, expression=false}"));
    }

    @Test
    void theDefaultNumberOfSlotsIsThatOfThePlugin() {
        assertThat(object("hami: {enabled: true}", "DaemonSet", PLUGIN).container("args"))
                .contains("--hami")
                .doesNotContain("--hami-slots");
    }

    @Test
    void theSecondSchedulerServesPodsInHamisWordsUnderBothNames() {
        Rendered configuration = configuration(VALUES);
        assertManaged(configuration, MANAGED);
        assertServes(configuration, SCHEDULER, "hami-scheduler");
        assertThat(matchConditions(VALUES)).contains("\"nvidia.com/gpu\"", "\"nvidia.com/gpumem\"");
    }

    @Test
    void aFurtherNameThatIsTheFirstIsServedOnce() {
        String values = "scheduler: {enabled: true, schedulerName: hami-scheduler, furtherNames: [hami-scheduler]}";
        assertServes(configuration(values), "hami-scheduler");
    }

    @Test
    void theAdmissionPoliciesKnowThatPodsUseHamisWords() {
        assertThat(variablesOfPolicies(VALUES))
                .allMatch(variables -> variables.contains("{name=hami, expression=true}"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "memory: nvidia.com/gpu",
                "card: nvidia.com/gpu",
                "core: nvidia.com/gpu",
                "formerMemory: [nvidia.com/gpu]",
                "formerCard: [a.example/b, nvidia.com/gpu]"
            })
    void theNameOfHamisCardsIsNotThatOfAnotherResource(String name) {
        String values = "resources: {" + name + "}\n";
        assertThat(Chart.objects(values, "1.36.2")).isNotEmpty();
        assertThatThrownBy(() -> Chart.objects(values + "hami: {enabled: true}", "1.36.2"))
                .hasMessageContaining("hami.enabled=true needs nvidia.com/gpu for HAMi's requests");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "scheduler/config-v1.yaml",
                "scheduler/config-v1beta1.yaml",
                "scheduler/config-v1beta2.yaml",
                "scheduler/second-scheduler.yaml",
                "tls/extenders.yaml"
            })
    void theCommentedLinesOfAFileAreThoseOfTheChart(String file) throws IOException {
        Path path = Chart.FOLDER.resolveSibling(file);
        String text = Files.readString(path);
        assertManaged(configurationIn(text), MANAGED.subList(0, 2));
        Rendered configuration = configurationIn(COMMENTED.matcher(text).replaceAll("$1$2"));
        assertManaged(configuration, MANAGED);
        if (!file.startsWith("tls")) {
            String first = file.contains("second") ? SCHEDULER : "default-scheduler";
            assertServes(configuration, first, "hami-scheduler");
        }
    }

    private static Map<String, Object> managed(String name, boolean ignored) {
        return Map.of("name", name, "ignoredByScheduler", ignored);
    }

    /** The configuration of the chart's second scheduler. */
    private static Rendered configuration(String values) {
        return configurationIn(object(values, "ConfigMap", SCHEDULER).text("data", "config.yaml"));
    }

    /** The configuration in a file, which may be in a ConfigMap among other objects. */
    private static Rendered configurationIn(String text) {
        return StreamSupport.stream(new Yaml().loadAll(text).spliterator(), false)
                .map(document -> new Rendered(Chart.map(document)))
                .filter(document -> document.at("data", "config.yaml") != null || document.at("extenders") != null)
                .map(document -> document.at("extenders") == null
                        ? configurationIn(document.text("data", "config.yaml"))
                        : document)
                .findFirst()
                .orElseThrow();
    }

    private static void assertManaged(Rendered configuration, List<Map<String, Object>> resources) {
        assertThat(configuration.at("extenders", "0", "managedResources")).isEqualTo(resources);
    }

    private static void assertServes(Rendered configuration, String... names) {
        assertThat(configuration.at("profiles"))
                .isEqualTo(Stream.of(names)
                        .map(name -> Map.of("schedulerName", name))
                        .toList());
    }

    private static String matchConditions(String values) {
        return object(values, "MutatingAdmissionPolicy", SCHEDULER).text("spec", "matchConditions");
    }

    /** The variables of the two policies on the annotations of all and on pods. */
    private static List<String> variablesOfPolicies(String values) {
        return Stream.of("gpushare-annotations", "gpushare-pods")
                .map(policy ->
                        object(values, "ValidatingAdmissionPolicy", policy).text("spec", "variables"))
                .toList();
    }
}
