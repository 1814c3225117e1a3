package io.gpushare.e2e.cluster.claims;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpushare.e2e.chart.Chart;
import io.gpushare.e2e.cluster.Await;
import io.gpushare.e2e.cluster.Cluster;
import io.gpushare.e2e.cluster.ClusterScenario;
import io.gpushare.e2e.cluster.Installation;
import io.gpushare.e2e.cluster.Pods;
import io.gpushare.e2e.cluster.SharedCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Cards by claims on a real cluster of one node with two T4: the extender is not installed. */
@Tag("cluster")
@ExtendWith(SharedCluster.Extension.class)
abstract class ClaimsScenario {
    static final String DRIVER = "daemonset/gpu-share-claims";
    static final String SERVE = "gpushare.io/serve";
    /** The kubelet repeats a refused call after at most 90 s or so. */
    static final Duration PATIENCE = Duration.ofMinutes(4);

    static SharedCluster shared;
    static Cluster cluster;
    static Pods pods;

    @BeforeAll
    static void serveClaims(SharedCluster sharedCluster, @TempDir Path folder) throws IOException {
        shared = sharedCluster;
        cluster = shared.cluster();
        pods = shared.pods();
        ClusterScenario.needs(cluster, "claims");
        shared.installation().loadImages();
        shared.withoutPrograms();
        cluster.configureScheduler(ClaimsNode.plainScheduler(folder));
        cluster.kubectl().run("label", "nodes", "--all", "--overwrite", "gpushare=true", SERVE + "=dra");
        install("none", "");
        shared.installation().useDriver(Map.of(cluster.node(), List.of(SharedCluster.twoT4())));
        shared.installation().ready(DRIVER);
        for (int units : new int[] {3, 6}) {
            template(
                    "share-" + units,
                    "exactly: {deviceClassName: gpushare, capacity: {requests: {memory: " + units + "Gi}}}");
        }
        template("card", "exactly: {deviceClassName: gpushare-card}");
    }

    static void install(String isolation, String arguments) {
        Map<String, String> rendered =
                Chart.templates("""
                    compatibility: {gpushare: true}
                    dra: {enabled: true}
                    isolation: {provider: %s}
                    devicePlugin:
                      extraArgs: [--nvml-library=/simulated/libnvidia-ml.so.1%s]
                      extraEnv: [{name: GPUSHARE_SIMULATED_CARDS, value: /simulated/cards-$(NODE_NAME)}]
                      extraVolumes: [{name: simulated, hostPath: {path: %s, type: Directory}}]
                      extraVolumeMounts: [{name: simulated, mountPath: /simulated}]
                    """.formatted(isolation, arguments, cluster.sharedFolder()), "1.36.2");
        for (String file : List.of("device-plugin.yaml", "dra.yaml")) {
            cluster.kubectl().apply(Objects.requireNonNull(rendered.get(file)));
        }
    }

    @AfterAll
    static void end() {
        if (pods != null) {
            pods.deleteEverything();
            cluster.kubectl().run("label", "node", cluster.node(), SERVE + "-");
            cluster.kubectl()
                    .run(
                            "delete",
                            "--ignore-not-found",
                            "-n",
                            Installation.NAMESPACE,
                            DRIVER,
                            "clusterrole/gpu-share-claims",
                            "clusterrolebinding/gpu-share-claims");
            shared.reinstallNext();
        }
    }

    /** Nothing is left of a claim, whatever became of it. */
    @AfterEach
    void nothingIsLeft() {
        pods.deleteEverything();
        cluster.kubectl().run("-n", "default", "delete", "resourceclaims", "--all", "--wait=true");
        Await.until(PATIENCE, "no file of a claim is left", ClaimsScenario::files, List::isEmpty);
    }

    static List<String> files() {
        return cluster.onNode("sh", "-c", "ls -a /var/run/cdi")
                .lines()
                .filter(file -> file.contains("gpushare"))
                .toList();
    }

    static void undisturbed(JsonNode before) {
        JsonNode now = pods.pod(before.at("/metadata/name").asText());
        assertThat(now.at("/metadata/uid")).isEqualTo(before.at("/metadata/uid"));
        assertThat(Pods.ready(now)).isTrue();
        assertThat(now.at("/status/containerStatuses/0/restartCount").intValue())
                .isZero();
    }

    static String sees(String pod) {
        pods.running(pod);
        return pods.sees(pod, "main");
    }

    static void template(String name, String request) {
        cluster.kubectl().apply("""
            apiVersion: resource.k8s.io/v1
            kind: ResourceClaimTemplate
            metadata: {name: %s, namespace: default}
            spec: {spec: {devices: {requests: [{name: gpu, %s}]}}}
            """.formatted(name, request));
    }

    static void create(String name, String template) {
        cluster.kubectl().apply(pod(name, "resourceClaimTemplateName: " + template));
    }

    static String pod(String name, String claim) {
        return """
            apiVersion: v1
            kind: Pod
            metadata: {name: %s, namespace: default}
            spec:
              terminationGracePeriodSeconds: 1
              resourceClaims: [{name: gpu, %s}]
              containers:
                - name: main
                  image: %s
                  imagePullPolicy: IfNotPresent
                  command: [sh, -c, "echo card: $NVIDIA_VISIBLE_DEVICES memory $GPUSHARE_MEMORY_MIB\
             fraction $GPUSHARE_MEMORY_FRACTION; exec sleep 100000"]
                  resources: {claims: [{name: gpu}]}
            """.formatted(name, claim, cluster.workloadImage());
    }
}
