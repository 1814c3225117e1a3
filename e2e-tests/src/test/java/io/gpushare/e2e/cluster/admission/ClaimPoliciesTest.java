package io.gpushare.e2e.cluster.admission;

import static io.gpushare.e2e.cluster.admission.AdmissionPolicyTest.PLUGIN;
import static io.gpushare.e2e.cluster.admission.AdmissionPolicyTest.USER;
import static io.gpushare.e2e.cluster.admission.AdmissionPolicyTest.pod;
import static io.gpushare.e2e.cluster.admission.AdmissionPolicyTest.visible;
import static io.gpushare.e2e.cluster.admission.AdmissionPolicyTest.yaml;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.e2e.chart.Chart;
import io.gpushare.e2e.cluster.admission.AdmissionPolicies.Request;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the chart's policies deny in a cluster whose nodes serve claims. */
class ClaimPoliciesTest {
    private static final String VALUES = "dra: {enabled: true, nvidiaGpu: true}\nmig: {profiles: [1g.5gb]}\n"
            + "admission: {pods: true, refuseEnvFrom: true}";

    private static AdmissionPolicies claims;
    private static AdmissionPolicies pods;

    @BeforeAll
    static void render() {
        Map<String, String> chart = Chart.templates(VALUES, "1.36.3");
        claims = new AdmissionPolicies(Objects.requireNonNull(chart.get("dra.yaml")));
        pods = new AdmissionPolicies(Objects.requireNonNull(chart.get("admission.yaml")));
    }

    private static List<String> create(String resource, String text) throws Exception {
        return claims.refusals(new Request(USER, "CREATE", resource, yaml(text), null, Map.of()));
    }

    /** A claim and a template of two requests, of which the second has that capacity. */
    private static List<String> amount(String request) throws Exception {
        String spec = "{devices: {requests: [{name: a, exactly: {deviceClassName: gpushare}}, " + request + "]}}";
        List<String> refusals = create("resourceclaims", "metadata: {name: c}\nspec: " + spec);
        assertThat(create("resourceclaimtemplates", "metadata: {name: t}\nspec: {spec: " + spec + "}"))
                .isEqualTo(refusals);
        return refusals;
    }

    /** kube-scheduler 1.36.2 rounded 8Ei up to -9223372036854775808: then any amount fitted on the card. */
    @ParameterizedTest
    @ValueSource(
            strings = {"8Ei", "1e19", "18446744074783293440", "9223372036854775807", "2Pi", "1125899906842625", "-1"})
    void anAmountBeyondAnyCardIsRefused(String amount) throws Exception {
        for (String capacity : List.of("memory", "cores", "slots")) {
            String asked = "{deviceClassName: any, capacity: {requests: {x: 1, " + capacity + ": '" + amount + "'}}}";
            assertThat(amount("{name: b, exactly: " + asked + "}"))
                    .singleElement()
                    .asString()
                    .contains("more than any card has");
            assertThat(amount("{name: b, firstAvailable: [{name: c, deviceClassName: any}, " + asked + "]}"))
                    .singleElement()
                    .asString()
                    .contains("more than any card has");
        }
    }

    @Test
    void otherAmountsAreTheSchedulersMatter() throws Exception {
        for (String memory : List.of("0", "3Gi", "1500M", "1Pi")) {
            assertThat(amount("{name: b, exactly: {capacity: {requests: {memory: '" + memory + "', cores: '30'}}}}"))
                    .isEmpty();
        }
        assertThat(amount("{name: b, exactly: {capacity: {requests: {storage: '8Ei'}}}}"))
                .isEmpty();
        assertThat(amount("{name: b, exactly: {capacity: {}}}")).isEmpty();
        assertThat(create("resourceclaims", "metadata: {name: c}\nspec: {devices: {}}"))
                .isEmpty();
        assertThat(create("resourceclaimtemplates", "metadata: {name: c}\nspec: {spec: {}}"))
                .isEmpty();
    }

