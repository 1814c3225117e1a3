package io.gpushare.e2e.chaos.check;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AdmissionReasonsTest {
    @Test
    void aKubeletWithoutThePluginIsATrueReason() {
        assertThat(AdmissionReasons.of(
                        "UnexpectedAdmissionError: Pod Allocate failed due to no healthy devices present; cannot"
                                + " allocate unhealthy devices aliyun.com/gpu-mem, which is unexpected"))
                .contains("the plugin was not registered with the kubelet");
    }

    @Test
    void anEndedPodThatStillComputesIsOne() {
        assertThat(AdmissionReasons.of(
                        "UnexpectedAdmissionError: Pod Allocate failed due to rpc error: code = FailedPrecondition"
                                + " desc = pod default/a, container 'c0': of its cards [GPU-1] one is in use by ended"
                                + " pod default/b: recreate the pod, which is unexpected"))
                .contains("an ended pod still computed on its card");
    }

    /** Seen on 1.36.3, when containerd was killed and started while pods completed. */
    @Test
    void howAContainerEndedWhileItsRuntimeWasAwayIsUnknown() {
        assertThat(
                        AdmissionReasons.of(
                                ": {\"terminated\":{\"exitCode\":0,\"reason\":\"Completed\"}}"
                                    + " {\"terminated\":{\"exitCode\":255,\"reason\":\"Unknown\",\"startedAt\":\"2026-11-30T00:37:59Z\"}}"))
                .contains("the runtime was restarted while a container ended");
        assertThat(AdmissionReasons.of(": {\"terminated\":{\"exitCode\":137,\"reason\":\"Error\"}}"))
                .isEmpty();
    }

    @Test
    void aRefusalThatNobodyNeededIsNone() {
        assertThat(AdmissionReasons.of(
                        "UnexpectedAdmissionError: Pod Allocate failed due to rpc error: code = FailedPrecondition"
                                + " desc = pod default/a, container 'c0': the cards chosen for it (GPU-1) are in use by"
                                + " other pods: create the pod anew, which is unexpected"))
                .isEmpty();
        assertThat(AdmissionReasons.of("UnexpectedAdmissionError: Pod Allocate failed due to rpc error: code ="
                        + " FailedPrecondition desc = no pod that the API server has on this node waits"
                        + " for 3 units of GPU memory"))
                .isEmpty();
        assertThat(AdmissionReasons.of("")).isEmpty();
    }
}
