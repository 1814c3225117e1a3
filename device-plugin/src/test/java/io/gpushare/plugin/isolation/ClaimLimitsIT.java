package io.gpushare.plugin.isolation;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.gpushare.plugin.claims.WholeProgramWithClaims;
import io.gpushare.simulated.program.StartedProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The driver and HAMi-core hold containers to the share of their claim. */
class ClaimLimitsIT extends WholeProgramWithClaims {
    private static final String NEW_DRIVER = "driver version=615.71.09";

    private Path cgroups() {
        return dir.resolve("cgroup");
    }

    private StartedProgram serveDriver() throws IOException {
        Files.createDirectories(cgroups());
        Files.writeString(cgroups().resolve("cgroup.controllers"), "cpu memory\n");
        cards(NEW_DRIVER, CARD_A, CARD_B);
        return serve("--isolation=driver", "--cgroup-root=" + cgroups());
    }

    private void awaitIsolation(String name) {
        await().until(() -> slice().at("/spec/devices/0/attributes/isolation/string")
                .asText()
                .equals(name));
    }

    /** The kubelet makes the cgroup of a pod before it prepares the pod's claims. */
    private Path cgroup(String pod) throws IOException {
        return Files.createDirectories(cgroups()
                .resolve("kubepods.slice/kubepods-burstable.slice/kubepods-burstable-poduid_pod_" + pod + ".slice"));
    }

    private String kept() throws IOException {
        Path file = dir.resolve("cards.kept");
        return Files.exists(file) ? Files.readString(file) : "";
    }

    private static String limit(String card, int gib, Path cgroup) {
        long bytes = (long) gib << 30;
        return "limit " + card + " " + bytes + " " + bytes + " " + cgroup;
    }

    @Test
    void theDriverLimitsThePodBeforeItsContainersStart() throws Exception {
        StartedProgram first = serveDriver();
        awaitIsolation("driver");
        claim("share", result("gpu", A, "3Gi", "s1"));
        assertThat(error("share"))
                .isEqualTo("claim default/share, request 'gpu': the cgroup of pod default/share is not below "
                        + cgroups() + ": mount the node's cgroup file system there, and leave the kubelet's"
                        + " cgroupsPerQOS on");
        Path cgroup = cgroup("share");
        prepare("share");
        assertThat(kept()).contains(limit(A, 3, cgroup));

        Files.delete(dir.resolve("cards.kept"));
        await().until(() -> kept().contains(limit(A, 3, cgroup)));
        api.awaitEvent("GpuLimitRestored", "\"name\":\"share\"");

        kill(first);
        pod("share", "{\"name\": \"main\", \"resources\": {\"claims\": [{\"name\": \"gpu\"}]}}");
        serveDriver();
        awaitIsolation("driver");
        prepare("share");
        assertThat(kept()).contains(limit(A, 3, cgroup));
        assertThat(unprepare("share")).isEmpty();
        await().until(() -> !kept().contains(cgroup.toString()));
    }

    @Test
    void theLimitsOfAPodsClaimsAreSummedOnEachCard() throws Exception {
        serveDriver();
        awaitIsolation("driver");
        Path cgroup = cgroup("a");
        claim("a", result("x", A, "3Gi", "s1"), result("x", B, "3Gi", "s2"), result("y", A, "2Gi", "s3"));
        pod(
                "a",
                "{\"name\": \"x\", \"resources\": {\"claims\": [{\"name\": \"gpu\", \"request\": \"x\"}]}},"
                        + " {\"name\": \"y\", \"resources\": {\"claims\": [{\"name\": \"gpu\", \"request\": \"y\"}]}}");
        prepare("a");
        assertThat(kept()).contains(limit(A, 5, cgroup), limit(B, 3, cgroup));
        claim("whole", result("gpu", B, "14Gi", "s4"));
        assertThat(error("whole")).contains("was given twice: it is held by claim default/a");
    }

    @Test
    void aClaimOfSeveralPodsIsRefusedByTheDriversLimits() throws Exception {
        serveDriver();
        awaitIsolation("driver");
        ObjectNode shared = document("shared", "uid-shared", result("gpu", A, "3Gi", "s1"));
        shared.withObjectProperty("status")
                .withArrayProperty("reservedFor")
                .addObject()
                .put("resource", "pods")
                .put("name", "second")
                .put("uid", "uid-pod-second");
        api.put(shared);
        cgroup("shared");
        cgroup("second");
        assertThat(error("shared"))
                .isEqualTo("claim default/shared, request 'gpu': several pods use it, and the driver limits each pod by"
                        + " itself: make a claim for each, by a ResourceClaimTemplate");
    }

    @Test
    void ofPodsThatJoinAClaimLaterTheFirstKeepsItsShare() throws Exception {
        StartedProgram first = serveDriver();
        awaitIsolation("driver");
        String container = "{\"name\": \"main\", \"resources\": {\"claims\": [{\"name\": \"more\"}]}}";
        claim("two", result("gpu", A, "3Gi", "s1"));
        pod("two", container);
        Path prepared = cgroup("two");
        prepare("two");
        Path joined = cgroup("joined");
        pod("joined", container);
        String least = "limit " + A + " " + (1 << 20) + " " + (1 << 20) + " " + joined;
        await().until(() -> kept().contains(least));
        assertThat(kept()).contains(limit(A, 3, prepared));
        api.awaitEvent("GpuShareOfOtherPod", "\"name\":\"joined\"");

        kill(first);
        Files.delete(dir.resolve("cards.kept"));
        serveDriver();
        await().until(() -> kept().contains(least));
        assertThat(kept()).as("the pod of the claim's file").contains(limit(A, 3, prepared));
        api.delete("two");
        await().until(() -> kept().contains(limit(A, 3, joined)));
    }

