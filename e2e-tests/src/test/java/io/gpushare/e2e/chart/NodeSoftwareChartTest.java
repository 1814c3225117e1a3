package io.gpushare.e2e.chart;

import static io.gpushare.e2e.chart.Chart.object;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.gpushare.e2e.chart.Chart.Rendered;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the chart's DaemonSets have for other software of a node: NVIDIA's GPU Operator and SELinux. */
class NodeSoftwareChartTest {
    private static final String PLUGIN = "gpu-share-device-plugin";
    private static final String MPS = "gpu-share-mps";
    private static final String CLIENT = "nvidia.com/gpu.deploy.client";

    /** The terms of the DaemonSet's node affinity, each as its expressions by key. */
    private static List<Map<String, Map<?, ?>>> terms(String values, String name) {
        List<Map<String, Map<?, ?>>> terms = new ArrayList<>();
        Object selected = object(values, "DaemonSet", name)
                .at(
                        "spec",
                        "template",
                        "spec",
                        "affinity",
                        "nodeAffinity",
                        "requiredDuringSchedulingIgnoredDuringExecution",
                        "nodeSelectorTerms");
        for (Object term : (List<?>) Objects.requireNonNull(selected)) {
            Map<String, Map<?, ?>> keys = new HashMap<>();
            for (Object each : (List<?>) Objects.requireNonNull(Chart.map(term).get("matchExpressions"))) {
                keys.put(String.valueOf(Chart.map(each).get("key")), Chart.map(each));
            }
            terms.add(keys);
        }
        return terms;
    }

    /** Each term, because one that matches is enough. NotIn also matches nodes without the label. */
    @ParameterizedTest
    @ValueSource(strings = {PLUGIN, MPS})
    void everyProgramOfANodeLeavesItWhileTheOperatorPausesItsOwn(String name) {
        String values = """
            isolation: {provider: mps}
            devicePlugin: {anyNodeLabel: {nvidia.com/gpu.present: 'true', example.com/gpu: 'true'}}
            """;
        assertThat(terms(values, name)).hasSize(2).allSatisfy(term -> {
            for (String label : List.of(
                    CLIENT, "nvidia.com/gpu.deploy.device-plugin", "nvidia.com/gpu.deploy.operator-validator")) {
                assertThat(term)
                        .containsEntry(
                                label,
                                Map.of(
                                        "key",
                                        label,
                                        "operator",
                                        "NotIn",
                                        "values",
                                        List.of(
                                                "paused-for-driver-upgrade",
                                                "paused-for-mig-change",
                                                "paused-for-mig-change_paused-for-driver-upgrade")));
            }
        });
    }

    /** The kubelet needs the driver of claims to end a pod, also on a node that served claims before. */
    @Test
    void whereClaimsAreServedThePluginStaysAndPausesItself() {
        String values = "{dra: {enabled: true}, isolation: {provider: mps}}";
        for (String name : List.of(PLUGIN, "gpu-share-claims")) {
            assertThat(terms(values, name))
                    .singleElement()
                    .satisfies(term -> assertThat(term.keySet())
                            .containsExactlyInAnyOrder("gpushare.io/plugin", "gpushare.io/serve"));
        }
        assertThat(terms(values, MPS))
                .singleElement()
                .satisfies(term -> assertThat(term).containsKey(CLIENT));
    }

    @Test
    void theLabelsAreAValue() {
        String values = "devicePlugin: {pauseLabels: [example.com/paused]}";
        assertThat(terms(values, PLUGIN))
                .singleElement()
                .satisfies(term -> assertThat(term.keySet())
                        .containsExactlyInAnyOrder("gpushare.io/plugin", "example.com/paused"));
        assertThat(terms("devicePlugin: {pauseLabels: []}", PLUGIN))
                .singleElement()
                .satisfies(term -> assertThat(term.keySet()).containsExactly("gpushare.io/plugin"));
    }

    /** The operator's driver manager waits for the pods of DaemonSets whose nodeSelector has its label. */
    @ParameterizedTest
    @ValueSource(strings = {PLUGIN, MPS})
    void theOperatorsLabelCanBeInTheNodeSelectorOfBoth(String name) {
        String values = """
            isolation: {provider: mps}
            devicePlugin: {nodeSelector: {nvidia.com/gpu.deploy.client: 'true'}}
            """;
        assertThat(object(values, "DaemonSet", name).at("spec", "template", "spec", "nodeSelector"))
                .isEqualTo(Map.of("gpushare", "true", CLIENT, "true"));
    }

    /** Selectors of pods know labels only. */
    @Test
    void podsGetALabelForTheOperatorsDrainWhereTheValuesSaySo() {
        assertThat(Chart.templates("{}", "1.36.2").values()).noneMatch(text -> text.contains("gpushare-drain-label"));
        Rendered policy = object(
                "admission: {drainLabel: true}\nhami: {enabled: true}\ndevicePlugin: {memoryUnit: 256MiB}",
                "MutatingAdmissionPolicy",
                "gpushare-drain-label");
        assertThat(policy.text("spec", "matchConditions"))
                .contains("aliyun.com/gpu-mem", "aliyun.com/gpu-count", "\"nvidia.com/gpu\"");
        assertThat(policy.text("spec", "mutations")).contains("{\"gpushare.io/gpu-pod\": \"true\"}");
        assertThat(policy.text("spec", "failurePolicy")).isEqualTo("Ignore");
        assertThat(Chart.objects("admission: {drainLabel: true}", "1.34.1"))
                .filteredOn(each -> each.name().equals("gpushare-drain-label"))
                .hasSize(2)
                .allMatch(each -> each.text("apiVersion").equals("admissionregistration.k8s.io/v1beta1"));
    }

    @Test
    void thePluginsSeLinuxTypeIsAValue() {
        assertThat(seLinux("{}")).isNull();
        assertThat(seLinux("openshift: {enabled: true}")).isEqualTo(type("container_device_plugin_t"));
        assertThat(seLinux("devicePlugin: {seLinuxType: spc_t}")).isEqualTo(type("spc_t"));
        assertThat(seLinux("devicePlugin: {seLinuxType: spc_t}\nopenshift: {enabled: true}"))
                .isEqualTo(type("spc_t"));
        assertThatThrownBy(() -> seLinux("devicePlugin: {seLinuxType: 'system_u:object_r:spc_t:s0'}"))
                .hasMessageContaining("seLinuxType");
    }

    private static @Nullable Object seLinux(String values) {
        return object(values, "DaemonSet", PLUGIN).at("spec", "template", "spec", "securityContext");
    }

    private static Map<String, Object> type(String type) {
        return Map.of("seLinuxOptions", Map.of("type", type));
    }

    /** Privileged, so its type is that of privileged containers, which may label files. */
    @Test
    void theLabelOfMpsSocketsReachesTheSupervisor() {
        Rendered usual = object("isolation: {provider: mps}", "DaemonSet", MPS);
        assertThat(usual.container("args")).doesNotContain("selinux");
        assertThat(usual.container("securityContext")).contains("privileged=true");
        String values = "isolation: {provider: mps, mps: {seLinuxLabel: 'system_u:object_r:local_t:s0'}}";
        assertThat(object(values, "DaemonSet", MPS).container("args"))
                .contains("--selinux-label=system_u:object_r:local_t:s0");
        assertThat(object("isolation: {provider: mps, mps: {seLinuxLabel: ''}}", "DaemonSet", MPS)
                        .container("args"))
                .contains("--selinux-label=");
    }
}
