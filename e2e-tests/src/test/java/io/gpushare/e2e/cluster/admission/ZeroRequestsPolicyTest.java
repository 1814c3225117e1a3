package io.gpushare.e2e.cluster.admission;

import static io.gpushare.e2e.cluster.admission.AdmissionPolicyTest.USER;
import static io.gpushare.e2e.cluster.admission.AdmissionPolicyTest.pod;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.e2e.chart.Chart;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Requests of 0: a kubelet refuses a pod that has one where it has no healthy device of the resource. */
class ZeroRequestsPolicyTest {
    private static final String VALUES = """
        admission: {dropZeros: true, programs: false}
        hami: {enabled: true}
        mig: {profiles: [3g.40gb]}
        resources: {core: aliyun.com/gpu-core.percentage}
        """;

    @Test
    void eachNameThatIsOfferedLosesItsZeros() throws Exception {
        assertThat(zeros("""
            initContainers: [{name: i, resources: {limits: {nvidia.com/gpu: '0'}, requests: {nvidia.com/gpu: '0'}}}]
              containers:
              - {name: a, resources: {limits: {aliyun.com/gpu-mem: '0', aliyun.com/gpu-count: '1', cpu: '0'},
                                      requests: {aliyun.com/gpu-mem: '0', aliyun.com/gpu-count: '1'}}}
              - {name: b, resources: {limits: {nvidia.com/mig-3g.40gb: '0m', aliyun.com/gpu-core.percentage: '0', nvidia.com/gpumem: '5'}}}
              - {name: c}\
            """))
                .containsExactlyInAnyOrder(
                        "/spec/initContainers/0/resources/limits/nvidia.com~1gpu",
                        "/spec/initContainers/0/resources/requests/nvidia.com~1gpu",
                        "/spec/containers/0/resources/limits/aliyun.com~1gpu-mem",
                        "/spec/containers/0/resources/requests/aliyun.com~1gpu-mem",
                        "/spec/containers/1/resources/limits/nvidia.com~1mig-3g.40gb",
                        "/spec/containers/1/resources/limits/aliyun.com~1gpu-core.percentage");
        assertThat(zeros("containers: [{name: a, resources: {limits: {aliyun.com/gpu-mem: '2'}}}]"))
                .isEmpty();
    }

    @Test
    void nobodyHasThePolicyWhoDidNotAskForIt() {
        assertThat(Chart.templates("{}", "1.36.3").values()).noneMatch(text -> text.contains("gpushare-drop-zeros"));
    }

    private static List<String> zeros(String spec) throws Exception {
        AdmissionPolicies policies = new AdmissionPolicies(
                Objects.requireNonNull(Chart.templates(VALUES, "1.36.3").get("admission.yaml")));
        Object zeros = policies.mutation(
                        new AdmissionPolicies.Request(USER, "CREATE", "pods", pod(spec), null, Map.of()))
                .get("zeros");
        return ((List<?>) Objects.requireNonNull(zeros))
                .stream().map(String::valueOf).toList();
    }
}
