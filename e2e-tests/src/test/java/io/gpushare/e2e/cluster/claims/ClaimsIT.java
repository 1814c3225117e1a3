package io.gpushare.e2e.cluster.claims;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.gpushare.e2e.cluster.Await;
import io.gpushare.e2e.cluster.ClusterScenario;
import io.gpushare.e2e.cluster.Installation;
import io.gpushare.e2e.cluster.Pods;
import io.gpushare.e2e.cluster.SharedCluster;
import io.gpushare.e2e.cluster.SimulatedMps;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** Cards by claims, placed by kube-scheduler alone. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ClaimsIT extends ClaimsScenario {
    private static SimulatedMps mps;

    @BeforeAll
    static void mps() {
        mps = new SimulatedMps(cluster, SharedCluster.ROOT);
    }

    @AfterAll
    static void removeSupervisor() {
        if (mps != null) {
            mps.removeSupervisor();
        }
    }

    @Test
    void podsShareACardAnotherTakesOneWholeAndTheNextOneWaits() {
        create("a", "share-3");
        String card = sees("a").split(" ", -1)[0];
        create("b", "share-6");
        create("whole", "card");
        assertThat(sees("a")).isEqualTo(card + " memory 3072 fraction " + fraction(3));
        assertThat(sees("b")).isEqualTo(card + " memory 6144 fraction " + fraction(6));
        assertThat(sees("whole")).startsWith("GPU-").doesNotContain(card).endsWith(" memory fraction");
        assertThat(files()).hasSize(3);

        create("waits", "card");
        pods.refused("waits", "cannot allocate all claims");
        pods.delete("whole");
        pods.running("waits");
    }

    /** 3 of 15 GiB, less one context of 518 MiB, of what the driver of a T4 leaves of its 15 GiB. */
    private static String fraction(int units) {
        return units == 3 ? "0.1712" : "0.3772";
    }

    @Test
    void aCardThatWasGivenTwiceIsRefusedUntilItsHolderEnds() {
        create("holder", "share-6");
        String card = sees("holder").split(" ", -1)[0];
        // As a scheduler would that counts differently.
        cluster.kubectl().apply("""
            apiVersion: resource.k8s.io/v1
            kind: ResourceClaim
            metadata: {name: forged, namespace: default}
            spec:
              devices:
                requests: [{name: gpu, exactly: {deviceClassName: gpushare, capacity: {requests: {memory: 15Gi}}}}]
            """);
        cluster.kubectl()
                .run(
                        "-n",
                        "default",
                        "patch",
                        "resourceclaim",
                        "forged",
                        "--subresource=status",
                        "--type=merge",
                        "--patch",
                        """
                        {"status": {"allocation": {"allocationTimestamp": "2026-01-01T00:00:00Z", "devices": {"results": [
                          {"request": "gpu", "driver": "gpushare.io", "pool": "%s", "device": "%s",
                           "shareID": "0b9a3b1c-7a35-4c7e-9d4e-2f2d5b8f0a11", "consumedCapacity": {"memory": "15Gi"}}]}}}}
                        """.formatted(cluster.node(), card.toLowerCase(Locale.ROOT)));
        cluster.kubectl().apply(pod("second", "resourceClaimName: forged"));
        Await.until(
                PATIENCE,
                "the second pod is refused",
                () -> ClusterScenario.events(cluster, "second"),
                events -> events.contains(card + " was given twice: it is held by claim default/holder-gpu-"));
        assertThat(files()).hasSize(1);
        assertThat(Pods.ready(pods.pod("second"))).isFalse();

        pods.delete("holder");
        Await.until(PATIENCE, "the second pod runs", () -> pods.pod("second"), Pods::ready);
        assertThat(sees("second")).startsWith(card + " memory fraction");
        Instant refused = Instant.parse(refusal().path("lastTimestamp").asText());
        Instant started = Instant.parse(pods.pod("second")
                .at("/status/containerStatuses/0/state/running/startedAt")
                .asText());
        System.out.println("claims: the kubelet repeated a refused call after " + Duration.between(refused, started));
        assertThat(Duration.between(refused, started)).isLessThan(Duration.ofSeconds(100));
    }

    private static JsonNode refusal() {
        return cluster.kubectl()
                .json("-n", "default", "get", "events", "--field-selector", "involvedObject.name=second")
                .path("items")
                .valueStream()
                .filter(event -> event.path("reason").asText().equals("FailedPrepareDynamicResources"))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aRestartOfTheDriverAndOneOfTheKubeletDisturbNoPodAndLoseNoSlice() {
        create("a", "share-3");
        JsonNode before = pods.running("a");
        cluster.kubectl().run("-n", Installation.NAMESPACE, "rollout", "restart", DRIVER);
        shared.installation().ready(DRIVER);
        create("b", "share-3");
        JsonNode second = pods.running("b");
        assertThat(files()).hasSize(2);

        cluster.restartKubelet();
        create("c", "card");
        pods.running("c");
        undisturbed(before);
        undisturbed(second);
        Await.until(
                PATIENCE,
                "the slice is there again",
                () -> cluster.kubectl().json("get", "resourceslices").path("items"),
                slices -> slices.size() == 1);
        assertThat(files()).hasSize(3);
    }

    /** The last ones replace the pods of the driver. */
    @Test
    @Order(Integer.MAX_VALUE - 1)
    void theDriversLimitOfThePodIsInForceBeforeItsContainerStarts() throws IOException {
        shared.installation().cards("driver version=615.71.09", SharedCluster.twoT4()[0]);
        isolate("driver", ", --cgroup-root=" + cgroups());
        create("limited", "share-3");
        String card = sees("limited").split(" ", -1)[0];
        String uid = pods.pod("limited").at("/metadata/uid").asText();
        String kept = Files.readString(cluster.sharedFolder().resolve("cards-" + cluster.node() + ".kept"));
        System.out.println("e2e: at the first call of the kubelet: " + kept.strip());
        assertThat(kept)
                .contains("limit " + card + " " + (3L << 30))
                .containsAnyOf("pod" + uid, "pod" + uid.replace('-', '_'));
        // The cgroup of the pod is there when the kubelet prepares its claims the first time.
        assertThat(ClusterScenario.events(cluster, "limited")).doesNotContain("FailedPrepareDynamicResources");
    }

    /** The hierarchy of version 2, which some machines have beside others, and in it that of this node's kubelet. */
    private static String cgroups() {
        return cluster.onNode("sh", "-c", """
            config=$(tr '\\0' '\\n' </proc/$(pgrep -xo kubelet)/cmdline | grep -xA1 -e --config | tail -n 1)
            root=$(sed -n 's/^cgroupRoot: //p' "${config:-/dev/null}")
            for d in /sys/fs/cgroup$root /sys/fs/cgroup/unified$root
            do [ -e $d/cgroup.controllers ] && [ -d $d/kubepods ] && echo $d && exit
            done; echo /sys/fs/cgroup\
            """).strip();
    }

    @Test
    @Order(Integer.MAX_VALUE)
    void mpsHoldsAContainerToItsClaim() {
        shared.installation().cards(SharedCluster.twoT4());
        mps.copyPrograms(List.of(cluster.node()));
        mps.installSupervisor();
        isolate("mps", "");
        SimulatedMps.Tenant tenant = mps.tenant();
        cluster.kubectl().apply("""
            {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "tenant", "namespace": "default"},
             "spec": {"hostPID": true, "restartPolicy": "Never", "terminationGracePeriodSeconds": 1,
              "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "share-3"}],
              "containers": [{"name": "main", "image": "%s", "imagePullPolicy": "IfNotPresent",
                "command": ["sh", "-c",
                  "echo $CUDA_MPS_PINNED_DEVICE_MEM_LIMIT $CUDA_MPS_ACTIVE_THREAD_PERCENTAGE; exec %s 3072 1"],
                "env": [%s], "volumeMounts": [%s], "resources": {"claims": [{"name": "gpu"}]}}],
              "volumes": [%s]}}\
            """.formatted(
                        cluster.workloadImage(),
                        SimulatedMps.Tenant.PROGRAM,
                        tenant.environment(),
                        tenant.mounts(),
                        tenant.volumes()));
        pods.running("tenant");
        Await.until(
                PATIENCE,
                "the program fills its share and gets no more",
                () -> cluster.kubectl()
                        .run("-n", "default", "logs", "tenant")
                        .lines()
                        .toList(),
                List.of("0=3072M 21", "ok 3072", "error 2")::equals);
    }

    private static void isolate(String provider, String arguments) {
        install(provider, arguments);
        shared.installation().ready(DRIVER);
        Await.until(
                PATIENCE,
                provider + " is in force",
                () -> cluster.kubectl().json("get", "resourceslices").at("/items/0/spec/devices/0"),
                device -> device.at("/attributes/isolation/string").asText().equals(provider) && !device.has("taints"));
    }
}
