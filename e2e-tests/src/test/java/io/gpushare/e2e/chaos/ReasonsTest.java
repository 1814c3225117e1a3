package io.gpushare.e2e.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ReasonsTest {
    @Test
    void aKubeletWithoutThePluginIsATrueReason() {
        assertThat(Reasons.of("UnexpectedAdmissionError: Pod Allocate failed due to no healthy devices present; cannot"
                        + " allocate unhealthy devices aliyun.com/gpu-mem, which is unexpected"))
                .contains("the plugin was not registered with the kubelet");
    }

    @Test
    void aRefusalThatNobodyNeededIsNone() {
        assertThat(Reasons.of(
                        "UnexpectedAdmissionError: Pod Allocate failed due to rpc error: code = FailedPrecondition"
                                + " desc = pod default/a, container 'c0': the cards chosen for it (GPU-1) are in use by"
                                + " other pods: create the pod anew, which is unexpected"))
                .isEmpty();
        assertThat(Reasons.of("UnexpectedAdmissionError: Pod Allocate failed due to rpc error: code ="
                        + " FailedPrecondition desc = no pod that the API server has on this node waits"
                        + " for 3 units of GPU memory"))
                .isEmpty();
        assertThat(Reasons.of("")).isEmpty();
    }
}
