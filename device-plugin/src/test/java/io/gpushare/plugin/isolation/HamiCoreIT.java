package io.gpushare.plugin.isolation;

import static io.gpushare.simulated.patience.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.gpushare.api.deviceplugin.v1beta1.ContainerAllocateResponse;
import io.gpushare.api.deviceplugin.v1beta1.PreStartContainerRequest;
import io.gpushare.plugin.WholeProgram;
import io.gpushare.simulated.program.StartedProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Isolation by HAMi-core, with a stand-in for its library that tenants preload, and the requests of HAMi's own examples
 * (examples/nvidia of its repository) that have limits.
 */
class HamiCoreIT extends WholeProgram {
    private static final String SLOTS = "nvidia.com/gpu";
    private static final String MIB = "nvidia.com/gpumem";
    private static final String PERCENT = "nvidia.com/gpumem-percentage";
    private static final String CORES = "nvidia.com/gpucores";
    private static final String LARGE = "card kind=A100-40 context=on uuid=";

    private final List<AutoCloseable> tenants = new ArrayList<>();

    private Path library() {
        return dir.resolve("vgpu/libvgpu.so");
    }

    /** Tenants are of other users. */
    @BeforeEach
    void open() throws IOException {
        Files.setPosixFilePermissions(dir, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path ledger = Files.createFile(dir.resolve("cards.processes"));
        Files.setPosixFilePermissions(ledger, PosixFilePermissions.fromString("rw-rw-rw-"));
    }

    @AfterEach
    void endTenants() throws Exception {
        for (AutoCloseable tenant : tenants) {
            tenant.close();
        }
    }

    @Test
    void hamisExamplesRunWithTheirLimitsAndSeeTheirShareAsTheTotal() throws Exception {
        install("libvgpu.so");
        cards(LARGE + A, LARGE + B);
        runHami();

        Map<String, String> fixed = started("default-use", Map.of(SLOTS, "1", MIB, "3000", CORES, "30"));
        assertThat(fixed)
                .containsEntry("CUDA_DEVICE_MEMORY_LIMIT_0", "3072m")
                .containsEntry("CUDA_DEVICE_SM_LIMIT", "30")
                .containsEntry("GPUSHARE_MEMORY_MIB", "3072")
                .containsEntry("XLA_PYTHON_CLIENT_MEM_FRACTION", "0.8313");
        prints(tenant(fixed, 1000, "fill"), "filled 2554 error 2 free 2554 total 3072");

        Map<String, String> part = started("use-memory-fraction", Map.of(SLOTS, "2", PERCENT, "50", CORES, "30"));
        assertThat(part)
                .containsEntry("CUDA_DEVICE_MEMORY_LIMIT_0", "19968m")
                .containsEntry("CUDA_DEVICE_MEMORY_LIMIT_1", "19968m")
                .containsEntry("CUDA_DEVICE_SM_LIMIT", "30");
        prints(tenant(part, 0, "20000", "fill"), "error 2", "filled 19450 error 2 free 19450 total 19968");
        api.delete("use-memory-fraction");

        Map<String, String> sharing = started("use-sharing-card", Map.of(SLOTS, "1", PERCENT, "40", CORES, "60"));
        assertThat(sharing)
                .containsEntry("CUDA_DEVICE_MEMORY_LIMIT_0", "15872m")
                .containsEntry("CUDA_DEVICE_SM_LIMIT", "60");
        // Two programs of one container, of two users, have its limit together.
        Tenant first = tenant(sharing, 1000, "10000");
        prints(first, "ok 10000");
        prints(tenant(sharing, 2000, "6000", "fill"), "error 2", "filled 4836 error 2 free 4836 total 15872");

        // A whole card has no limit and no library.
        Map<String, String> whole = started("use-exclusive-card", Map.of(SLOTS, "1", PERCENT, "100", CORES, "100"));
        assertThat(whole).doesNotContainKeys("CUDA_DEVICE_MEMORY_LIMIT_0", "GPUSHARE_MEMORY_MIB");
    }

    /** Of the one without cores and the one for two parallel workers, which see a card each. */
    @Test
    void hamisExamplesWithoutCoresAndForParallelWorkersHaveTheirLimits() throws Exception {
        install("libvgpu.so");
        cards(LARGE + A, LARGE + B);
        runHami();

        Map<String, String> vectors = started("cuda-sample-vector-add", Map.of(SLOTS, "1", MIB, "3000"));
        assertThat(vectors)
                .containsEntry("CUDA_DEVICE_MEMORY_LIMIT_0", "3072m")
                .doesNotContainKeys("CUDA_DEVICE_MEMORY_LIMIT_1", "CUDA_DEVICE_SM_LIMIT");
        prints(tenant(vectors, 1000, "fill"), "filled 2554 error 2 free 2554 total 3072");

        Map<String, String> vllm = started("vllm-cross-vgpu", Map.of(SLOTS, "2", PERCENT, "30", CORES, "30"));
        assertThat(vllm)
                .containsEntry("CUDA_DEVICE_MEMORY_LIMIT_0", "12032m")
                .containsEntry("CUDA_DEVICE_MEMORY_LIMIT_1", "12032m")
                .containsEntry("CUDA_DEVICE_SM_LIMIT", "30")
                .doesNotContainKey("CUDA_DEVICE_MEMORY_LIMIT_2");
        assertThat(vllm.get("NVIDIA_VISIBLE_DEVICES")).contains(A, B);
        prints(tenant(vllm, 0, "fill"), "filled 11514 error 2 free 11514 total 12032");
    }

    @Test
    void whereTheLibraryIsMissingOrLimitsNothingTheCardOffersNoMemoryAndSaysWhy() throws Exception {
        cards(LARGE + A);
        run("--isolation=hami-core", "--hami-core-library=" + library(), "--hami-core-dir=" + dir.resolve("hami"));
        closedBecause("the library of HAMi-core, " + library() + ", is missing");
        await().until(() -> kubelet.healthy(CARDS).size() == 1);
        await().untilAsserted(() -> assertThat(kubelet.healthy(MEMORY)).isEmpty());

        install("libvgpu-hidden.so");
        closedBecause(library() + " limits nothing: it does not export cuInit");
        Files.writeString(library(), "not a library\n");
        closedBecause(library() + " is not the library of HAMi-core");

        install("libvgpu.so");
        await().until(() -> !kubelet.healthy(MEMORY).isEmpty());
        await().until(() -> api.patches().getLast().contains("\\\"isolation\\\":\\\"hami-core\\\""));
        api.awaitEvent("GpuIsolationMissing", "\"kind\":\"Node\"");

        // Removed again, with a pod that was bound before.
        api.pod("p", "Pending", Map.of(MEMORY, "3"), memoryOn(A, 3));
        list("p");
        List<String> devices = preferred(MEMORY, 3);
        response(MEMORY, devices);
        Files.delete(library());
        assertThatThrownBy(() -> start(MEMORY, devices))
                .hasMessageContaining("pod default/p container 'main' can't start")
                .hasMessageContaining("is missing");
        closedBecause("the library of HAMi-core, " + library() + ", is missing");
    }

    private void closedBecause(String reason) {
        await().until(() -> !api.patches().isEmpty()
                && api.patches().getLast().contains(reason)
                && api.patches().getLast().contains("memoryClosed"));
    }

    @Test
    void aRestartOfThePluginChangesNothingAndTheDirectoriesOfDeletedPodsAreRemoved() throws Exception {
        install("libvgpu.so");
        cards(LARGE + A);
        StartedProgram first = runHami();
        Map<String, String> environment = started("p", Map.of(MEMORY, "16"));
        Tenant before = tenant(environment, 1000, "2000");
        prints(before, "ok 2000");

        first.kill();
        runHami();
        prints(tenant(environment, 1000, "fill"), "filled 1060 error 2 free 1060 total 4096");
        assertThat(containers()).hasSize(1);
        // The container starts again: only pod-resources knows it now.
        before.close();
        start(MEMORY, kubeletDevices);
        prints(tenant(environment, 2000, "fill"), "filled 3578 error 2 free 3578 total 4096");

        api.delete("p");
        await().until(() -> containers().isEmpty());
    }

    private List<String> kubeletDevices = List.of();

    private StartedProgram runHami() throws IOException {
        int registrations = kubelet.registrations().size();
        StartedProgram running = run(
                "--isolation=hami-core",
                "--hami",
                "--memory-unit=256MiB",
                "--hami-core-library=" + library(),
                "--hami-core-dir=" + dir.resolve("hami"));
        await().until(() -> kubelet.registrations().size() == registrations + 3);
        await().until(() -> !kubelet.healthy(MEMORY).isEmpty());
        return running;
    }

    /** Admits a pod, starts its container, and returns its environment, with the directories of the node. */
    private Map<String, String> started(String pod, Map<String, String> limits) {
        String resource = limits.containsKey(SLOTS) ? SLOTS : MEMORY;
        int count = Integer.parseInt(limits.getOrDefault(resource, ""));
        api.pod(pod, "Pending", limits, "");
        list(pod);
        List<String> devices = preferred(resource, count);
        ContainerAllocateResponse response = response(resource, devices);
        start(resource, devices);
        api.pod(pod, "Running", limits, "");
        listRunning(pod, resource, devices);
        kubeletDevices = devices;
        Map<String, String> environment = new HashMap<>(response.getEnvsMap());
        response.getMountsList().forEach(mount -> {
            switch (mount.getContainerPath()) {
                case "/usr/local/vgpu" ->
                    environment.put("CUDA_DEVICE_MEMORY_SHARED_CACHE", mount.getHostPath() + "/gpushare.cache");
                case "/etc/ld.so.preload" ->
                    assertThat(Path.of(mount.getHostPath())).hasContent("/usr/local/vgpu/libvgpu.so");
                case "/usr/local/vgpu/libvgpu.so" -> environment.put("LD_PRELOAD", mount.getHostPath());
                default -> assertThat(mount.getContainerPath()).isEqualTo("/tmp/vgpulock");
            }
        });
        return environment;
    }

    private void start(String resource, List<String> devices) {
        kubelet.calls(resource)
                .preStartContainer(PreStartContainerRequest.newBuilder()
                        .addAllDevicesIds(devices)
                        .build());
    }

    private Tenant tenant(Map<String, String> environment, int user, String... arguments) throws IOException {
        Tenant tenant = Tenant.start(dir, environment, user, arguments);
        tenants.add(tenant);
        return tenant;
    }

    private static void prints(Tenant tenant, String... lines) {
        tenant.prints(lines);
    }

    private void install(String stand) throws IOException {
        Path next = Files.createDirectories(library().getParent()).resolve("next");
        Files.copy(Tenant.programs().resolve(stand), next);
        Files.move(next, library(), StandardCopyOption.ATOMIC_MOVE);
    }

    private List<Path> containers() throws IOException {
        try (Stream<Path> all = Files.list(dir.resolve("hami/containers"))) {
            return all.toList();
        }
    }
}
