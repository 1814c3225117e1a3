package io.gpushare.e2e.cluster.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

/** The manifests can be applied while gpushare's objects still serve the cluster (gpushare's names of 2023). */
class ManifestNamesTest {
    private static final List<String> GPUSHARES = List.of(
            "DaemonSet gpushare-device-plugin-ds",
            "ServiceAccount gpushare-device-plugin",
            "ClusterRole gpushare-device-plugin",
            "ClusterRoleBinding gpushare-device-plugin",
            "Deployment gpushare-schd-extender",
            "ServiceAccount gpushare-schd-extender",
            "ClusterRole gpushare-schd-extender",
            "ClusterRoleBinding gpushare-schd-extender");
    private static final List<Map<String, Object>> OBJECTS = new ArrayList<>();

    @BeforeAll
    static void load() throws IOException {
        Path manifests = Path.of(System.getProperty("gpushare.root")).resolve("deploy/manifests");
        try (DirectoryStream<Path> files = Files.newDirectoryStream(manifests, "*.yaml")) {
            for (Path file : files) {
                for (Object document : new Yaml().loadAll(Files.readString(file))) {
                    OBJECTS.add(AdmissionPolicies.map(document));
                }
            }
        }
    }

    @Test
    void noObjectReplacesOneOfGpushares() {
        assertThat(OBJECTS).isNotEmpty();
        assertThat(OBJECTS)
                .extracting(object ->
                        object.get("kind") + " " + at(object, "metadata").get("name"))
                .doesNotContainAnyElementsOf(GPUSHARES);
    }

    @Test
    void noSelectorOfOneMatchesPodsOfTheOther() {
        for (String kind : List.of("DaemonSet", "Deployment")) {
            Map<String, Object> labels = at(object(kind), "spec", "template", "metadata", "labels");
            assertThat(at(object(kind), "spec", "selector", "matchLabels")).isEqualTo(labels);
            assertThat(String.valueOf(labels.get("component"))).doesNotStartWith("gpushare-");
        }
    }

    @Test
    void theServiceThatTheSchedulerCallsKeepsItsNameAndPortAndMovesToOurPods() {
        Map<String, Object> service = object("Service");
        assertThat(at(service, "metadata")).containsEntry("name", "gpushare-schd-extender");
        assertThat(AdmissionPolicies.list(at(service, "spec").get("ports")))
                .singleElement()
                .satisfies(port -> assertThat(port).containsEntry("port", 12345).containsEntry("nodePort", 32766));
        // kubectl apply replaces gpushare's values of the first two keys.
        Map<String, Object> selector = new HashMap<>(at(service, "spec", "selector"));
        assertThat(selector.remove("gpushare.io/leader")).isEqualTo("gpushare-schd-extender");
        assertThat(selector)
                .containsOnlyKeys("app", "component")
                .isEqualTo(at(object("Deployment"), "spec", "template", "metadata", "labels"));
    }

    @Test
    void aLabelKeepsTheDevicePluginOffANode() {
        Map<String, Object> pod = at(object("DaemonSet"), "spec", "template", "spec");
        assertThat(pod.get("nodeSelector")).isEqualTo(Map.of("gpushare", "true"));
        Map<String, Object> required =
                at(pod, "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution");
        assertThat(AdmissionPolicies.list(required.get("nodeSelectorTerms")))
                .singleElement()
                .satisfies(term -> assertThat(AdmissionPolicies.list(term.get("matchExpressions")))
                        .contains(Map.of("key", "gpushare.io/plugin", "operator", "DoesNotExist")));
    }

    private static Map<String, Object> object(String kind) {
        return OBJECTS.stream()
                .filter(object -> kind.equals(object.get("kind")))
                .findFirst()
                .orElseThrow();
    }

    private static Map<String, Object> at(Map<String, Object> object, String... path) {
        Map<String, Object> value = object;
        for (String key : path) {
            value = AdmissionPolicies.map(value.get(key));
        }
        return value;
    }
}
