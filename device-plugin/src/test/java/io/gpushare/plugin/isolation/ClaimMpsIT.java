package io.gpushare.plugin.isolation;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.mps.link.Phase;
import io.gpushare.plugin.TestApiServer;
import io.gpushare.simulated.program.StartedProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** MPS holds containers to the share of their claim. */
class ClaimMpsIT extends WholeProgramWithMps {
    private static final String LIMIT = "CUDA_MPS_PINNED_DEVICE_MEM_LIMIT";
    private static final String PERCENTAGE = "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE";

    @BeforeEach
    void describeCards() throws IOException {
        cards("driver version=550.163.01", CARD_A, CARD_B);
    }

    private StartedProgram serveMps(String... options) throws IOException {
        List<String> all = new ArrayList<>(List.of("--isolation=mps", "--mps-dir=" + mps, "--proc-dir=" + proc));
        all.addAll(List.of(options));
        return serve(all.toArray(String[]::new));
    }

    private void awaitMps() {
        await().until(() -> slice().at("/spec/devices")
                .valueStream()
                .allMatch(device ->
                        device.at("/attributes/isolation/string").asText().equals("mps") && !device.has("taints")));
    }

    /** As the kubelet does, again and again: a daemon may be starting. */
    private Map<String, String> prepared(String claim) throws IOException {
        await(LONG).until(() -> error(claim).isEmpty());
        return variables(claim);
    }

