package io.gpushare.e2e.chart;

import static io.gpushare.e2e.chart.Chart.object;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.gpushare.e2e.chart.Chart.Rendered;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Claims in the chart: one way for each node, and no more rights than that way needs. */
class ClaimsChartTest {
    private static final String CLAIMS = "gpu-share-claims";
    private static final String REQUESTS = "gpushare-requests";
    private static final String ENABLED = "dra: {enabled: true}";

    @Test
    void aNodeHasOneOfBothDaemonSetsByItsLabel() {
        List<Rendered> objects = Chart.objects(ENABLED, "1.36.2");
        assertThat(serves(object(objects, "DaemonSet", "gpu-share-device-plugin")))
                .contains("{key=gpushare.io/serve, operator=NotIn, values=[dra]}");
        Rendered claims = object(objects, "DaemonSet", CLAIMS);
        assertThat(serves(claims)).contains("{key=gpushare.io/serve, operator=In, values=[dra]}");
        assertThat(claims.container("args")).contains("--serve=dra");
        assertThat(claims.text("spec", "template", "spec", "volumes"))
                .contains(
                        "/var/lib/kubelet/plugins_registry",
                        "/var/lib/kubelet/plugins/gpushare.io",
                        "/var/run/cdi",
                        "device-plugins")
                .doesNotContain("pod-resources");
        assertThat(claims.text("spec", "selector"))
                .isNotEqualTo(
                        object(objects, "DaemonSet", "gpu-share-device-plugin").text("spec", "selector"));
    }

    @Test
    void theDriverReadsNvidiasFileOfCardsInBothDirectoriesOfTheRuntime() {
        String both = "dra: {enabled: true, staticCdiDir: /etc/cdi}";
        Rendered claims = object(Chart.objects(both, "1.36.2"), "DaemonSet", CLAIMS);
        assertThat(claims.container("volumeMounts")).contains("{name=static-cdi, mountPath=/etc/cdi, readOnly=true}");
        assertThat(claims.container("args")).doesNotContain("device-list-strategy", "static-cdi-dir");
        assertThat(object(Chart.objects(both, "1.36.2"), "DaemonSet", "gpu-share-device-plugin")
                        .container("volumeMounts"))
                .doesNotContain("static-cdi");
        Rendered elsewhere =
                object(Chart.objects("dra: {enabled: true, staticCdiDir: /opt/cdi}", "1.36.2"), "DaemonSet", CLAIMS);
        assertThat(elsewhere.container("args")).contains("--static-cdi-dir=/opt/cdi");
        for (String without : List.of(ENABLED, both + "\ndevicePlugin: {deviceListStrategy: envvar}")) {
            Rendered none = object(Chart.objects(without, "1.36.2"), "DaemonSet", CLAIMS);
            assertThat(none.container("volumeMounts")).doesNotContain("static-cdi");
        }
    }

    @Test
    void theDriverUsesTheKubeletsDirectoryAndEachWaySeesTheOther() {
        List<Rendered> objects = Chart.objects(ENABLED + "\ndevicePlugin: {kubeletDir: /data/kubelet}", "1.36.2");
        Rendered claims = object(objects, "DaemonSet", CLAIMS);
        assertThat(claims.container("args")).contains("--kubelet-dir=/data/kubelet");
        assertThat(claims.container("volumeMounts"))
                .contains("/data/kubelet/plugins_registry", "/data/kubelet/plugins/gpushare.io")
                .contains("{name=device-plugins, mountPath=/data/kubelet/device-plugins, readOnly=true}");
        assertThat(claims.text("spec", "template", "spec", "volumes"))
                .contains("path=/data/kubelet/plugins_registry", "path=/data/kubelet/plugins/gpushare.io")
                .contains("path=/var/lib/kubelet/device-plugins");
        Rendered plugin = object(objects, "DaemonSet", "gpu-share-device-plugin");
        assertThat(plugin.container("args"))
                .contains("--kubelet-dir=/data/kubelet")
                .doesNotContain("--serve");
        assertThat(plugin.container("volumeMounts"))
                .contains(
                        "{name=cdi, mountPath=/var/run/cdi}",
                        "{name=device-plugins, mountPath=/data/kubelet/device-plugins}")
                .contains(
                        "/data/kubelet/plugins_registry",
                        "/data/kubelet/plugins/gpushare.io",
                        "/data/kubelet/pod-resources");
        assertThat(object(Chart.objects("{}", "1.36.2"), "DaemonSet", "gpu-share-device-plugin")
                        .container("volumeMounts"))
                .contains("/var/lib/kubelet/device-plugins")
                .doesNotContain("cdi", "plugins_registry");
    }

