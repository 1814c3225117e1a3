package io.gpushare.e2e.cluster.claims;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpushare.e2e.cluster.Await;
import io.gpushare.e2e.cluster.Cluster;
import io.gpushare.e2e.cluster.ClusterScenario;
import io.gpushare.e2e.cluster.Pods;
import io.gpushare.e2e.cluster.SharedCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Cards by claims on a real cluster of one node with two T4: the extender is not installed. */
@Tag("cluster")
@ExtendWith(SharedCluster.Extension.class)
abstract class ClaimsScenario {
    static final String DRIVER = ClaimsNode.DRIVER;
    /** The tag of a scenario that needs whole cards by claims only. */
    static final String WITHOUT_SHARES = "without-shares";

    private static final String ENABLED = "dra: {enabled: true}\n";
    /** The kubelet repeats a refused call after at most 90 s or so. */
    static final Duration PATIENCE = Duration.ofMinutes(4);

    static SharedCluster shared;
    static Cluster cluster;
    static Pods pods;
    static ClaimsNode node;

    @BeforeAll
    static void serveClaims(SharedCluster sharedCluster, @TempDir Path folder, TestInfo test) throws IOException {
        shared = sharedCluster;
        cluster = shared.cluster();
        pods = shared.pods();
        ClusterScenario.needs(cluster, test.getTags().contains(WITHOUT_SHARES) ? "card-claims" : "claims");
        node = new ClaimsNode(
                shared,
                folder,
                "memoryUnit: GiB",
                ENABLED + "isolation: {provider: none}",
                List.of("device-plugin.yaml", "dra.yaml"),
                SharedCluster.twoT4());
        for (int units : new int[] {3, 6}) {
            template(
                    "share-" + units,
                    "exactly: {deviceClassName: gpushare, capacity: {requests: {memory: " + units + "Gi}}}");
        }
        template("card", "exactly: {deviceClassName: gpushare-card}");
    }

    /** Installs the driver again, with that isolation. */
    static void install(String isolation, String arguments) {
        install("isolation: {provider: " + isolation + "}", arguments, List.of("device-plugin.yaml", "dra.yaml"));
    }

    static void install(String values, String arguments, List<String> templates) {
        node.apply(ENABLED + values, arguments, templates);
    }

    @AfterAll
    static void end() {
        if (node != null) {
            node.end();
        }
    }

    /** Nothing is left of a claim, whatever became of it. */
    @AfterEach
    void nothingIsLeft() {
        pods.deleteEverything();
        cluster.kubectl().run("-n", "default", "delete", "resourceclaims", "--all", "--wait=true");
        Await.until(PATIENCE, "no file of a claim is left", ClaimsScenario::files, List::isEmpty);
    }

    /** The cards in the node's slice that take claims, in small letters. */
    static Set<String> offered() {
        return slices().valueStream()
                .flatMap(slice -> slice.at("/spec/devices").valueStream())
                .filter(device -> !device.has("taints"))
                .map(device -> device.path("name").asText())
                .collect(Collectors.toSet());
    }

    static JsonNode slices() {
        return cluster.kubectl().json("get", "resourceslices").path("items");
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

    /** Short pods with 6 units each. A rejected one would count as failed, and end the Job. */
    static void job(String name, int completions, int parallelism) {
        cluster.kubectl().apply("""
            apiVersion: batch/v1
            kind: Job
            metadata: {name: %s, namespace: default}
            spec:
              completions: %d
              parallelism: %d
              backoffLimit: 0
              template:
                spec:
                  restartPolicy: Never
                  terminationGracePeriodSeconds: 1
                  resourceClaims: [{name: gpu, resourceClaimTemplateName: share-6}]
                  containers:
                    - name: main
                      image: %s
                      imagePullPolicy: IfNotPresent
                      command: [sh, -c, 'case $NVIDIA_VISIBLE_DEVICES in GPU-*) sleep 1;; *) exit 1;; esac']
                      resources: {claims: [{name: gpu}]}
            """.formatted(name, completions, parallelism, cluster.workloadImage()));
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
