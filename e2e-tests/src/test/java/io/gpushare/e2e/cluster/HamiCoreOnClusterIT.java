package io.gpushare.e2e.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Isolation by HAMi-core in real containers, which preload a stand-in for its library. */
@Tag("release")
class HamiCoreOnClusterIT extends ClusterScenario {
    /** Of two T4: the rest is kept for the driver. */
    private static final int UNITS = 28;

    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static Tenants tenants;
    private static Path vgpu;

    @BeforeAll
    static void isolate() throws IOException {
        shared.reinstallNext();
        SimulatedMps programs = new SimulatedMps(cluster, ROOT);
        tenants = new Tenants(cluster, programs);
        programs.copyPrograms(List.of(cluster.node()));
        vgpu = Files.createDirectories(cluster.sharedFolder().resolve("vgpu"));
        install();
        cluster.kubectl()
                .run("-n", Installation.NAMESPACE, "patch", Installation.PLUGIN, "--patch", """
                    {"spec":{"template":{"spec":{
                      "containers":[{"name":"gpushare","securityContext":{"capabilities":{"add":["DAC_OVERRIDE","FOWNER"]}},
                        "volumeMounts":[{"name":"vgpu","mountPath":"%1$s"}]}],
                      "volumes":[{"name":"vgpu","hostPath":{"path":"%1$s","type":"Directory"}}]}}}}\
                    """.formatted(vgpu));
        programs.arguments(
                installation,
                "--isolation=hami-core",
                "--hami-core-library=" + vgpu.resolve("libvgpu.so"),
                "--hami-core-dir=" + vgpu.resolve("node"));
        inForce();
    }

    @AfterAll
    static void leave() {
        shared.reinstallNext();
    }

    @Override
    public int units() {
        return UNITS;
    }

    private static void install() throws IOException {
        Files.copy(ROOT.resolve("nvml-binding/target/simulated-driver/mps/libvgpu.so"), vgpu.resolve("libvgpu.so"));
    }

    private static void inForce() {
        Await.until(
                PATIENCE,
                "HAMi-core is in force on both cards",
                ClusterScenario::inventory,
                cards -> cards.findValuesAsText("isolation").equals(List.of("hami-core", "hami-core")));
        allocatable(UNITS, 2);
    }

    @Test
    void containersOfSeveralUsersSeeTheirLimitAsTheTotalAndCantSwitchItOff() throws IOException {
        String card = inventory().get(0).path("uuid").asText();
        tenants.create("two", 2, 0, card, "fill");
        tenants.create("five", 5, 1000, card, "5121", "5000");
        tenants.prints("two", "filled 2048 error 2 free 2048 total 2048");
        tenants.prints("five", "error 2", "ok 5000");
        // A second program of the container, of another user and without HAMi's control: one account.
        tenants.more("five", "second", "env CUDA_DISABLE_CONTROL=true", "fill");
        tenants.morePrints("five", "second", "filled 120 error 2 free 120 total 5120");
        assertThat(cluster.onNode("sh", "-c", "ls " + vgpu.resolve("node/containers"))
                        .lines())
                .hasSize(2);

        pods.delete("two", "five");
        Await.until(
                PATIENCE,
                "the directories of both pods are gone",
                () -> cluster.onNode("sh", "-c", "ls " + vgpu.resolve("node/containers")),
                String::isBlank);

        Files.delete(vgpu.resolve("libvgpu.so"));
        JsonNode closed = Await.until(
                PATIENCE,
                "the cards offer no memory",
                ClusterScenario::inventory,
                cards -> cards.findValuesAsText("isolation").isEmpty());
        assertThat(closed.toString()).contains("the library of HAMi-core, " + vgpu + "/libvgpu.so, is missing");
        allocatable(0, 2);
        install();
        inForce();
    }
}