    @Test
    void theNodesOfBothWaysAreMonitored() {
        String values = ENABLED + "\nmonitoring: {podMonitors: true}";
        assertThat(object(values, "PodMonitor", "gpushare-device-plugin").text("spec", "selector"))
                .contains("values=[gpu-share-device-plugin, gpu-share-claims]");
        Path monitoring = Path.of(System.getProperty("gpushare.root", "..")).resolve("deploy/monitoring");
        assertThat(monitoring.resolve("podmonitors.yaml"))
                .content()
                .contains("values: [gpu-share-device-plugin, gpu-share-claims]");
        assertThat(monitoring.resolve("prometheus.yaml"))
                .content()
                .contains("label: app=gpushare,component in (gpu-share-device-plugin,gpu-share-claims)");
    }

    @Test
    void aSliceHasTheNameOfItsNode() {
        assertThat(object(ENABLED, "ValidatingAdmissionPolicy", CLAIMS).text("spec", "validations"))
                .contains("object.metadata.name.startsWith(variables.node + \"-gpushare.io-\")");
    }

    private static String serves(Rendered daemonSet) {
        return daemonSet.text("spec", "template", "spec", "affinity");
    }

    @Test
    void theRightsAreThoseOfSlicesAndOfReadingClaims() {
        assertThat(object(ENABLED, "ClusterRole", CLAIMS).text("rules"))
                .isEqualTo("[{apiGroups=[resource.k8s.io], resources=[resourceslices], verbs=[list, create, update,"
                        + " delete]}, {apiGroups=[resource.k8s.io], resources=[resourceclaims], verbs=[get]}]");
    }

    @Test
    void isolationIsThatOfTheNodesOfBothWays() {
        List<Rendered> objects = Chart.objects(ENABLED + "\nisolation: {provider: mps}", "1.36.2");
        for (String way : List.of(CLAIMS, "gpu-share-device-plugin")) {
            Rendered plugin = object(objects, "DaemonSet", way);
            assertThat(plugin.container("args")).contains("--isolation=mps");
            assertThat(plugin.container("volumeMounts")).contains("{name=mps, mountPath=/run/gpushare/mps}");
            assertThat(plugin.text("spec", "template", "spec", "hostPID")).isEqualTo("true");
        }
        assertThat(serves(object(objects, "DaemonSet", "gpu-share-mps"))).doesNotContain("gpushare.io/serve");

        Rendered driver =
                object(Chart.objects(ENABLED + "\nisolation: {provider: driver}", "1.36.2"), "DaemonSet", CLAIMS);
        assertThat(driver.container("args")).contains("--isolation=driver");
        assertThat(driver.container("volumeMounts")).contains("{name=cgroup, mountPath=/sys/fs/cgroup, readOnly=true}");
        Rendered hamiCore =
                object(Chart.objects(ENABLED + "\nisolation: {provider: hami-core}", "1.36.2"), "DaemonSet", CLAIMS);
        assertThat(hamiCore.container("volumeMounts")).contains("/var/lib/gpushare/hami-core", "/usr/local/vgpu");
    }

    @Test
    void theExtenderWatchesClaimsOnlyWhereThereAreSome() {
        List<Rendered> objects = Chart.objects(ENABLED, "1.36.2");
        String extender = "gpu-share-scheduler-extender";
        assertThat(object(objects, "ClusterRole", extender).text("rules"))
                .contains("{apiGroups=[resource.k8s.io], resources=[resourceclaims], verbs=[list, watch]}")
                .contains("{apiGroups=[resource.k8s.io], resources=[devicetaintrules], verbs=[list, watch]}")
                .contains("resources=[events], verbs=[list, watch]}");
        assertThat(object(objects, "Deployment", extender).container("args")).contains("--claims");

        List<Rendered> without = Chart.objects("{}", "1.36.2");
        assertThat(object(without, "ClusterRole", extender).text("rules"))
                .doesNotContain("resource.k8s.io", "resources=[events], verbs=[list");
        assertThat(object(without, "Deployment", extender).container("args")).doesNotContain("--claims");
    }

    @Test
    void eachProfileOfMigIsAClass() {
        String values = "dra: {enabled: true}\nmig: {profiles: [3g.40gb, 1g.10gb.me]}";
        List<Rendered> objects = Chart.objects(values, "1.36.2");
        assertThat(objects)
                .filteredOn(object -> object.kind().equals("DeviceClass"))
                .extracting(Rendered::name)
                .containsExactlyInAnyOrder(
                        "gpushare", "gpushare-card", "gpushare-mig-3g.40gb", "gpushare-mig-1g.10gb.me");
        assertThat(object(objects, "DeviceClass", "gpushare-mig-3g.40gb").text("spec", "selectors"))
                .contains("device.attributes['gpushare.io'].?profile.orValue('') == '3g.40gb'");
        // In names of resources and classes there is no plus.
        assertThat(object(objects, "DeviceClass", "gpushare-mig-1g.10gb.me").text("spec", "selectors"))
                .contains("== '1g.10gb+me'");
    }