    /** The kubelet tells the driver nothing of them, and their containers start within about a second. */
    @Tag("alone")
    @Test
    void aPodThatJoinsAClaimIsLimitedWithinASecond() throws Exception {
        serveDriver();
        awaitIsolation("driver");
        String container = "{\"name\": \"main\", \"resources\": {\"claims\": [{\"name\": \"more\"}]}}";
        claim("two", result("gpu", A, "3Gi", "s1"));
        pod("two", container);
        cgroup("two");
        prepare("two");
        for (int i = 0; i < 8; i++) {
            Path joined = cgroup("joined" + i);
            pod("joined" + i, container);
            await().pollInterval(Duration.ofMillis(20))
                    .atMost(Duration.ofSeconds(1))
                    .until(() -> kept().contains(joined.toString()));
        }
    }

    private Path library() {
        return dir.resolve("vgpu/libvgpu.so");
    }

    private void serveHamiCore() throws IOException {
        Files.createDirectories(library().getParent());
        Files.copy(Tenant.programs().resolve("libvgpu.so"), library());
        cards(CARD_A, CARD_B);
        serve("--isolation=hami-core", "--hami-core-library=" + library(), "--hami-core-dir=" + dir.resolve("hami"));
        awaitIsolation("hami-core");
    }

    @Test
    void hamiCoreGetsItsVariablesAndItsDirectoryWhichGoesWithTheClaim() throws Exception {
        serveHamiCore();
        ObjectNode first = result("gpu", A, "3Gi", "s1");
        ObjectNode second = result("gpu", B, "3Gi", "s2");
        first.withObjectProperty("consumedCapacity").put("cores", "30");
        second.withObjectProperty("consumedCapacity").put("cores", "30");
        claim("two", first, second);
        pod("two", "{\"name\": \"main\", \"resources\": {\"claims\": [{\"name\": \"gpu\"}]}}");
        prepare("two");
        assertThat(environment("two"))
                .contains(
                        "NVIDIA_VISIBLE_DEVICES=" + A + "," + B,
                        "CUDA_DEVICE_MEMORY_LIMIT_0=3072m",
                        "CUDA_DEVICE_MEMORY_LIMIT_1=3072m",
                        "CUDA_DEVICE_SM_LIMIT=30");
        Map<String, String> mounts = edits("two")
                .path("mounts")
                .valueStream()
                .collect(Collectors.toMap(
                        mount -> mount.path("containerPath").asText(),
                        mount -> mount.path("hostPath").asText()));
        Path directory = dir.resolve("hami/containers/uid-two_gpu");
        assertThat(mounts)
                .containsEntry("/usr/local/vgpu", directory.toString())
                .containsEntry("/usr/local/vgpu/libvgpu.so", library().toString())
                .containsKeys("/etc/ld.so.preload", "/tmp/vgpulock");
        assertThat(Files.getPosixFilePermissions(directory)).contains(PosixFilePermission.OTHERS_WRITE);

        // The container runs while the kubelet calls again.
        Files.writeString(directory.resolve("gpushare.cache"), "in use");
        prepare("two");
        assertThat(directory.resolve("gpushare.cache")).hasContent("in use");
        unprepare("two");
        await().until(() -> !Files.exists(directory));
    }

    @Test
    void hamiCoreRefusesARequestOfContainersThatRunAtOneTimeAndAWholeCardNeedsNothing() throws Exception {
        serveHamiCore();
        claim("both", result("gpu", A, "3Gi", "s1"));
        pod(
                "both",
                Stream.of("x", "y")
                        .map(name -> "{\"name\": \"" + name + "\", \"resources\": {\"claims\": [{\"name\": \"gpu\"}]}}")
                        .collect(Collectors.joining(", ")));
        assertThat(error("both"))
                .isEqualTo("claim default/both, request 'gpu': containers 'x' of pod default/both and 'y' of pod"
                        + " default/both use it, and HAMi-core adds up the processes of one container only: write a"
                        + " request for each container");
        String user = "{\"name\": \"%s\", %s\"resources\": {\"claims\": [{\"name\": \"gpu\"}]}}";
        String inits = user.formatted("i", "") + ", " + user.formatted("j", "");
        claim("inits", result("gpu", A, "3Gi", "s4"));
        pod("inits", inits, user.formatted("y", ""));
        prepare("inits");
        assertThat(environment("inits")).contains("CUDA_DEVICE_MEMORY_LIMIT_0=3072m");
        claim("beside", result("gpu", A, "3Gi", "s3"));
        pod("beside", inits + ", " + user.formatted("s", "\"restartPolicy\": \"Always\", "), "{\"name\": \"y\"}");
        assertThat(error("beside"))
                .contains("containers 'i' of pod default/beside and 's' of pod default/beside use it");

        claim("watch", result("all", A).put("adminAccess", true));
        assertThat(error("watch")).contains("which can't hold a container with administrative access to no memory");
        claim("whole", result("gpu", B, "14Gi", "s2"));
        prepare("whole");
        assertThat(environment("whole")).containsExactly("NVIDIA_VISIBLE_DEVICES=" + B);
        assertThat(edits("whole")
                        .path("mounts")
                        .valueStream()
                        .map(mount -> mount.path("containerPath").asText()))
                .containsExactly("/.gpushare/uid-whole_gpu");
    }
}