    /** What a container with the claim gets; the directory of MPS by its path on the node. */
    private Map<String, String> variables(String claim) throws IOException {
        Map<String, String> variables = new HashMap<>(environment(claim).stream()
                .map(variable -> variable.split("=", 2))
                .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1])));
        for (JsonNode mount : edits(claim).path("mounts")) {
            assertThat(mount.path("options").toString()).contains("\"ro\"");
            if (!mount.path("containerPath").asText().startsWith("/.gpushare/")) {
                assertThat(mount.path("containerPath").asText()).isEqualTo("/tmp/nvidia-mps");
                variables.put("CUDA_MPS_PIPE_DIRECTORY", mount.path("hostPath").asText());
            }
        }
        return variables;
    }

    private static ObjectNode cores(ObjectNode result, int percent) {
        result.withObjectProperty("consumedCapacity").put("cores", String.valueOf(percent));
        return result;
    }

    /** A running pod of one container, which uses that claim. */
    private void runs(String pod, String claim, String environment) throws IOException {
        api.put(object("""
            {"apiVersion": "v1", "kind": "Pod",
             "metadata": {"name": "%s", "namespace": "default", "uid": "uid-pod-%s"},
             "spec": {"nodeName": "n1", "resourceClaims": [{"name": "gpu", "resourceClaimName": "%s"}],
                      "containers": [{"name": "main", "env": [%s], "resources": {"claims": [{"name": "gpu"}]}}]},
             "status": {"phase": "Running",
                        "containerStatuses": [{"name": "main", "containerID": "containerd://%s"}]}}
            """.formatted(pod, pod, claim, environment, TestApiServer.containerId(pod))));
    }

    /** A program of that pod computes with that claim of a part of card A. */
    private Tenant computes(String pod, String claim) throws Exception {
        claim(claim, cores(result("gpu", A, "3Gi", "s1"), 0));
        runs(pod, claim, "");
        return inContainer(pod, 100, tenant(prepared(claim), 0, 2000).prints("ok 2000"));
    }

    @Test
    void aShareIsExactAndAWholeCardIsNobodysClient() throws Exception {
        supervisor();
        serveMps();
        awaitMps();
        claim("share", cores(result("gpu", A, "3Gi", "s1"), 0));
        claim("larger", cores(result("gpu", A, "7Gi", "s2"), 0));
        claim("whole", result("gpu", B, "14Gi", "s3"));
        Map<String, String> share = prepared("share");
        assertThat(share)
                .containsEntry("NVIDIA_VISIBLE_DEVICES", A)
                .containsEntry(LIMIT, "0=3072M")
                .containsEntry(PERCENTAGE, "21")
                .containsEntry("GPUSHARE_MEMORY_MIB", "3072");
        Map<String, String> larger = prepared("larger");
        assertThat(larger).containsEntry(LIMIT, "0=7168M").containsEntry(PERCENTAGE, "50");
        assertThat(prepared("whole")).isEqualTo(Map.of("NVIDIA_VISIBLE_DEVICES", B));
        assertThat(phase(B)).isEqualTo(Phase.OFF);
        Tenant neighbour = tenant(larger, 0, 7168).prints("ok 7168");
        tenant(share, 0, 3072, 1).prints("ok 3072", "error 2").close();
        assertThat(neighbour.alive()).isTrue();
        neighbour.close();

        // The card taken whole waits for the end of MPS there.
        assertThat(unprepare("share")).isEmpty();
        assertThat(unprepare("larger")).isEmpty();
        claim("next", result("gpu", A, "14Gi", "s4"));
        assertThat(prepared("next")).isEqualTo(Map.of("NVIDIA_VISIBLE_DEVICES", A));
        assertThat(phase(A)).isEqualTo(Phase.OFF);
    }

    @Test
    void coresOfTheClaimAreLimitedAndWithoutIsolationRefused() throws Exception {
        supervisor();
        StartedProgram program = serveMps();
        awaitMps();
        assertThat(slice().at("/spec/devices/0/capacity/cores/value").asText()).isEqualTo("100");
        claim("a", cores(result("gpu", A, "3Gi", "s1"), 30));
        claim("b", cores(result("gpu", A, "3Gi", "s2"), 80));
        assertThat(prepared("a")).containsEntry(PERCENTAGE, "30");
        assertThat(error("b")).contains("card " + A + " was given twice: it is held by claim default/a");
        unprepare("a");
        kill(program);

        serve();
        await().until(() -> !slice().at("/spec/devices/0/capacity").has("cores"));
        assertThat(error("b"))
                .isEqualTo("claim default/b: card " + A
                        + " does not limit cores: isolation none is in force, and mps or" + " hami-core is needed");
    }

    /** It is one share for both: each process is below its limit, and their sum is not. */
    @Test
    void podsThatShareAClaimHaveItsShareTogetherAndTheNewestProcessIsTerminated() throws Exception {
        supervisor();
        serveMps("--mps-over-use-grace=1s");
        awaitMps();
        claim("shared", cores(result("gpu", A, "3Gi", "s1"), 0));
        claim("other", cores(result("gpu", A, "4Gi", "s2"), 0));
        runs("first", "shared", "");
        runs("neighbour", "other", "");
        Map<String, String> shared = prepared("shared");
        Tenant first = inContainer("first", 100, tenant(shared, 0, 2000).prints("ok 2000"));
        Tenant neighbour =
                inContainer("neighbour", 150, tenant(prepared("other"), 0, 4000).prints("ok 4000"));
        await().untilAsserted(() -> assertThat(metrics().lines())
                .contains(
                        figure("allocated_bytes", "first") + (double) (3L << 30),
                        figure("used_bytes", "first") + (double) (2000L << 20),
                        figure("used_bytes", "neighbour") + (double) (4000L << 20),
                        "gpushare_card_mps_clients{card=\"" + A + "\"} 2.0"));

        // No call of the kubelet tells of a pod that joins.
        runs("second", "shared", "");
        Tenant second = inContainer("second", 200, tenant(shared, 0, 2000).prints("ok 2000"));
        second.prints("ok 2000", "lost 810");
        assertThat(first.alive()).isTrue();
        assertThat(neighbour.alive()).isTrue();
        api.awaitEvent("GpuMpsProcessTerminated", "\"name\":\"second\"", "together use 3.9 GiB");
        api.awaitEvent("GpuMemoryOverUse", "memory of its claim (units of 1 GiB) is 3, but the container uses 4");
        assertThat(api.events())
                .noneMatch(event -> event.contains("GpuUseWithoutAllocation")
                        || (event.contains("GpuMpsProcessTerminated") && event.contains("\"name\":\"first\"")));
    }

    private static String figure(String name, String pod) {
        return "gpushare_container_memory_" + name + "{card=\"" + A
                + "\",container=\"main\",model=\"Tesla T4\",namespace=\"default\",pod=\"" + pod + "\"} ";
    }

    @Test
    void aRestartOfThePluginKeepsTheLimitsAndEndsNoProgram() throws Exception {
        supervisor();
        StartedProgram before = serveMps("--mps-over-use-grace=1s");
        awaitMps();
        claim("share", cores(result("gpu", A, "3Gi", "s1"), 0));
        runs("share", "share", "");
        Map<String, String> limits = prepared("share");
        Tenant first = inContainer("share", 100, tenant(limits, 0, 2000).prints("ok 2000"));
        ProcessHandle daemon = daemon(A).orElseThrow();

        kill(before);
        assertThat(variables("share")).isEqualTo(limits);
        serveMps("--mps-over-use-grace=1s");
        await().untilAsserted(() ->
                assertThat(metrics().lines()).contains(figure("used_bytes", "share") + (double) (2000L << 20)));
        assertThat(prepared("share")).isEqualTo(limits);
        assertThat(daemon(A)).contains(daemon);
        inContainer("share", 200, tenant(limits, 0, 2000).prints("ok 2000")).prints("ok 2000", "lost 810");
        assertThat(first.alive()).isTrue();
    }

    /** As kubelets do when another pod is deleted that could not begin to use it (Kubernetes' pull request 140212). */
    @Test
    void aClaimThatIsUnpreparedUnderARunningContainerKeepsItsCardUntilThatEnds() throws Exception {
        supervisor();
        StartedProgram before = serveMps();
        awaitMps();
        Tenant first = computes("first", "shared");
        ProcessHandle daemon = daemon(A).orElseThrow();

        assertThat(unprepare("shared")).isEmpty();
        awaitLooks(A, 3);
        assertThat(daemon(A)).contains(daemon);
        assertThat(first.alive()).isTrue();
        claim("whole", result("gpu", A, "14Gi", "s2"));
        assertThat(error("whole")).contains("held by claim default/shared");

        kill(before);
        serveMps();
        await().untilAsserted(() -> assertThat(error("whole")).contains("held by claim default/shared"));
        assertThat(daemon(A)).contains(daemon);
        Files.delete(proc.resolve(first.pid() + "/cgroup"));
        first.close();
        assertThat(prepared("whole")).isEqualTo(Map.of("NVIDIA_VISIBLE_DEVICES", A));
        assertThat(files()).containsExactly("gpushare.io-claim_uid-whole.json");
    }

    /** Its card seems to be unused, and must not be taken from MPS. */
    @Test
    void aClaimKeepsItsLimitWhileTheFilesCantBeListedOnANodeThatWasMoved() throws Exception {
        supervisor();
        StartedProgram before = serveMps();
        awaitMps();
        Tenant tenant = computes("share", "share");
        ProcessHandle daemon = daemon(A).orElseThrow();

        kill(before);
        Files.move(cdi(), dir.resolve("aside"));
        Files.createFile(cdi());
        run("--cdi-dir=" + cdi(), METRICS, "--isolation=mps", "--mps-dir=" + mps, "--proc-dir=" + proc);
        await().until(() -> kubelet.registrations().size() == 2);
        await().until(() -> get("/readyz").body().contains("can't be listed"));
        awaitLooks(A, 3);
        assertThat(daemon(A)).contains(daemon);
        assertThat(tenant.alive()).isTrue();
    }

    @Test
    void withoutASupervisorTheCardsAreTaintedAndNoShareIsPrepared() throws Exception {
        serveMps();
        await().until(() -> slice().at("/spec/devices/0/taints/0/key").asText().equals("gpushare.io/no-isolation"));
        assertThat(slice().at("/spec/devices/0/attributes/isolation/string").asText())
                .isEqualTo("none");
        claim("share", result("gpu", A, "3Gi", "s1"));
        assertThat(error("share")).contains("card " + A + " offers no memory: no MPS supervisor serves this node");
        assertThat(files()).isEmpty();
        supervisor();
        awaitMps();
        assertThat(prepared("share")).containsEntry(LIMIT, "0=3072M");
    }

    @Test
    void aContainerCantReplaceItsLimitAndSharesOfTwoCardsAreRefused() throws Exception {
        supervisor();
        serveMps();
        awaitMps();
        claim("own", cores(result("gpu", A, "3Gi", "s1"), 0));
        pod("own", """
            {"name": "main", "resources": {"claims": [{"name": "gpu"}]},
             "env": [{"name": "%s", "value": "0=14G"}, {"name": "CUPY_GPU_MEMORY_LIMIT", "value": "1"}]}\
            """.formatted(LIMIT));
        assertThat(prepared("own")).containsEntry(LIMIT, "0=3072M").doesNotContainKey("CUPY_GPU_MEMORY_LIMIT");

        claim("none-of-its-own", cores(result("gpu", A, "3Gi", "s4"), 0));
        assertThat(prepared("none-of-its-own")).containsKey("CUPY_GPU_MEMORY_LIMIT");

        claim("two", result("gpu", A, "3Gi", "s2"), result("gpu", B, "3Gi", "s3"));
        assertThat(error("two")).contains("memory of several cards is not possible with MPS");
    }

    @Test
    void aMigInstanceIsSharedWithItsLimitsOrTakenWhole() throws Exception {
        cards("driver version=550.163.01", "card kind=H100-80 uuid=" + A + " mig=3g.40gb,1g.10gb");
        supervisor();
        serveMps();
        String large = await().until(() -> instance("3g.40gb"), found -> !found.isEmpty());
        claim("share", cores(result("gpu", large, "5Gi", "s1"), 0));
        Map<String, String> share = prepared("share");
        assertThat(share)
                .containsEntry("NVIDIA_VISIBLE_DEVICES", large)
                .containsEntry(LIMIT, "0=5120M")
                .containsEntry(PERCENTAGE, "12");
        tenant(share, 0, 5120, 1).prints("ok 5120", "error 2");
        String small = instance("1g.10gb");
        claim("whole", result("gpu", small, memoryOf(small), "s2"));
        assertThat(prepared("whole")).isEqualTo(Map.of("NVIDIA_VISIBLE_DEVICES", small));
    }

    /** The UUID of the instance of that profile, once MPS serves it; empty before. */
    private String instance(String profile) {
        return devices(slice())
                .filter(device -> device.at("/attributes/profile/string")
                                .asText()
                                .equals(profile)
                        && device.at("/attributes/isolation/string").asText().equals("mps"))
                .map(device -> device.at("/attributes/uuid/string").asText())
                .findFirst()
                .orElse("");
    }

    private String memoryOf(String card) {
        return devices(slice())
                .filter(device -> device.path("name").asText().equals(name(card)))
                .map(device -> device.at("/capacity/memory/value").asText())
                .findFirst()
                .orElseThrow();
    }

    private static Stream<JsonNode> devices(JsonNode slice) {
        return slice.at("/spec/devices").valueStream();
    }
}
