package io.gpushare.e2e.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Pods whose volumes are provisioned on the node that kube-scheduler chose, which takes 20 s: they keep their cards
 * meanwhile. The provisioner is the test's own.
 */
@Tag("release")
class VolumeIT extends ClusterScenario {
    private static final Duration PROVISIONING = Duration.ofSeconds(20);
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final String SELECTED = "/metadata/annotations/volume.kubernetes.io~1selected-node";
    private static final String EXPLAIN = "/api/v1/namespaces/kube-system/services/gpushare-schd-extender:http/proxy"
            + "/gpushare-scheduler/v1/explain?namespace=default&pod=";

    private static ScheduledExecutorService provisioner;

    @BeforeAll
    static void storageClass() {
        provisioner = Executors.newSingleThreadScheduledExecutor();
        cluster.kubectl().apply("""
            apiVersion: storage.k8s.io/v1
            kind: StorageClass
            metadata: {name: slow}
            provisioner: gpushare.io/slow
            volumeBindingMode: WaitForFirstConsumer
            """);
    }

    @AfterAll
    static void stop() {
        provisioner.shutdownNow();
        cluster.kubectl().run("delete", "--ignore-not-found", "storageclass", "slow");
    }

    @AfterEach
    void deleteVolumes() {
        pods.deleteEverything();
        cluster.kubectl().run("-n", "default", "delete", "persistentvolumeclaims", "--all", "--wait=false");
        cluster.kubectl().run("delete", "persistentvolumes", "--all", "--wait=false");
    }

    @Test
    void podsThatWaitForTheirVolumesKeepTheirCards() throws Exception {
        withVolume("first");
        withVolume("second");
        Await.until(
                SOON,
                "both volumes are wanted on the node",
                () -> selected("first") + selected("second"),
                node -> node.equals(cluster.node().repeat(2)));

        pods.createMemory("late", 8);

        pods.refused("late", "Insufficient GPU Memory in one device");
        assertThat(why("late")).contains("is reserved for pod default/").contains("its volumes are being prepared");
        assertThat(pods.pod("first").at("/spec/nodeName").asText()).isEmpty();
        List<Future<?>> provisioned = List.of(
                provisioner.schedule(() -> provision("first"), PROVISIONING.toSeconds(), TimeUnit.SECONDS),
                provisioner.schedule(() -> provision("second"), PROVISIONING.toSeconds(), TimeUnit.SECONDS));
        for (Future<?> each : provisioned) {
            each.get();
        }
        JsonNode first = pods.running("first");
        JsonNode second = pods.running("second");
        assertThat(cardOf(first, "main")).isNotEqualTo(cardOf(second, "main"));
        assertThat(pods.pod("late").at("/spec/nodeName").asText()).isEmpty();
        pods.delete("first");
        pods.running("late");
    }

    private static String why(String pod) {
        return cluster.kubectl().run("get", "--raw", EXPLAIN + pod);
    }

    private static String selected(String claim) {
        return cluster.kubectl()
                .json("-n", "default", "get", "persistentvolumeclaim", claim)
                .at(SELECTED)
                .asText();
    }

    private static void withVolume(String name) {
        cluster.kubectl().apply("""
            apiVersion: v1
            kind: PersistentVolumeClaim
            metadata: {name: %s, namespace: default}
            spec: {storageClassName: slow, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Mi}}}
            """.formatted(name));
        cluster.kubectl().apply(pods.manifest(name, Map.of("main", MEMORY + ": 8")) + """
              volumes: [{name: data, persistentVolumeClaim: {claimName: %s}}]
            """.formatted(name));
    }

    /** Makes the volume on the node that kube-scheduler chose, for that claim. */
    private static void provision(String name) {
        String uid = cluster.kubectl()
                .json("-n", "default", "get", "persistentvolumeclaim", name)
                .at("/metadata/uid")
                .asText();
        cluster.kubectl().apply("""
            apiVersion: v1
            kind: PersistentVolume
            metadata: {name: %1$s, annotations: {pv.kubernetes.io/provisioned-by: gpushare.io/slow}}
            spec:
              capacity: {storage: 1Mi}
              accessModes: [ReadWriteOnce]
              storageClassName: slow
              persistentVolumeReclaimPolicy: Retain
              claimRef: {apiVersion: v1, kind: PersistentVolumeClaim, namespace: default, name: %1$s, uid: %2$s}
              hostPath: {path: /tmp}
              nodeAffinity:
                required:
                  nodeSelectorTerms:
                    - matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [%3$s]}]
            """.formatted(name, uid, cluster.node()));
    }
}
