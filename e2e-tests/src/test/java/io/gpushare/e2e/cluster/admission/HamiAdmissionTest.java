package io.gpushare.e2e.cluster.admission;

import static io.gpushare.e2e.cluster.admission.AdmissionPolicyTest.EXTENDER;
import static io.gpushare.e2e.cluster.admission.AdmissionPolicyTest.PLAIN;
import static io.gpushare.e2e.cluster.admission.AdmissionPolicyTest.PLUGIN;
import static io.gpushare.e2e.cluster.admission.AdmissionPolicyTest.USER;
import static io.gpushare.e2e.cluster.admission.AdmissionPolicyTest.annotated;
import static io.gpushare.e2e.cluster.admission.AdmissionPolicyTest.binding;
import static io.gpushare.e2e.cluster.admission.AdmissionPolicyTest.on;
import static io.gpushare.e2e.cluster.admission.AdmissionPolicyTest.pod;
import static io.gpushare.e2e.cluster.admission.AdmissionPolicyTest.visible;
import static io.gpushare.e2e.cluster.admission.AdmissionPolicyTest.yaml;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.e2e.cluster.admission.AdmissionPolicies.Request;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the policies of deploy/admission deny in a cluster whose programs have --hami, and only there. */
class HamiAdmissionTest {
    private static AdmissionPolicies without;
    private static AdmissionPolicies hami;

    @BeforeAll
    static void read(@TempDir Path folder) throws Exception {
        Path written = Path.of(System.getProperty("gpushare.root")).resolve("deploy/admission");
        without = new AdmissionPolicies(written);
        for (String file : List.of("admission.yaml", "programs.yaml")) {
            Files.writeString(
                    folder.resolve(file),
                    Files.readString(written.resolve(file))
                            .replace("{name: hami, expression: \"false\"}", "{name: hami, expression: \"true\"}"));
        }
        hami = new AdmissionPolicies(folder);
    }

    @ParameterizedTest
    @ValueSource(strings = {"nvidia.com/gpumem: 3000", "nvidia.com/gpumem-percentage: 50", "nvidia.com/gpucores: 30"})
    void aPartOfACardNeedsACard(String part) throws Exception {
        Map<String, Object> alone = pod("containers: [{name: a, resources: {limits: {" + part + "}}}]");
        Map<String, Object> init = pod(
                "containers: [{name: a}]\n  initContainers: [{name: b, resources: {limits: {" + part + ", cpu: 1}}}]");
        assertThat(refusals(hami, "pods", alone)).singleElement().asString().contains("add nvidia.com/gpu: 1");
        assertThat(refusals(hami, "pods", init)).singleElement().asString().contains("add nvidia.com/gpu: 1");
        assertThat(refusals(
                        hami,
                        "pods",
                        pod("containers: [{name: a, resources: {limits: {nvidia.com/gpu: 1, " + part + "}}}]")))
                .isEmpty();
        assertThat(refusals(without, "pods", alone)).isEmpty();
    }

    @Test
    void hamisCardsAreARequestOfGpuResources() throws Exception {
        String limits = "resources: {limits: {nvidia.com/gpu: 1}}";
        Map<String, Object> sees = pod("containers: [{name: a, " + limits + ", " + visible("value: all") + "}]");
        assertThat(refusals(hami, "pods", sees))
                .singleElement()
                .asString()
                .contains("a pod that requests GPU resources must not set NVIDIA_VISIBLE_DEVICES");
        Map<String, Object> loosens =
                pod("containers: [{name: a, " + limits + ", env: [{name: CUDA_DEVICE_SM_LIMIT, value: '9'}]}]");
        assertThat(refusals(hami, "pods", loosens)).singleElement().asString().contains("CUDA_DEVICE_*");
        assertThat(refusals(without, "pods", loosens)).isEmpty();
        for (String other : List.of("aliyun.com/gpu-mem: 3", "aliyun.com/gpu-count: 1")) {
            Map<String, Object> both =
                    pod("containers: [{name: a, resources: {limits: {nvidia.com/gpu: 1, " + other + "}}}]");
            assertThat(refusals(hami, "pods", both)).singleElement().asString().contains("not beside them");
            assertThat(refusals(without, "pods", both)).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"hami.io/vgpu-devices-allocated", "hami.io/vgpu-node", "hami.io/bind-phase"})
    void onlyTheProgramsSayInItsAnnotationsWhichCardAPodHas(String key) throws Exception {
        Map<String, Object> written = annotated(PLAIN, Map.of(key, "1"));
        assertThat(refusals(hami, "pods", written)).singleElement().asString().contains("only GPU Share", key);
        assertThat(refusals(without, "pods", written)).isEmpty();
        assertThat(hami.refusals(new Request(EXTENDER, "CREATE", "pods/binding", binding(key), null, Map.of())))
                .isEmpty();
        assertThat(hami.refusals(
                        new Request(PLUGIN, "UPDATE", "pods/status", on("n1", written), on("n1", PLAIN), Map.of())))
                .isEmpty();
    }

    @Test
    void onlyThePluginSaysInItsAnnotationWhichCardsANodeHas() throws Exception {
        Map<String, Object> node = yaml("metadata: {name: n1}");
        Map<String, Object> registered = annotated(node, Map.of("hami.io/node-nvidia-register", "[]"));
        assertThat(refusals(hami, "nodes", registered))
                .singleElement()
                .asString()
                .contains("node-nvidia-register");
        assertThat(refusals(without, "nodes", registered)).isEmpty();
        assertThat(hami.refusals(new Request(PLUGIN, "UPDATE", "nodes/status", registered, node, Map.of())))
                .isEmpty();
    }

    private static List<String> refusals(AdmissionPolicies policies, String resource, Map<String, Object> object)
            throws Exception {
        return policies.refusals(new Request(USER, "CREATE", resource, object, null, Map.of()));
    }
}
