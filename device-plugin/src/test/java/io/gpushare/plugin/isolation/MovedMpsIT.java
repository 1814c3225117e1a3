package io.gpushare.plugin.isolation;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.gpushare.mps.link.Phase;
import io.gpushare.plugin.TestApiServer;
import io.gpushare.simulated.kubelet.devices.CheckpointFile;
import io.gpushare.simulated.program.StartedProgram;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** MPS on a node that moves between both ways to offer its cards: running pods keep their server and their limits. */
class MovedMpsIT extends WholeProgramWithMps {
    private static final String GRACE = "--mps-over-use-grace=1s";

    @BeforeEach
    void describeCards() throws IOException {
        cards("driver version=550.163.01", CARD_A, CARD_B);
    }

    private StartedProgram serveMps() throws IOException {
        return serve("--isolation=mps", GRACE, "--mps-dir=" + mps, "--proc-dir=" + proc);
    }

    private static String figure(String name, String pod, String card) {
        return "gpushare_container_memory_" + name + "{card=\"" + card
                + "\",container=\"main\",model=\"Tesla T4\",namespace=\"default\",pod=\"" + pod + "\"} ";
    }

    private void awaitUse(String pod, String card, int mib) {
        await().untilAsserted(() ->
                assertThat(metrics().lines()).contains(figure("used_bytes", pod, card) + (double) ((long) mib << 20)));
    }

    @Test
    void aPodOfTheDevicePluginKeepsItsLimitOnANodeThatServesClaimsNow() throws Exception {
        supervisor();
        StartedProgram before = runMps("--isolation=mps", GRACE, METRICS);
        Admitted admitted = admitted("a", 3, A);
        Map<String, String> environment = started(admitted, "a", 3, A);
        listRunning("a", MEMORY, admitted.devices());
        kubelet.checkpoint(
                new CheckpointFile.Entry("uid-a", "main", MEMORY, Set.copyOf(admitted.devices()), admitted.response()));
        Tenant first = inContainer("a", 100, tenant(environment, 0, 2000).prints("ok 2000"));
        ProcessHandle daemon = daemon(A).orElseThrow();
        before.kill();

        serveMps();
        awaitUse("a", A, 2000);
        await().until(() -> names(slice()).equals(List.of(name(B))));
        claim("share", result("gpu", B, "3Gi", "s1"));
        await(LONG).until(() -> error("share").isEmpty());
        assertThat(phase(B)).isEqualTo(Phase.READY);
        inContainer("a", 200, tenant(environment, 0, 2000).prints("ok 2000")).prints("ok 2000", "lost 810");
        assertThat(daemon(A)).contains(daemon);
        assertThat(first.alive()).isTrue();
        assertThat(api.events()).noneMatch(event -> event.contains("GpuUseWithoutAllocation"));
    }

    @Test
    void aPodWithAClaimKeepsItsLimitOnANodeThatOffersResourcesAgain() throws Exception {
        supervisor();
        StartedProgram before = serveMps();
        claim("share", result("gpu", B, "3Gi", "s1"));
        api.put(object("""
            {"apiVersion": "v1", "kind": "Pod",
             "metadata": {"name": "c", "namespace": "default", "uid": "%s"},
             "spec": {"nodeName": "n1", "resourceClaims": [{"name": "gpu", "resourceClaimName": "share"}],
                      "containers": [{"name": "main", "resources": {"claims": [{"name": "gpu"}]}}]},
             "status": {"phase": "Running",
                        "containerStatuses": [{"name": "main", "containerID": "containerd://%s"}]}}
            """.formatted("uid-c", TestApiServer.containerId("c"))));
        await(LONG).until(() -> error("share").isEmpty());
        Map<String, String> environment = new HashMap<>(environment("share").stream()
                .map(variable -> variable.split("=", 2))
                .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1])));
        environment.put(
                "CUDA_MPS_PIPE_DIRECTORY",
                edits("share").at("/mounts/0/hostPath").asText());
        Tenant first = inContainer("c", 100, tenant(environment, 0, 2000).prints("ok 2000"));
        ProcessHandle daemon = daemon(B).orElseThrow();
        kill(before);

        runMps("--isolation=mps", GRACE, "--cdi-dir=" + cdi(), METRICS);
        awaitUse("c", B, 2000);
        inContainer("c", 200, tenant(environment, 0, 2000).prints("ok 2000")).prints("ok 2000", "lost 810");
        assertThat(daemon(B)).contains(daemon);
        assertThat(first.alive()).isTrue();
        assertThat(kubelet.healthy(MEMORY)).hasSize(14).allMatch(id -> id.startsWith(A));
        assertThat(api.events()).noneMatch(event -> event.contains("GpuUseWithoutAllocation"));
    }
}
