package io.gpushare.e2e.cluster.claims;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.gpushare.e2e.cluster.Await;
import io.gpushare.e2e.cluster.ClusterScenario;
import io.gpushare.e2e.cluster.FailingRuntime;
import io.gpushare.e2e.cluster.Kubectl;
import io.gpushare.e2e.cluster.LocalCluster;
import io.gpushare.e2e.cluster.SharedCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What containers of claims really have, and when they really end: on containerd, whose configuration the tests change.
 */
@Tag("release")
class ContainersOfClaimsIT extends ClaimsScenario {
    private static final String TEAM = "team";

    private Path configuration;
    private @Nullable String before;
    private FailingRuntime runtime;
    private FailingRuntime.@Nullable Grip kept;

    @BeforeEach
    void configuration() throws IOException {
        assumeThat(cluster).isInstanceOf(LocalCluster.class);
        configuration = cluster.kubeletFolder().resolveSibling("config/containerd.toml");
        assumeThat(configuration).exists();
        before = Files.readString(configuration);
        runtime = new FailingRuntime((LocalCluster) cluster);
    }

    @AfterEach
    void restore() throws IOException {
        if (before != null) {
            if (kept != null) {
                kept.release();
            }
            Files.writeString(configuration, before);
            restart();
            shared.installation().cards(SharedCluster.twoT4());
        }
    }

    @Test
    void whereCdiIsOffThePodIsReportedAndNoFurtherClaimIsPreparedUntilItIsOn() {
        runtime.applyClaims(cluster.node(), false);
        restart();
        create("without", "share-3");
        pods.running("without");
        assertThat(pods.sees("without", "main")).doesNotContain("GPU-");
        Await.until(
                PATIENCE,
                "the pod has an Event",
                () -> ClusterScenario.events(cluster, "without"),
                events -> events.contains("GpuClaimNotApplied") && events.contains("enable_cdi"));
        // A user of one namespace alone can't close the node.
        Kubectl kubectl = cluster.kubectl();
        kubectl.run("create", "namespace", TEAM);
        kubectl.apply("""
            apiVersion: resource.k8s.io/v1
            kind: ResourceClaimTemplate
            metadata: {name: share-3, namespace: %s}
            spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpushare,
              capacity: {requests: {memory: 3Gi}}}}]}}}
            """.formatted(TEAM));
        kubectl.apply(pod("without", "resourceClaimTemplateName: share-3").replace(": default", ": " + TEAM));
        Await.until(
                PATIENCE,
                "the node knows of the other tenant's pod",
                () -> kubectl.run("-n", TEAM, "get", "events"),
                events -> events.contains("GpuClaimNotApplied"));
        create("next", "share-3");
        Await.until(
                PATIENCE,
                "the next claim is refused",
                () -> ClusterScenario.events(cluster, "next"),
                events -> events.contains("does not apply claims"));

        runtime.applyClaims(cluster.node(), true);
        restart();
        pods.delete("without");
        kubectl.run("delete", "namespace", TEAM, "--wait=true");
        assertThat(sees("next")).startsWith("GPU-");
    }

    @Test
    void aCardWhoseContainerCantBeKilledIsGivenToNobodyUntilItIsGone() {
        runtime.install(List.of(cluster.node()));
        create("stuck", "card");
        String card = sees("stuck").split(" ", -1)[0];
        String index = card.toLowerCase(Locale.ROOT).equals(first()) ? "0" : "1";
        // Its sleep, as the node's processes list it.
        String pid = cluster.onNode("sh", "-c", "pgrep -xf 'sleep 100000' | tail -n 1")
                .strip();
        String id = cluster.kubectl()
                .json("-n", "default", "get", "pod", "stuck")
                .at("/status/containerStatuses/0/containerID")
                .asText()
                .replace("containerd://", "");
        kept = runtime.keep(id);
        shared.installation()
                .cards(Stream.concat(
                                Stream.of(SharedCluster.twoT4()),
                                Stream.of("process pid=" + pid + " card=" + index + " memory=4GiB utilisation=10"))
                        .toArray(String[]::new));
        cluster.kubectl().run("-n", "default", "delete", "pod", "stuck", "--force", "--grace-period=0");

        Await.until(
                PATIENCE,
                "the card of the container is in no slice",
                ClaimsScenario::offered,
                offered -> !offered.contains(card.toLowerCase(Locale.ROOT)));
        create("other", "card");
        assertThat(sees("other")).startsWith("GPU-").doesNotContain(card);
        create("next", "card");
        pods.refused("next", "cannot allocate all claims");
        assertThat(cluster.onNode("sh", "-c", "kill -0 " + pid + " && echo alive")
                        .strip())
                .isEqualTo("alive");

        kept.release();
        Await.until(
                PATIENCE,
                "the kubelet has killed it",
                () -> cluster.onNode("sh", "-c", "kill -0 " + pid + " 2>/dev/null || echo gone")
                        .strip(),
                "gone"::equals);
        shared.installation().cards(SharedCluster.twoT4());
        assertThat(sees("next")).startsWith(card);
    }

    /** The name of the first card in slices. */
    private static String first() {
        return slices().at("/0/spec/devices")
                .valueStream()
                .filter(device -> device.at("/attributes/index/int").asInt(-1) == 0)
                .findFirst()
                .orElseThrow()
                .path("name")
                .asText();
    }

    private void restart() {
        ((LocalCluster) cluster).component("restart", "runtime");
    }
}
