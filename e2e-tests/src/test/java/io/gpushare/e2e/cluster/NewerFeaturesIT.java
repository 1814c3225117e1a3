package io.gpushare.e2e.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpushare.e2e.chart.Chart;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Features of pods that newer versions of Kubernetes have, in pods with cards. Resources of whole pods are not here:
 * the kubelet (1.36.2) panics on them in doPodResizeAction where it manages no cgroups of pods, as in the local
 * cluster. Nor is resizing in place, which takes the same way.
 */
@Tag("release")
class NewerFeaturesIT extends ClusterScenario {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String SEE = "echo card: $NVIDIA_VISIBLE_DEVICES";

    @Test
    void aSidecarAndAnInitContainerSeeTheCardOfThePod() throws IOException {
        needs("sidecars");
        cluster.kubectl().apply(container("""
            apiVersion: v1
            kind: Pod
            metadata: {name: sidecar, namespace: default}
            spec:
              terminationGracePeriodSeconds: 1
              initContainers:
                - name: proxy
                  restartPolicy: Always
            CONTAINER
                  resources: {limits: {aliyun.com/gpu-mem: 2}}
                - name: warm
                  image: IMAGE
                  imagePullPolicy: IfNotPresent
                  command: [sh, -c, 'SEE']
                  resources: {limits: {aliyun.com/gpu-mem: 9}}
              containers:
                - name: main
            CONTAINER
                  resources: {limits: {aliyun.com/gpu-mem: 3}}
            """));
        pods.running("sidecar");
        String card = cardOf("sidecar", "main");
        assertThat(pods.sees("sidecar", "main")).isEqualTo(card);
        assertThat(pods.sees("sidecar", "proxy")).isEqualTo(card);
        assertThat(pods.sees("sidecar", "warm")).isEqualTo(card);

        // The pod holds 11 units, what the init container needed beside the sidecar. kube-scheduler counts the same.
        pods.createMemory("other", 15);
        pods.running("other");
        assertThat(pods.sees("other", "main")).isNotEqualTo(card);
        pods.createMemory("four", 4);
        pods.running("four");
        assertThat(pods.sees("four", "main")).isEqualTo(card);
        pods.createMemory("one", 1);
        pods.refused("one", "Insufficient");
    }

    @Test
    void requestsOfZeroAreRemovedWhereTheValuesSaySo() throws IOException {
        needs("mutating-policies");
        cluster.kubectl()
                .apply(Objects.requireNonNull(Chart.templates("admission: {dropZeros: true, programs: false}", "1.36.3")
                        .get("admission.yaml")));
        try {
            JsonNode limits = Await.until(
                    PATIENCE,
                    "the policy is in force",
                    () -> {
                        cluster.kubectl()
                                .apply(pods.manifest("zero", Map.of("main", "aliyun.com/gpu-mem: 0, cpu: 10m")));
                        JsonNode made = pods.pod("zero").at("/spec/containers/0/resources");
                        pods.delete("zero");
                        return made;
                    },
                    made -> !made.path("limits").has("aliyun.com/gpu-mem"));
            assertThat(limits.path("requests").has("aliyun.com/gpu-mem")).isFalse();
            assertThat(limits.at("/limits/cpu").asText()).isEqualTo("10m");
        } finally {
            cluster.kubectl()
                    .run("delete", "mutatingadmissionpolicy,mutatingadmissionpolicybinding", "gpushare-drop-zeros");
        }
    }

    /** The manifest with the image and the command of the other scenarios. */
    private static String container(String yaml) {
        return yaml.replace("CONTAINER", """
                  image: IMAGE
                  imagePullPolicy: IfNotPresent
                  command: [sh, -c, 'SEE; exec sleep 100000']\
            """)
                .replace("IMAGE", cluster.workloadImage())
                .replace("SEE", SEE);
    }
}
