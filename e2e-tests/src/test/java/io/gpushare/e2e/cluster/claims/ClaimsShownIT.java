package io.gpushare.e2e.cluster.claims;

import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.e2e.chart.Chart;
import io.gpushare.e2e.cluster.Await;
import io.gpushare.e2e.cluster.Cluster;
import io.gpushare.e2e.cluster.ClusterScenario;
import io.gpushare.e2e.cluster.Installation;
import io.gpushare.e2e.cluster.Pods;
import io.gpushare.e2e.cluster.SharedCluster;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * What pods have by claims, as the extender shows it: it reads, and kube-scheduler, which does not know it, decides.
 */
@Tag("cluster")
@ExtendWith(SharedCluster.Extension.class)
class ClaimsShownIT {
    private static final String DRIVER = "daemonset/gpu-share-claims";
    private static final String SERVE = "gpushare.io/serve";
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final String VIEW =
            "/api/v1/namespaces/kube-system/services/gpushare-schd-extender:http/proxy/gpushare-scheduler/v1/";

    private static SharedCluster shared;
    private static Cluster cluster;
    private static Pods pods;

    @BeforeAll
    static void serveClaims(SharedCluster sharedCluster) throws IOException {
        shared = sharedCluster;
        cluster = shared.cluster();
        pods = shared.pods();
        ClusterScenario.needs(cluster, "claims");
        shared.installation().loadImages();
        shared.withoutPrograms();
        cluster.kubectl().run("label", "nodes", "--all", "--overwrite", "gpushare=true", SERVE + "=dra");
        Map<String, String> rendered = Chart.templates("""
            compatibility: {gpushare: true}
            dra: {enabled: true}
            devicePlugin:
              extraArgs: [--nvml-library=/simulated/libnvidia-ml.so.1]
              extraEnv: [{name: GPUSHARE_SIMULATED_CARDS, value: /simulated/cards-$(NODE_NAME)}]
              extraVolumes: [{name: simulated, hostPath: {path: %s, type: Directory}}]
              extraVolumeMounts: [{name: simulated, mountPath: /simulated, readOnly: true}]
            """.formatted(cluster.sharedFolder()), "1.36.2");
        for (String file : List.of("device-plugin.yaml", "dra.yaml", "scheduler-extender.yaml")) {
            cluster.kubectl().apply(Objects.requireNonNull(rendered.get(file)));
        }
        shared.installation().useDriver(Map.of(cluster.node(), List.of(SharedCluster.twoT4())));
        shared.installation().ready(DRIVER);
        shared.installation().ready(Installation.EXTENDER);
        template("share", "exactly: {deviceClassName: gpushare, capacity: {requests: {memory: 3Gi}}}");
        template("most", "exactly: {deviceClassName: gpushare, capacity: {requests: {memory: 13Gi}}}");
        template("card", "exactly: {deviceClassName: gpushare-card}");
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
                            Installation.EXTENDER,
                            "clusterrole/gpu-share-claims",
                            "clusterrolebinding/gpu-share-claims");
            shared.reinstallNext();
        }
    }

    @AfterEach
    void nothingIsLeft() {
        pods.deleteEverything();
        cluster.kubectl().run("-n", "default", "delete", "resourceclaims", "--all", "--wait=true");
        shows("top-pods", "No pods");
    }

    @Test
    void aShareAndAWholeCardAreShownAndWhyAnotherPodWaits() {
        create("share", "share");
        pods.running("share");
        create("whole", "card");
        pods.running("whole");
        String table = shows("top-pods", " whole ").replaceAll(" +", " ");
        assertThat(table).contains("default share " + cluster.node() + " 0 3 GiB", "default whole " + cluster.node());
        assertThat(shows("nodes", "18/30 GiB")).contains("* taken whole").doesNotContain("no cards to offer");
        assertThat(get("nodes?names=" + cluster.node()))
                .contains("\"name\":\"share\",\"units\":3", "\"name\":\"whole\",\"units\":15,\"whole\":true");
        assertThat(get("cluster")).contains("\"shares\":[0,3]", "\"shares\":[0,15]");
        assertThat(get("text/why?namespace=default&pod=share"))
                .startsWith("Pod default/share is on node " + cluster.node() + ", card GPU-");

        create("waits", "most");
        pods.refused("waits", "cannot allocate all claims");
        assertThat(shows("why?namespace=default&pod=waits", "at most 12 GiB of 15 GiB free on one card, 13 GiB needed"))
                .startsWith("Pod default/waits requests 13 units of memory on one card.")
                .contains("It fits on node " + cluster.node() + ", card ");
        metric("gpushare_extender_waiting_pods{why=\"full\"} 1.0");
        metric("gpushare_cluster_cards{model=\"Tesla T4\",state=\"shared\"} 1.0");
        metric("gpushare_cluster_cards{model=\"Tesla T4\",state=\"whole\"} 1.0");
        Await.until(
                PATIENCE,
                "the pod is told what helps",
                () -> ClusterScenario.events(cluster, "waits"),
                events -> events.contains("GpuPodWaits") && events.contains("It fits on node "));

        pods.delete("share");
        pods.running("waits");
        assertThat(shows("top-pods", " waits ")).doesNotContain(" share ");
    }

    @Test
    void anOrdinaryPodIsToldToWriteAClaim() {
        pods.createMemory("ordinary", 2);
        assertThat(shows("why?namespace=default&pod=ordinary", "Node " + cluster.node()))
                .contains("serves claims (deploy/CLAIMS.md): write a ResourceClaim");
    }

    private static String get(String path) {
        return cluster.kubectl().run("get", "--raw", VIEW + path);
    }

    private static String shows(String path, String words) {
        return Await.until(PATIENCE, path + " shows " + words, () -> get("text/" + path), now -> now.contains(words));
    }

    private static void metric(String line) {
        Await.until(
                PATIENCE,
                line,
                () -> cluster.kubectl().run("get", "--raw", VIEW.replace("gpushare-scheduler/v1/", "metrics")),
                metrics -> metrics.lines().anyMatch(line::equals));
    }

    private static void template(String name, String request) {
        cluster.kubectl().apply("""
            apiVersion: resource.k8s.io/v1
            kind: ResourceClaimTemplate
            metadata: {name: %s, namespace: default}
            spec: {spec: {devices: {requests: [{name: gpu, %s}]}}}
            """.formatted(name, request));
    }

    private static void create(String name, String template) {
        cluster.kubectl().apply("""
            apiVersion: v1
            kind: Pod
            metadata: {name: %s, namespace: default}
            spec:
              terminationGracePeriodSeconds: 1
              resourceClaims: [{name: gpu, resourceClaimTemplateName: %s}]
              containers:
                - name: main
                  image: %s
                  imagePullPolicy: IfNotPresent
                  command: [sleep, "100000"]
                  resources: {claims: [{name: gpu}]}
            """.formatted(name, template, cluster.workloadImage()));
    }
}