    private static List<String> slice(String operation, String node, String pool, int count) throws Exception {
        Map<String, Object> slice = yaml("""
            metadata: {name: n1-gpushare.io-00}
            spec: {driver: gpushare.io, nodeName: %s, pool: {name: %s, generation: 1, resourceSliceCount: %d}}
            """.formatted(node, pool, count));
        return claims.refusals(new Request(
                PLUGIN, operation, "resourceslices", slice, operation.equals("CREATE") ? null : slice, Map.of()));
    }

    /** The token of one node closed another node's card by a slice in its pool, and a claim on that. */
    @Test
    void aSliceIsInThePoolOfItsOwnNode() throws Exception {
        assertThat(slice("CREATE", "n1", "n1", 1)).isEmpty();
        assertThat(slice("UPDATE", "n1", "n1", 4)).isEmpty();
        for (String operation : List.of("CREATE", "UPDATE")) {
            assertThat(slice(operation, "n1", "n2", 1))
                    .singleElement()
                    .asString()
                    .contains("the pool of a slice");
            for (int count : List.of(0, 5)) {
                assertThat(slice(operation, "n1", "n1", count))
                        .singleElement()
                        .asString()
                        .contains("the pool of a slice");
            }
        }
        assertThat(slice("DELETE", "n1", "n2", 1)).as("what was there before").isEmpty();
        assertThat(slice("CREATE", "n2", "n2", 1)).hasSize(2);
    }

    private static List<String> ofPod(String spec) throws Exception {
        return pods.refusals(new Request(USER, "CREATE", "pods", pod(spec), null, Map.of()));
    }

    /** A request that the mutating policy has turned into a claim was under no rule any more. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "resourceClaims: [{name: gpushare, resourceClaimTemplateName: gpushare.1x-3072mi}]",
                "resourceClaims: [{name: own, resourceClaimName: shared}]",
                "nodeName: n1\n  initContainers: [{name: i, resources: {limits: {nvidia.com/mig-1g.5gb: 1}}}]",
                "initContainers: [{name: i, resources: {limits: {nvidia.com/gpu: 1}}}]",
                "initContainers: [{name: i, resources: {limits: {deviceclass.resource.kubernetes.io/gpushare: 1}}}]",
                "initContainers: [{name: i, resources: {limits: {aliyun.com/gpu-mem: 1}}}]"
            })
    void theRulesOfVariablesAreThoseOfEachPodThatGetsACard(String request) throws Exception {
        for (String variable : List.of("CUDA_MPS_CLIENT_PRIORITY", "CUDA_DEVICE_MEMORY_LIMIT")) {
            assertThat(ofPod("containers: [{name: a, env: [{name: " + variable + ", value: '1'}]}]\n  " + request))
                    .singleElement()
                    .asString()
                    .contains("CUDA_MPS_* or CUDA_DEVICE_*");
        }
        assertThat(ofPod("containers: [{name: a, envFrom: [{}]}]\n  " + request))
                .singleElement()
                .asString()
                .contains("Name each variable in env");
        assertThat(ofPod("containers: [{name: a, " + visible("value: all") + "}]\n  " + request))
                .singleElement()
                .asString()
                .contains("must not set NVIDIA_VISIBLE_DEVICES");
        assertThat(ofPod("containers: [{name: a, env: [{name: A, value: b}]}]\n  " + request))
                .isEmpty();
    }

    @Test
    void otherPodsMayUseThem() throws Exception {
        String free = "containers: [{name: a, envFrom: [{}], env: [{name: CUDA_MPS_CLIENT_PRIORITY, value: '1'}]}]";
        assertThat(ofPod(free)).isEmpty();
        assertThat(ofPod(free + "\n  resourceClaims: []")).isEmpty();
        AdmissionPolicies without = new AdmissionPolicies(Objects.requireNonNull(
                Chart.templates("admission: {pods: true}", "1.36.3").get("admission.yaml")));
        assertThat(without.refusals(new Request(
                        USER, "CREATE", "pods", pod(free + "\n  resourceClaims: [{name: nic}]"), null, Map.of())))
                .as("a cluster whose nodes serve no claims")
                .isEmpty();
    }
}