    @Test
    void classesHaveTheNamesOfResources() {
        String values = ENABLED + "\nmig: {profiles: [3g.40gb]}";
        assertThat(names(values)).containsExactlyInAnyOrder("null", "aliyun.com/gpu-count", "nvidia.com/mig-3g.40gb");
        assertThat(names("dra: {enabled: true, nvidiaGpu: true}"))
                .containsExactlyInAnyOrder("null", "aliyun.com/gpu-count", "nvidia.com/gpu");
        assertThatThrownBy(
                        () -> Chart.objects("dra: {enabled: true, nvidiaGpu: true}\nhami: {enabled: true}", "1.36.2"))
                .hasMessageContaining("nvidia.com/gpu is HAMi's request already");
    }

    private static List<String> names(String values) {
        return Chart.objects(values, "1.36.2").stream()
                .filter(object -> object.kind().equals("DeviceClass"))
                .map(object -> object.text("spec", "extendedResourceName"))
                .toList();
    }

    /** Two schedulers would give the same devices. */
    @Test
    void allPodsOfClaimsHaveOneScheduler() {
        String values =
                "dra: {enabled: true, requests: true}\nscheduler: {enabled: true}\nadmission: {drainLabel: true}";
        assertThat(object(values, "MutatingAdmissionPolicy", REQUESTS).text("spec", "mutations"))
                .contains("object.spec.schedulerName in [\"gpushare-scheduler\"]");
        assertThat(object(values, "MutatingAdmissionPolicy", "gpushare-scheduler")
                        .text("spec"))
                .doesNotContain("resourceClaims");
        assertThat(Chart.objects(values, "1.36.2"))
                .filteredOn(each -> each.kind().equals("MutatingAdmissionPolicy")
                        && each.text("spec", "mutations").contains("gpushare.io/gpu-pod"))
                .singleElement()
                .satisfies(policy -> assertThat(policy.text("spec", "matchConditions"))
                        .contains("object.spec.resourceClaims.exists(c, c.name == \"gpushare\")"));
    }

    @Test
    void oldRequestsAreTurnedIntoClaimsOnlyWhereTheValueSaysSo() {
        List<Rendered> objects =
                Chart.objects("dra: {enabled: true, requests: true}\nresources: {memory: x.y/mem}", "1.36.2");
        assertThat(object(objects, "MutatingAdmissionPolicy", REQUESTS).text("spec", "matchConstraints"))
                .contains("namespaceSelector={matchLabels={gpushare.io/requests=claims}}");
        assertThat(object(objects, "MutatingAdmissionPolicy", REQUESTS).text("spec"))
                .contains("/resources/limits/x.y~1mem")
                .doesNotContain("nvidia.com/gpumem\" in c.limits");
        assertThat(object(objects, "ClusterRole", "gpu-share-claim-templates").text("rules"))
                .isEqualTo(
                        "[{apiGroups=[resource.k8s.io], resources=[resourceclaimtemplates], verbs=[get, list, create,"
                                + " delete]}]");
        assertThat(object(objects, "Deployment", "gpu-share-scheduler-extender").container("args"))
                .contains("--claim-templates=true");

        List<Rendered> without = Chart.objects(ENABLED, "1.36.2");
        assertThat(without).extracting(Rendered::name).doesNotContain(REQUESTS, "gpu-share-claim-templates");
        assertThat(object(without, "Deployment", "gpu-share-scheduler-extender").container("args"))
                .doesNotContain("claim-templates");
        assertThatThrownBy(() -> Chart.objects("dra: {enabled: true, requests: true}", "1.35.0"))
                .hasMessageContaining("dra.requests=true needs Kubernetes 1.36");
        assertThatThrownBy(() -> Chart.objects("dra: {requests: true}", "1.36.2"))
                .hasMessageContaining("dra.requests=true needs dra.enabled=true");
    }

    @Test
    void withoutThemNothingIsInstalledAndTheDaemonSetIsAsBefore() {
        List<Rendered> objects = Chart.objects("{}", "1.36.2");
        assertThat(objects).extracting(Rendered::name).doesNotContain(CLAIMS);
        assertThat(serves(object(objects, "DaemonSet", "gpu-share-device-plugin")))
                .doesNotContain("gpushare.io/serve");
    }

    @Test
    void whatIsNotPossibleIsRefused() {
        assertThatThrownBy(() -> Chart.objects(ENABLED, "1.33.5"))
                .hasMessageContaining("dra.enabled=true needs Kubernetes 1.34 or newer");
        assertThatThrownBy(() -> Chart.objects(
                        "{dra: {enabled: true}, devicePlugin: {nodeSelector: {nvidia.com/gpu.deploy.client: 'true'}}}",
                        "1.36.2"))
                .hasMessageContaining("would take the driver of claims off a node that is paused");
        assertThat(Objects.requireNonNull(Chart.templates(ENABLED, "1.34.0").get("dra.yaml")))
                .contains("DeviceClass");
    }
}
